// Keeps the datasets of a running service fresh, and tells the log what became of each.
import type { Log } from '../api/log.ts'
import type { CheckService } from '../service.ts'

/** Starts once those on disk are read, so that nothing is fetched that is there. Never rejects. */
export async function keepFresh(service: CheckService, log: Log): Promise<void> {
  await service.start()
  service.datasets.start((dataset, outcome) => {
    if (outcome.status === 'failed') log.warn({ dataset, failed: outcome.reason })
    else log.info({ dataset, status: outcome.status })
  })
}
