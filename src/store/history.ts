// The history of results: what a list shows of each, links that share one, and when targets were first checked.
import { randomBytes } from 'node:crypto'
import { isPair, type Target } from '../targets/target.ts'

/** The summary of a result in a list. */
export interface Summary {
  /** As in a log line: a name, an address, or both. */
  readonly target: string
  readonly domain: string | null
  readonly ip: string | null
  /** ISO 8601 in UTC, as in the result. */
  readonly checked_at: string
  readonly risk_score: number
  readonly verdict: string
  readonly recommendation: string
  /** Whether everything applicable was seen. */
  readonly complete: boolean
}

export interface Entry extends Summary {
  readonly result_id: string
  /** False when the result itself was removed to make room; the entry stays until it is too old. */
  readonly kept: boolean
}

export interface ListQuery {
  readonly account: string
  /** All targets when null. */
  readonly target: string | null
  /** Entries checked before this time, in milliseconds. */
  readonly before: number
  /** Also entries of the time `before` that come after this result: many may be checked in the same second. */
  readonly after?: string | null
  readonly limit: number
}

/** A picture of the page of a result. */
export interface KeptPicture {
  /** Its name within the result: `desktop`, `phone`. */
  readonly kind: string
  readonly media_type: string
  readonly body: Buffer
}

/** A link that shows one result to anyone who has it. Only the hash of its token is stored. */
export interface Share {
  readonly id: string
  readonly result_id: string
  readonly created: number
}

export interface OwnedShare extends Share {
  readonly account: string
  readonly target: string
}

/** Links of one account that are kept at once, so that no account fills the store or makes its list too long to read. */
export const MOST_SHARES = 1_000

/** A check of a name or an address, which may be one of a URL of that host. */
export interface Meeting {
  /** As `historyTarget` names it. */
  readonly target: string
  /** The time of the check, in milliseconds. */
  readonly at: number
}

/** The record of one target that was checked before. Times in milliseconds. */
export interface FirstMeeting {
  /** Null when no check of the target is on record. */
  readonly at: number | null
  /** Every target checked at or after this time is on record; earlier ones may have been forgotten. */
  readonly since: number
}

/** Names a share without revealing its token. `tokenHash` is a SHA-256 as base64url. */
export const shareId = (tokenHash: string): string => `share_${tokenHash.slice(0, 12)}`

export interface HistoryLimits {
  /** How long results and entries are kept. */
  readonly life_ms: number
  /** Most bytes of compressed results. */
  readonly octets: number
  /** How long a target stays on record after its last check. */
  readonly met_ms: number
  /** Most targets on record. */
  readonly targets: number
  /** The results that an account can search and read: its own by default, or the results of all accounts. */
  readonly searched?: SearchScope
}

export type SearchScope = 'account' | 'installation'

/** In place of an account, for what everyone may search and read. No account has this name. */
export const EVERYONE = ''

/** Targets on record: some 50 MB. The record then reaches back less far, and says so. */
export const MET_TARGETS = 500_000

/** 128 random bits. */
const ID_OCTETS = 16

/** Never begins with a hyphen, which would make it an option on a command line. */
export function newResultId(): string {
  for (;;) {
    const id = randomBytes(ID_OCTETS).toString('base64url')
    if (!id.startsWith('-')) return id
  }
}

export const isResultId = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)

/**
 * Links carry tokens, so their results are not kept beyond the cache. Checks that did not visit the site, or visited it at
 * an address of the client's choice, are not comparable with the others.
 */
export const isKept = (target: Target): boolean => target.url === null && target.visit && !isPair(target)

type TargetColumns = Pick<Summary, 'domain' | 'ip'>

/** The name of a target in the history; for a URL, its host. */
export const historyTarget = ({ domain, ip }: TargetColumns): string => domain ?? ip ?? ''
