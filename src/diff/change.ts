// One thing that changed between two checks.
import type { Severity } from './rules.ts'

export interface Change {
  /** Members on the way to what changed: `ssl_info.issuer`. */
  readonly path: string
  readonly severity: Severity
  /** A sentence for people, without a full stop. Values in it may be cut. */
  readonly message: string
  /** Plain data. */
  readonly before: unknown
  readonly after: unknown
}
