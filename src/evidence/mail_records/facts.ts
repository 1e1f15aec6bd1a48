// The mail records of a name: MX, SPF, DKIM, DMARC, MTA-STS, TLS-RPT and BIMI.
import type { DnsFailure } from '../../network/resolver.ts'

/** The outcome of a DNS query, without its records. Only `unknown` has a reason. */
export interface QueryOutcome {
  readonly status: 'found' | 'no_data' | 'not_found' | 'unknown'
  readonly reason: DnsFailure | null
}

/** A violation of the standard in a list of tags. */
export interface TagViolation {
  /** `malformed`: not a tag. `repeated`: a tag that appeared before. `letter_case`: a defined name in upper case. */
  readonly kind: 'malformed' | 'repeated' | 'letter_case'
  /** The piece or the name as written, as printable text. */
  readonly text: string
}

export interface TagList {
  /** The record as printable text. */
  readonly text: string
  /** In order, with values trimmed, the first of a repeated one only; at most 64. */
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  /** At most 64. */
  readonly violations: readonly TagViolation[]
  /** Whether receivers use the list in spite of its violations. */
  readonly valid: boolean
}

export interface TaggedRecord extends QueryOutcome {
  /** The name queried. */
  readonly name: string
  /** TXT records with the version. Receivers treat more than one as none. */
  readonly count: number
  /** TXT records that look like one but that receivers ignore; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. */
  readonly record: TagList | null
}

export interface MailHost {
  readonly preference: number
  /** Lower case; '' is the null MX (RFC 7505). */
  readonly exchange: string
  /** The outcome of the address lookup; `not_asked` after the first five hosts and for invalid names. */
  readonly status: QueryOutcome['status'] | 'not_asked'
  readonly reason: string | null
  /** The record holds an address where only a name is allowed. */
  readonly is_address: boolean
  /** CNAMEs followed to the addresses. */
  readonly cnames: readonly string[]
  /** Each with the reason why the guard refuses to connect to it. */
  readonly addresses: readonly { readonly address: string; readonly refused: string | null }[]
}

export interface MailExchangers extends QueryOutcome {
  /** Number of MX records. */
  readonly total: number
  /** By preference, then by name; at most 50. */
  readonly hosts: readonly MailHost[]
}

export type SpfTermError =
  | 'bad_character'
  | 'unknown_mechanism'
  | 'unexpected_argument'
  | 'missing_argument'
  | 'bad_domain'
  | 'bad_address'
  | 'bad_prefix'
  | 'bad_modifier'
  | 'repeated_modifier'

export interface SpfTerm {
  /** As written, as printable text. */
  readonly text: string
  readonly kind: 'mechanism' | 'modifier'
  /** Lower case. */
  readonly name: string
  /** Null for modifiers; `+` when omitted. */
  readonly qualifier: '+' | '-' | '~' | '?' | null
  /** The domain spec as written, or an unknown modifier's value; null when missing. */
  readonly domain: string | null
  /** The address of `ip4` and `ip6`. */
  readonly network: string | null
  /** Prefix lengths as written; null when missing. */
  readonly prefix4: number | null
  readonly prefix6: number | null
  readonly error: SpfTermError | null
}

export interface SpfRecord {
  /** The record as printable text. */
  readonly text: string
  /** The record exceeds the size limit and has no terms. */
  readonly too_long: boolean
  readonly terms: readonly SpfTerm[]
}

/** The result of a term that costs a lookup. */
export interface SpfLookup {
  /** Index in the record's terms. */
  readonly term: number
  /** The name queried; null when it depends on the sender. */
  readonly name: string | null
  /**
   * `void` is NXDOMAIN or no such records (RFC 7208 section 4.6.4). `not_asked` has the reason `depends_on_sender`,
   * `not_a_name` (an empty or overlong label, or an invalid character) or `limit` (the lookup limit was reached).
   */
  readonly status: 'answered' | 'void' | 'unknown' | 'not_asked'
  readonly reason: string | null
  /** Hosts behind an `mx` mechanism; null for others. */
  readonly mx_hosts: number | null
  /** The record an `include` or `redirect` leads to, if it was queried. */
  readonly child: SpfNode | null
}

export interface SpfNode {
  readonly name: string
  /** The outcome of the TXT query; `loop`: the name is already under evaluation on this path and was not queried again. */
  readonly status: QueryOutcome['status'] | 'loop'
  readonly reason: string | null
  /** TXT records with the version section, sorted, at most 5. More than one is an error. */
  readonly candidates: readonly string[]
  /** TXT records that look like SPF but that receivers ignore; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. */
  readonly record: SpfRecord | null
  readonly lookups: readonly SpfLookup[]
}

