// Keeps the datasets of a running service fresh, and tells the log what became of each and what was found at the start.
import type { Log } from '../api/log.ts'
import type { CheckService } from '../service.ts'
import { resolverWarning } from './resolver_honesty.ts'

/** Starts once those on disk are read, so that nothing is fetched that is there. Never rejects. */
export async function keepFresh(service: CheckService, log: Log): Promise<void> {
  await service.start()
  const warning = resolverWarning(service)
  if (warning !== null) log.warn(warning)
  service.datasets.start((dataset, outcome) => {
    if (outcome.status === 'failed') log.warn({ dataset, failed: outcome.reason })
    else log.info({ dataset, status: outcome.status })
  })
}
