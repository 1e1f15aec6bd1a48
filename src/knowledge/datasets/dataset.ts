// One dataset: where it comes from, its format, its purpose and its terms.
import { type Static, Type } from 'typebox'
import { FEED_CATEGORIES, type FeedCategory, STRENGTHS, type Strength } from './held.ts'

/** `city` is an MMDB with the locations of addresses, `asn` one with their networks. */
export const Use = Type.Enum([
  'feed',
  'popularity',
  'hsts_preload',
  'ct_logs',
  'city',
  'asn',
  'rdap_bootstrap',
  'rdap_bootstrap_ipv4',
  'rdap_bootstrap_ipv6',
])
export type Use = Static<typeof Use>

/** The RDAP services of domains, and of the address space of each IP version. */
export type BootstrapUse = 'rdap_bootstrap' | 'rdap_bootstrap_ipv4' | 'rdap_bootstrap_ipv6'

/** Formats of lists of names and addresses; see `list_format.ts`. */
export type ListFormat = 'names' | 'hosts' | 'adblock' | 'csv' | 'tsv' | 'json_lines' | 'urls' | 'netset'

export interface Dataset {
  /** snake_case; how the configuration and results name it. */
  readonly id: string
  readonly name: string
  readonly use: Use
  /** At most one of the two is set. With neither, the dataset is absent until the configuration names a place. URLs are https. */
  readonly url: string | null
  readonly path: string | null
  readonly format: ListFormat | 'mmdb' | 'json'
  /** For `csv` and `tsv`: the heading of the column to read, or its number from 0. */
  readonly column: string | number
  /** For `json_lines`: the member to read; dots separate nested members. */
  readonly field: string
  /** What the feed lists. */
  readonly about: 'names' | 'addresses' | 'both'
  readonly category: FeedCategory
  /** How much a listing counts against the target. */
  readonly strength: Strength
  readonly refresh_hours: number
  /** Age from which checks ignore a feed or a list. */
  readonly stale_hours: number
  /** Octets, as transferred and after decompression. */
  readonly max_bytes: number
  /** Fewer entries mean that the publisher made a mistake. */
  readonly min_entries: number
  /** The terms of use, in one sentence. */
  readonly terms: string
  /** Why it is off by default; null when it is on. */
  readonly off: string | null
  /** Where a free key comes from and what it would add; null when none is needed. */
  readonly with_key: string | null
}

/** What the configuration and the table of known datasets may say of one. */
export const datasetMembers = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  use: Type.Optional(Use),
  url: Type.Optional(
    Type.String({
      pattern: '^https://[!-~]{1,2000}$',
      description: '`{year}` and `{month}` are replaced by the current ones.',
    }),
  ),
  path: Type.Optional(Type.String({ minLength: 1, description: 'Relative to the configuration file.' })),
  format: Type.Optional(Type.Enum(['names', 'hosts', 'adblock', 'csv', 'tsv', 'json_lines', 'urls', 'netset'])),
  column: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0, maximum: 255 })], {
      description: 'For csv and tsv: its heading, or its number from 0.',
    }),
  ),
  field: Type.Optional(Type.String({ minLength: 1, description: 'For json_lines: `a.b` is b inside a.' })),
  about: Type.Optional(Type.Enum(['names', 'addresses', 'both'])),
  category: Type.Optional(Type.Enum([...FEED_CATEGORIES])),
  strength: Type.Optional(
    Type.Enum([...STRENGTHS], {
      description: 'Weight of a listing as proof; `none` is not a hit.',
    }),
  ),
  refresh_hours: Type.Optional(Type.Number({ minimum: 0.25, maximum: 8_760 })),
  stale_hours: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 87_600,
      description: 'Age at which the answers of a feed become unknown instead of clean.',
    }),
  ),
  max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 * 1024 * 1024 })),
  min_entries: Type.Optional(Type.Integer({ minimum: 1, description: 'A file with fewer entries is rejected.' })),
  terms: Type.Optional(Type.String({ maxLength: 500 })),
}

export type DatasetDefinition = Pick<Dataset, 'id' | 'use'> & Partial<Dataset>

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
  hsts_preload: { format: 'json', refresh_hours: WEEK_HOURS, stale_hours: 13 * WEEK_HOURS, max_bytes: 64 * MEBIBYTE },
  ct_logs: { format: 'json', refresh_hours: WEEK_HOURS, stale_hours: 26 * WEEK_HOURS, max_bytes: 4 * MEBIBYTE },
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

/** Completes an entry of the tables or of the configuration with the defaults of its use. */
export function dataset(definition: DatasetDefinition): Dataset {
  const format = definition.format ?? byUse[definition.use].format ?? 'names'
  return {
    name: definition.id,
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
    with_key: null,
    ...byUse[definition.use],
    ...definition,
    format,
  }
}

/** A dataset cannot be used. The message names it and says why; `reason` is a slug for programs. */
export class UnusableDataset extends Error {
  override readonly name = 'UnusableDataset'
  readonly reason: string
  constructor(message: string, reason = 'unusable') {
    super(message)
    this.reason = reason
  }
}

/** All other errors of a dataset come from the disk. */
export const reasonOf = (error: unknown): string => (error instanceof UnusableDataset ? error.reason : 'disk')
