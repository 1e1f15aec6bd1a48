// Checks of many targets without a running service, for a run on one machine and for the workers of a queue.
import { systemClock } from '../base/clock.ts'
import { releaseOnError } from '../base/errors.ts'
import { openUpstreamState } from '../store/open_backend.ts'
import { createService, type ServiceOptions } from './service.ts'

/** Nobody waits for a single check. `store` is the URL of the PostgreSQL through which processes share what they know of upstreams; null when they share nothing. */
export async function openRunService(
  store: string | null,
  options: Omit<ServiceOptions, 'upstream_state' | 'patient'>,
) {
  const { upstream_state, close } = await openUpstreamState(store, systemClock)
  const service = await releaseOnError(close, () => createService({ ...options, upstream_state, patient: true }))
  return {
    service,
    async close() {
      await service.close()
      await close()
    },
  }
}
