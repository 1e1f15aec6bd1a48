// What is checked. A target is always canonical: two spellings of one name are one target.

export type TargetKind = 'domain' | 'ip'

export type Target =
  | {
      readonly kind: 'domain'
      /** Lower case, A-labels, no final dot. */
      readonly domain: string
      /** Asked for beside the domain: connections go there. Canonical text. */
      readonly ip: string | null
      /** By the PSL with its private section (`user.github.io`). */
      readonly registrable: string
      /** By the ICANN section alone (`github.io`): who registered it, for RDAP and age. */
      readonly registered: string
    }
  | {
      readonly kind: 'ip'
      readonly domain: null
      readonly ip: string
      readonly registrable: null
      readonly registered: null
    }
