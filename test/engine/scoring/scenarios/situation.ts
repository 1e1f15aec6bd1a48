// A situation as an analyst would describe it: what a target looks like from outside, and what a sober person makes of it.

import type { Verdict } from '../../../../src/engine/scoring/verdict.ts'
import type { RegistrationFacts } from '../../../../src/evidence/registration/facts.ts'
import type { FeedCategory, Strength } from '../../../../src/knowledge/datasets/held.ts'

/** `good`: MX, SPF and DMARC that reject. `careless`: MX alone. `none`: nothing. `null`: says that it has no mail. */
export type Mail = 'good' | 'careless' | 'none' | 'null'

export type Certificate =
  | 'good'
  | 'new'
  | 'expired'
  | 'self_signed'
  | 'untrusted'
  | 'wrong_name'
  | 'incomplete'
  | 'legacy'
  /** Nothing listens on port 443. */
  | 'refused'
  /** Port 443 says nothing. */
  | 'silent'

export interface Page {
  readonly status?: number
  /** Lines; `HARDENED` in `pages.ts` has those of a careful site. */
  readonly headers?: readonly string[]
  readonly html?: string
  /** Where the visit ends, when not at the target's own root. */
  readonly url?: string
  /** Responses that redirected there. */
  readonly via?: readonly string[]
  /** Why the last redirect was not followed, and where it pointed. */
  readonly stopped?: readonly [reason: string, at: string]
}

export type FeedGiven = readonly [id: string, category: FeedCategory, strength: Strength, about?: 'names' | 'addresses']

export interface Situation {
  /** Completes "is ... for". */
  readonly of: string
  readonly domain?: string
  readonly ip?: string
  /** What the name resolves to; one ordinary address unless given. */
  readonly addresses?: readonly string[]
  readonly mail?: Mail
  /** Why the name leads nowhere, when it does not: it is not there, or cannot be resolved. */
  readonly unresolved?: 'not_found' | 'servfail' | 'cname_loop'
  readonly certificate?: Certificate
  /** `refused`: no port answers; `silent`: neither does the path to them. */
  readonly page?: Page | 'refused' | 'silent'
  /** Days since registration; null when the registry does not tell. */
  readonly age_days?: number | null
  readonly registration?: Partial<RegistrationFacts>
  /** Answers of DNS blocklists by list id; the others list nothing. */
  readonly listed?: Readonly<Record<string, string>>
  /** Feeds that hold the name, or what it resolves to. */
  readonly feeds?: readonly FeedGiven[]
  /** Among the most visited domains. */
  readonly rank?: number
  /** The owner of the address. */
  readonly network?: readonly [asn: number, organization: string]
  /** Reverse names, each with the addresses it leads to. */
  readonly reverse?: Readonly<Record<string, readonly string[]>>
  /** Kinds of evidence that could not be had, or `lists`: every blocklist is silent. */
  readonly silent?: readonly string[]
  readonly verdict: Verdict
  /** Signals by which the verdict is explained: at least these are found. */
  readonly signals: readonly string[]
  /** Signals that would be unjust. */
  readonly never?: readonly string[]
}
