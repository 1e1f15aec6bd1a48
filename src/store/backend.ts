// Everything that the service stores, in one file or in a PostgreSQL that several instances share.
import type { UpstreamState } from '../knowledge/upstreams/state.ts'
import type { Allowances } from './sql/allowances.ts'
import type { Claims } from './sql/claims.ts'
import type { Jobs } from './sql/jobs.ts'
import type { Keys } from './sql/keys.ts'
import type { Queues } from './sql/queues.ts'
import type { Quota } from './sql/quota.ts'
import type { Results } from './sql/results.ts'
import type { Watches } from './sql/watches.ts'
import type { WrongKeys } from './sql/wrong_keys.ts'
import type { MaybeAsync } from './store.ts'

export interface Backend {
  readonly keys: Keys
  readonly quota: Quota
  /** The shared cache, and the history of those results that are kept. */
  readonly results: Results
  /** Whether results are kept for the accounts that saw them. */
  readonly keeps_history: boolean
  /** Who runs which check, over all processes. */
  readonly claims: Claims
  /** Pauses and daily allowances of upstream sources. */
  readonly upstreams: Allowances & UpstreamState
  /** The limit of wrong keys. */
  readonly wrong_keys: WrongKeys
  /** Watches and their deliveries; null when watches are disabled. */
  readonly watches: Watches | null
  /** Jobs and their results; null when jobs are disabled. */
  readonly jobs: Jobs | null
  /** Work that is due at a time. */
  readonly queues: Queues
  /** A slug for why no answer can be counted; null when a write succeeded lately. Takes as long as a write at most; never rejects. */
  fault(): MaybeAsync<string | null>
  /** Writes pending rows, then closes the database. */
  close(): Promise<void>
}
