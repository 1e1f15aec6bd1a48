// What is known of one dataset: where it comes from, how it is written, what it is for and who may use it.
import type { FeedCategory } from '../evidence/feeds.ts'
import type { Strength } from '../evidence/listings/block_list.ts'

/** `city` is any MMDB that places addresses, `asn` any that names their networks. */
export type Use = 'feed' | 'popularity' | 'city' | 'asn' | BootstrapUse

/** Of domains, and of the address space of each version of IP. */
export type BootstrapUse = 'rdap_bootstrap' | 'rdap_bootstrap_ipv4' | 'rdap_bootstrap_ipv6'

/** How lists of names and addresses are written; see `format/`. */
export type ListFormat = 'names' | 'hosts' | 'adblock' | 'csv' | 'tsv' | 'json_lines' | 'urls' | 'netset'

export interface Dataset {
  /** snake_case; how the configuration and results name it. */
  readonly id: string
  readonly name: string
  readonly use: Use
  /** One of the two, or none: such a dataset is absent until the configuration says where it is. https only. */
  readonly url: string | null
  readonly path: string | null
  readonly format: ListFormat | 'mmdb' | 'json'
  /** Of `csv` and `tsv`: the heading of the column that is read, or its number from 0. */
  readonly column: string | number
  /** Of `json_lines`: the member that is read, dots leading inward. */
  readonly field: string
  /** What the feed can be asked about. */
  readonly about: 'names' | 'addresses' | 'both'
  readonly category: FeedCategory
  /** What a listing is worth against the target. */
  readonly strength: Strength
  readonly refresh_hours: number
  /** Age from which a feed or list says nothing any more: silence of its publisher is no news. */
  readonly stale_hours: number
  /** Octets, as transferred and after decompression. */
  readonly max_bytes: number
  /** Fewer are taken for a fault of the publisher's. */
  readonly min_entries: number
  /** Who may use it, in a sentence. */
  readonly terms: string
  /** Why it is not used unless the operator says so; null when it is. */
  readonly off: string | null
}

export type Written = Pick<Dataset, 'id' | 'use'> & Partial<Dataset>

const MEBIBYTE = 1024 * 1024
const WEEK_HOURS = 168

const bootstrap: Partial<Dataset> = {
  format: 'json',
  refresh_hours: 24,
  stale_hours: 8 * WEEK_HOURS,
  max_bytes: 4 * MEBIBYTE,
}

const byUse: Readonly<Record<Use, Partial<Dataset>>> = {
  feed: { format: 'names', refresh_hours: 24, stale_hours: WEEK_HOURS, max_bytes: 64 * MEBIBYTE },
  popularity: { format: 'csv', refresh_hours: WEEK_HOURS, stale_hours: 8 * WEEK_HOURS, max_bytes: 128 * MEBIBYTE },
  city: { format: 'mmdb', refresh_hours: WEEK_HOURS, stale_hours: 26 * WEEK_HOURS, max_bytes: 512 * MEBIBYTE },
  asn: { format: 'mmdb', refresh_hours: WEEK_HOURS, stale_hours: 26 * WEEK_HOURS, max_bytes: 512 * MEBIBYTE },
  rdap_bootstrap: bootstrap,
  rdap_bootstrap_ipv4: bootstrap,
  rdap_bootstrap_ipv6: bootstrap,
}

const aboutBy: Partial<Record<Dataset['format'], Dataset['about']>> = {
  names: 'names',
  hosts: 'names',
  adblock: 'names',
  netset: 'addresses',
}

/** An entry of the tables or the configuration, which leave out what is usual. */
export function dataset(written: Written): Dataset {
  const format = written.format ?? byUse[written.use].format ?? 'names'
  return {
    name: written.id,
    url: null,
    path: null,
    column: 0,
    field: '',
    about: aboutBy[format] ?? 'both',
    category: 'unknown',
    strength: 'moderate',
    refresh_hours: WEEK_HOURS,
    stale_hours: WEEK_HOURS,
    max_bytes: 64 * MEBIBYTE,
    min_entries: 1,
    terms: 'the operator’s own',
    off: null,
    ...byUse[written.use],
    ...written,
    format,
  }
}
