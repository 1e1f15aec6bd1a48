// The tables of the store, the same on SQLite and PostgreSQL. Times are milliseconds since the Unix epoch. Free text is stored
// as JSON in ASCII (`asciiJson`), so every text column is ASCII: a damaged one is found when a file is opened.
import type { ColumnType, Generated } from 'kysely'

/** SQLite has no booleans: 0 or 1. */
type Flag = number
/** Drivers return a `Buffer`. */
type Octets = ColumnType<Buffer, Uint8Array, Uint8Array>

export interface Schema {
  /** What belongs to the installation, by name: the secret that hides URLs, and since when the record of targets is complete. */
  readonly settings: { readonly name: string; readonly value: string }
  readonly accounts: { readonly id: string; readonly plan: string }
  readonly keys: {
    readonly id: string
    readonly account: string
    /** SHA-256 in hex of the key's text, which is not stored. */
    readonly hash: string
    readonly display: string
    /** JSON string. */
    readonly label: string
    readonly created: number
    readonly last_used: number | null
    readonly expires: number | null
    readonly revoked: number | null
  }
  /** Answers of an account by period, as JSON: `Counts` of `quota_rule.ts`. */
  readonly usage: { readonly account: string; readonly counts: string }
  /** Days that have left the counts of an account. */
  readonly usage_days: { readonly account: string; readonly day: number; readonly answers: number }
  /**
   * Results: the shared cache, and the history of those that have an id. One without id is cache only: its name is hashed in
   * `cache_key`, what would tell its target or judgement is null, and it is removed when it can no longer be served.
   */
  readonly stored_results: {
    readonly place: Generated<number>
    readonly id: string | null
    /** SHA-256 as base64url of the key of the cache. */
    readonly cache_key: string
    readonly class: string
    readonly checked_at: number
    /** Until when it is served as a fresh answer. */
    readonly expires_at: number
    /** Until when it decides what is served: a complete result stands in for new ones, unless its name was not found since. */
    readonly useful_until: number
    readonly target: string | null
    readonly domain: string | null
    readonly ip: string | null
    readonly risk_score: number | null
    readonly verdict: string | null
    readonly recommendation: string | null
    /** Whether everything applicable was seen. */
    readonly complete: Flag | null
    /** JSON: a list of objects with `id`, `group` and `points`. */
    readonly signals: string | null
    /** JSON: the facets that searches find it by, a list of `Facet`; null if the body is null. */
    readonly facets: string | null
    /** Size of the body and of its pictures; 0 when they were removed. */
    readonly octets: number
    /** The prepared body, deflated (RFC 1950); null when it was removed to make room. */
    readonly body: Octets | null
  }
  /** Pictures of the page of a result. */
  readonly pictures: {
    readonly result_id: string
    /** As in the result. */
    readonly kind: string
    readonly media_type: string
    readonly body: Octets
  }
  /** Sums that limits are compared with, spread over slots so that writers do not wait for each other: `Total`. */
  readonly totals: { readonly name: string; readonly slot: number; readonly value: number }
  /** Which accounts saw which result. */
  readonly sightings: {
    readonly account: string
    readonly target: string
    readonly checked_at: number
    readonly id: string
  }
  /** What an account finds its results by: a fact of a target, and the latest sighting that shows it. */
  readonly facets: {
    readonly account: string
    readonly target: string
    readonly kind: string
    readonly value: string
    readonly checked_at: number
    readonly id: string
  }
  /** When names and addresses were first and last checked here, by any account. */
  readonly targets: { readonly target: string; readonly first: number; readonly last: number }
  /** Links that show a result to anyone who has them. */
  readonly shares: {
    readonly id: string
    readonly token_hash: string
    readonly account: string
    readonly result_id: string
    readonly created: number
  }
  readonly watches: {
    readonly id: string
    readonly account: string
    readonly created: number
    /** JSON: what its owner chose. */
    readonly terms: string
    /** JSON: what the checks found. */
    readonly state: string
    readonly next_at: number | null
  }
  readonly deliveries: {
    readonly id: string
    readonly watch: string
    readonly account: string
    readonly type: string
    /** JSON: the event. */
    readonly event: string
    readonly created: number
    readonly state: string
    readonly attempt: number
    readonly failed: number
    readonly next_at: number | null
    /** JSON: the last attempt. */
    readonly last: string | null
  }
  readonly jobs: {
    readonly id: string
    readonly account: string
    readonly created: number
    /** JSON: what its owner asked for. */
    readonly terms: string
    readonly status: string
    readonly reason: string | null
    readonly next_at: number | null
    readonly ended: number | null
    readonly stalls: number
    /** How many records there are, by kind. */
    readonly safe: Generated<number>
    readonly suspicious: Generated<number>
    readonly malicious: Generated<number>
    readonly error: Generated<number>
    /** Of the targets and the records, compressed. */
    readonly octets: number
    readonly targets: Octets
  }
  /** The record of one target of a job. It is written in the transaction that counts its answer. */
  readonly job_records: {
    readonly job: string
    readonly line: number
    /** The order in which records were written, from 1, without gaps. */
    readonly ordinal: number
    readonly kind: string
    readonly body: Octets
  }
  /** Targets of bulk runs that workers check for submitters, and their answers. */
  readonly bulk_targets: {
    readonly queue: string
    /** The same for the same target, so that runs share its answer. */
    readonly id: string
    /** JSON: the target as it is parsed again by the worker. */
    readonly target: string
    readonly asked: number
    /** When a worker may take it; null when it has ended. */
    readonly next_at: number | null
    /** Checks begun since it was asked for. */
    readonly attempt: number
    readonly ended: number | null
    /** Until when others may have the answer. */
    readonly expires: number
    /** The scoring policy of the answer. */
    readonly policy: string | null
    /** The answer, compressed. */
    readonly answer: Octets | null
  }
  /** Who runs the work of a store that only one process may run; and the workers of bulk runs. */
  readonly leases: { readonly name: string; readonly holder: string; readonly until: number }
  /** Queries of upstream sources taken today, and pauses, as JSON: `Board` of `allowances.ts`. */
  readonly allowances: { readonly upstream: string; readonly state: string }
  /** Wrong API keys of an address block within the last minute, as JSON: `Guesses` of `wrong_keys.ts`; `at` is the last change. */
  readonly wrong_keys: { readonly client: string; readonly guesses: string; readonly at: number }
}

/** JSON whose characters are all ASCII: others are escaped (RFC 8259 section 7). */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
