// What a running service renews: the lists of the operator and the datasets.

import { basename } from 'node:path'
import type { MissingDataset } from '../knowledge/datasets/expected.ts'
import type { Log } from './api/log.ts'
import type { CheckService } from './service.ts'

/**
 * Reads the copies on disk as far as they are not read yet, logs those that are missing, and follows the lists of the operator; calls
 * `onLists` when one of them has changed. Never rejects.
 */
export async function keepCurrent(service: CheckService, log: Log, onLists: () => void): Promise<void> {
  service.operator_lists.start(({ file, entries, faults }) => {
    const list = basename(file)
    if (faults.length > 0) log.warn({ list, refused: faults.slice(0, LIST_FAULTS), entries })
    else log.info({ list, entries })
    onLists()
  })
  logMissing(service, log)
  await service.start()
}

/** Logs which expected datasets are missing, now and whenever one of them has been read. */
function logMissing({ datasets }: CheckService, log: Log): void {
  const report = (missing: readonly MissingDataset[]) =>
    log[missing.length > 0 ? 'warn' : 'info']({ datasets_missing: missing.map(({ id }) => id) })
  if (datasets.missing().length > 0) report(datasets.missing())
  datasets.onRead(report)
}

/**
 * Starts the scheduled refreshes and calls `onFetched` after each that changed something. Call it when the copies on disk are
 * read, so that nothing is fetched twice.
 */
export function keepFresh({ datasets }: CheckService, log: Log, onFetched?: (dataset: string) => void): void {
  datasets.start((dataset, outcome) => {
    if (outcome.status === 'failed') log.warn({ dataset, failed: outcome.reason })
    else log.info({ dataset, status: outcome.status })
    if (outcome.status === 'fetched') onFetched?.(dataset)
  })
}

/** Milliseconds between looks at the copies on disk, where another process refreshes them. */
const ADOPT_MS = 60_000

/** Loads what another process refreshes. Returns what stops it. */
export function keepUp({ datasets }: CheckService): () => void {
  const timer = setInterval(() => void datasets.adopt(), ADOPT_MS).unref()
  return () => clearInterval(timer)
}

/** Faults of a replaced list in one log line. */
const LIST_FAULTS = 5
