// What a name publishes about mail: MX, SPF, DMARC, MTA-STS, TLS-RPT and BIMI.
import type { DnsFailure } from '../../network/resolve.ts'

/** How a question went, without the records: `unknown` has a reason, the others are knowledge. */
export interface Asked {
  readonly status: 'found' | 'no_data' | 'not_found' | 'unknown'
  readonly reason: DnsFailure | null
}

export interface TagList {
  /** The record, made printable. */
  readonly text: string
  /** In order, names in lower case, values without the white space around them; at most 64. */
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  /** Pieces that are no tag, made printable; at most 64. */
  readonly malformed: readonly string[]
}

export interface TaggedRecord extends Asked {
  /** Where it was asked for. */
  readonly name: string
  /** TXT records with the version: more than one count as none for every receiver. */
  readonly count: number
  /** Parsed when there is exactly one. */
  readonly record: TagList | null
}

export interface MailHost {
  readonly preference: number
  /** Lower case; '' is the null MX (RFC 7505). */
  readonly exchange: string
  /** How its address records were found; `not_asked` beyond the first five and for what is no name. */
  readonly status: Asked['status'] | 'not_asked'
  readonly reason: string | null
  /** Written as an address, where only a name may stand. */
  readonly is_address: boolean
  /** CNAMEs passed on the way to the addresses. */
  readonly cnames: readonly string[]
  /** With why the guard would refuse to connect to them. */
  readonly addresses: readonly { readonly address: string; readonly refused: string | null }[]
}

export interface MailExchangers extends Asked {
  /** All there are. */
  readonly total: number
  /** By preference, then by name; at most 50. */
  readonly hosts: readonly MailHost[]
}

/** What is wrong with a term. */
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
  /** As written, made printable. */
  readonly text: string
  readonly kind: 'mechanism' | 'modifier'
  /** Lower case. */
  readonly name: string
  /** Null for modifiers; `+` when none is written. */
  readonly qualifier: '+' | '-' | '~' | '?' | null
  /** The domain spec as written, or an unknown modifier's value; null when there is none. */
  readonly domain: string | null
  /** The address of `ip4` and `ip6`. */
  readonly network: string | null
  /** Prefix lengths as written; null when they are not. */
  readonly prefix4: number | null
  readonly prefix6: number | null
  readonly error: SpfTermError | null
}

export interface SpfRecord {
  /** The record, made printable. */
  readonly text: string
  /** Longer than is read: then there are no terms. */
  readonly too_long: boolean
  readonly terms: readonly SpfTerm[]
}

/** What a term that costs a lookup came to. */
export interface SpfLookup {
  /** Index in the record's terms. */
  readonly term: number
  /** The name asked for; null when it depends on the sender. */
  readonly name: string | null
  /**
   * `void` is NXDOMAIN or no such records (RFC 7208 section 4.6.4). `not_asked` has the reason `depends_on_sender`,
   * `not_a_name` (an empty or overlong label, a character that no question holds) or `limit` (the tree had proven too large).
   */
  readonly status: 'answered' | 'void' | 'unknown' | 'not_asked'
  readonly reason: string | null
  /** Hosts behind an `mx` mechanism; null for others. */
  readonly mx_hosts: number | null
  /** What an `include` or `redirect` leads to, when it was asked for. */
  readonly child: SpfNode | null
}

export interface SpfNode {
  readonly name: string
  /** How its TXT records were found; `loop`: the name is under evaluation on the way here, so it was not asked again. */
  readonly status: Asked['status'] | 'loop'
  readonly reason: string | null
  /** The TXT records with the version section, sorted: one is the record, two are an error; at most 5. */
  readonly candidates: readonly string[]
  /** TXT records that look like SPF to a person and not to a receiver; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. */
  readonly record: SpfRecord | null
  readonly lookups: readonly SpfLookup[]
}

export interface SpfTree {
  readonly root: SpfNode
  /** Terms that cost a lookup when none matches, in the records that were read. */
  readonly lookups: number
  /** Of these, those that found nothing. */
  readonly void_lookups: number
  /** False when the lookups proved too many and the rest was left alone: there may be more than `lookups` says. */
  readonly complete: boolean
}

/** What `_dmarc.<name>` holds. */
export interface DmarcStep extends Asked {
  readonly name: string
  /** TXT records with the version: with more than one, all are discarded. */
  readonly count: number
  /** These, made printable and sorted; at most 5. */
  readonly texts: readonly string[]
  /** TXT records that look like DMARC to a person and not to a receiver; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. */
  readonly record: TagList | null
}

export interface DmarcDiscovery {
  /** In the order of the walk: the name itself, then its parents as far as they were needed. */
  readonly steps: readonly DmarcStep[]
  /** The name whose record applies; null when there is none, or when it cannot be told. */
  readonly applied: string | null
}

export interface ReportAddress {
  readonly tag: 'rua' | 'ruf'
  /** As written, made printable. */
  readonly uri: string
  /** Lower case; null when it is no URI, as with white space in it (RFC 3986 section 2). */
  readonly scheme: string | null
  /** The mail domain of a `mailto:`; null when it has none. */
  readonly host: string | null
  /** The host belongs to another organization, which must agree. */
  readonly external: boolean
  /** It does: `<domain>._report._dmarc.<host>` says so. Null when it need not, was not asked, or did not answer. */
  readonly authorized: boolean | null
}

export interface StsPolicy {
  /** Why there is none: as a fetch fails, `status:<code>` or `truncated`; null when there is. */
  readonly failure: string | null
  readonly content_type: string | null
  /** The first `version`, `mode` and `max_age` (seconds) and all `mx` lines as they are written; null when missing. */
  readonly version: string | null
  readonly mode: string | null
  readonly max_age: string | null
  readonly mx: readonly string[]
}

export interface MtaSts {
  readonly record: TaggedRecord
  /** Fetched only when there is exactly one record. */
  readonly policy: StsPolicy | null
}

export interface Dmarc extends DmarcDiscovery {
  /** Of the record that applies; at most 10 a tag. */
  readonly reports: readonly ReportAddress[]
}

/** All text is printable and bounded; a question that failed says so where its answer would stand. */
export interface MailRecords {
  readonly mx: MailExchangers
  readonly spf: SpfTree
  readonly dmarc: Dmarc
  readonly mta_sts: MtaSts
  readonly tls_rpt: TaggedRecord
  readonly bimi: TaggedRecord
}
