// A backend with jobs, for the process that is killed and the test that looks at what it left.
import { openBackend } from '../../src/store/open_backend.ts'
import { cacheDefaults, PATIENT_MS } from '../store/backends.ts'

/** `store` is `embedded` or a URL of Redis. */
export const openJobBackend = (store: string, data: string) =>
  openBackend(
    {
      ...{ store: store === 'embedded' ? null : store, data, redis: { command_ms: PATIENT_MS }, cache: cacheDefaults },
      keys: { prefix: 'assay', rotation_hours: 24 },
      jobs: { per_account: 10, days: 7, max_bytes: 2 ** 26 },
    },
    { now: Date.now, monotonic: () => performance.now() },
    () => {},
  )
