// Bulk runs without a network: the test provides the check function.

import { systemClock } from '../../../src/base/clock.ts'
import { createOverflow } from '../../../src/results/bulk/overflow.ts'
import { createRunQueue, POLITE, type Politeness } from '../../../src/results/bulk/politeness.ts'
import type { BulkRecord, Task } from '../../../src/results/bulk/record.ts'
import { type BulkAnswer, type Ran, runBulk } from '../../../src/results/bulk/run.ts'
import { parseTarget, requestFor, type Target, unvetted } from '../../../src/targets/target.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

export const parse = (text: string) => parseTarget(requestFor(text), unvetted)

export function targetOf(text: string): Target {
  const parsed = parse(text)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.target
}

export const found = ({ domain, ip, url }: Target, more: object = {}): BulkAnswer => ({
  ok: true,
  result: { domain, ip, url: url?.href ?? null, risk_score: 0, verdict: 'safe', recommendation: 'allow', ...more },
})

export interface RunLab {
  readonly ran: Ran
  readonly records: readonly BulkRecord[]
  /** Targets in the order their checks started. */
  readonly started: readonly string[]
  /** The largest number of tasks waiting in memory. */
  readonly most_waiting: number
}

export interface LabRun {
  readonly names: Iterable<string>
  readonly check?: (target: Target, over: AbortSignal) => Promise<BulkAnswer>
  readonly settled?: ReadonlySet<string>
  readonly write?: (record: BulkRecord) => Promise<void>
  readonly concurrency?: number
  readonly limits?: Politeness
  readonly stop?: AbortSignal
}

export async function run(lab: LabRun): Promise<RunLab> {
  const records: BulkRecord[] = []
  const started: string[] = []
  let most_waiting = 0
  const overflow = createOverflow<Task>(temporaryDirectory())
  const queue = createRunQueue(lab.limits ?? POLITE, lab.concurrency ?? 8, systemClock.monotonic)
  const ran = await runBulk({
    input: () => numbered(lab.names),
    parse,
    settled: lab.settled ?? new Set(),
    queue,
    overflow,
    async check(target, over) {
      started.push(target.domain ?? target.ip)
      most_waiting = Math.max(most_waiting, queue.figures.waiting)
      return lab.check ? lab.check(target, over) : found(target)
    },
    write: lab.write ?? (async record => void records.push(record)),
    stop: lab.stop ?? new AbortController().signal,
  })
  overflow.close()
  return { ran, records, started, most_waiting }
}

async function* numbered(names: Iterable<string>) {
  let line = 0
  for (const text of names) yield { line: ++line, text }
}
