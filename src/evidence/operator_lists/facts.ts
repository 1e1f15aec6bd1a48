// What the operator's own allow and block lists say of a target.

export interface OperatorListing {
  /** The list that names the target; null when neither does. */
  readonly list: 'allow' | 'block' | null
  /** The entry, as the operator wrote it. */
  readonly entry: string | null
  /** Why it is there, in the operator's words. */
  readonly reason: string | null
  /** From when the entry no longer counts (ISO 8601, UTC); null for one that stays. */
  readonly expires_at: string | null
}
