// The entry for a target in the operator's own allow and block lists.

export interface OperatorListing {
  /** The list that names the target; null if neither does. */
  readonly list: 'allow' | 'block' | null
  /** The entry, as written by the operator. */
  readonly entry: string | null
  /** The reason in the operator's words. */
  readonly reason: string | null
  /** When the entry expires (ISO 8601, UTC); null if it does not. */
  readonly expires_at: string | null
}