export interface SpfTree {
  readonly root: SpfNode
  /** Terms that cost a lookup when no term matches, in all records read. */
  readonly lookups: number
  /** Lookups that found nothing. */
  readonly void_lookups: number
  /** False when the walk stopped at the lookup limit: there may be more lookups than counted. */
  readonly complete: boolean
}

/** The records at `_dmarc.<name>`. */
export interface DmarcStep extends QueryOutcome {
  readonly name: string
  /** TXT records with the version. Receivers discard all of them if there is more than one. */
  readonly count: number
  /** These records as printable text, sorted; at most 5. */
  readonly texts: readonly string[]
  /** TXT records that look like DMARC but that receivers ignore; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. Receivers pass over an invalid one. */
  readonly record: TagList | null
}

export interface DmarcDiscovery {
  /** In the order of the walk: the name, then its parents as far as needed. */
  readonly steps: readonly DmarcStep[]
  /** The name with the record that applies; null when there is none or it is unknown. */
  readonly applied: string | null
}

export interface ReportAddress {
  readonly tag: 'rua' | 'ruf'
  /** As written, as printable text. */
  readonly uri: string
  /** Lower case; null for an invalid URI, such as one with white space (RFC 3986 section 2). */
  readonly scheme: string | null
  /** The mail domain of a `mailto:` URI; null when missing. */
  readonly host: string | null
  /** The host belongs to another organization, which must authorize the reports. */
  readonly external: boolean
  /** `<domain>._report._dmarc.<host>` authorizes the reports. Null when not required, not asked, or unanswered. */
  readonly authorized: boolean | null
}

export interface StsPolicy {
  /** Why there is no policy: a fetch failure, `status:<code>` or `truncated`; null when there is one. */
  readonly failure: string | null
  readonly content_type: string | null
  /** The first `version`, `mode` and `max_age` (seconds) and all `mx` lines, as written; null when missing. */
  readonly version: string | null
  readonly mode: string | null
  readonly max_age: string | null
  readonly mx: readonly string[]
  readonly violations: readonly TagViolation[]
  /** Whether senders can parse it, in spite of its violations; true when there is none to parse. */
  readonly valid: boolean
}

/** A pattern is a name, or `*.` and a name, which matches exactly one more label (RFC 8461 section 4.1). */
export function matchesStsPattern(pattern: string, host: string): boolean {
  const lowerPattern = pattern.toLowerCase()
  return lowerPattern.startsWith('*.') ? host.slice(host.indexOf('.')) === lowerPattern.slice(1) : host === lowerPattern
}

export interface MtaSts {
  readonly record: TaggedRecord
  /** Fetched only when there is exactly one record, and that is valid. */
  readonly policy: StsPolicy | null
}

export interface Dmarc extends DmarcDiscovery {
  /** From the record that applies; at most 10 per tag. */
  readonly reports: readonly ReportAddress[]
}

export interface DkimKey {
  readonly type: 'rsa' | 'ed25519'
  /** Of the modulus, or of the whole key. */
  readonly bits: number
}

/** The TXT records at `<selector>._domainkey.<name>`. */
export interface DkimSelector extends QueryOutcome {
  readonly selector: string
  /** The last name that its aliases lead to; null without one. */
  readonly alias: string | null
  /** Records that hold a key, or mean to. Receivers may use any of several. */
  readonly count: number
  /** Parsed when there is exactly one. */
  readonly record: TagList | null
  /** The public key of that record; null when it is empty or cannot be read. */
  readonly key: DkimKey | null
}

export interface Dkim {
  /** There are names below `_domainkey.<name>`. Null when unknown, also where the server answers alike for names that do not exist. */
  readonly has_selectors: boolean | null
  /** Why that is unknown; null otherwise, and where answers do not tell. */
  readonly reason: DnsFailure | null
  /** Those of the selectors asked for that have an answer, an alias or no reply. A wildcard's answers are left out. */
  readonly selectors: readonly DkimSelector[]
}

/** All text is printable and bounded. A failed query is recorded in place of its answer. */
export interface MailRecords {
  readonly mx: MailExchangers
  readonly spf: SpfTree
  readonly dmarc: Dmarc
  readonly mta_sts: MtaSts
  readonly tls_rpt: TaggedRecord
  /** At the name, or when it has none at its organizational domain. */
  readonly bimi: TaggedRecord
  /** Absent in older recordings. */
  readonly dkim?: Dkim
}
