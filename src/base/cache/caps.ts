// Every cache of the service: what it holds, how much of it, and for how long. docs/capacity.md shows this table.

const MIB = 1024 * 1024
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface CacheCap {
  /** What an entry is, for operators. */
  readonly holds: string
  /** Maximum bytes of all entries together: their keys and serialised values, and 256 for each. */
  readonly octets: number
  /** When the cache exists, or how many a process has, if not always one. */
  readonly each?: string
  /** Lifetimes in milliseconds, by kind of entry; absent when entries live until they are evicted. */
  readonly life_ms?: Readonly<Record<string, number>>
  /** Configuration keys that replace these values. */
  readonly configured?: readonly string[]
}

export const caps = {
  /** Room for 12 000 results of 5 KiB. */
  results: {
    holds: 'results, serialised',
    octets: 64 * MIB,
    life_ms: { complete: HOUR, withheld: 10 * MINUTE, incomplete: MINUTE, not_found: 5 * MINUTE, stale: DAY },
    configured: [
      'cache.max_bytes',
      'cache.complete_seconds',
      'cache.withheld_seconds',
      'cache.incomplete_seconds',
      'cache.not_found_seconds',
    ],
  },
  /** About 14 000. A result that is not remembered is written again, which changes nothing. */
  sightings: { holds: 'which accounts saw which results', octets: 4 * MIB, each: 'with history' },
  /** Some 60 of pages, until the results that they belong to are kept. */
  pictures: { holds: 'pictures of pages', octets: 6 * MIB, life_ms: { usual: MINUTE }, each: 'with a browser' },
  /** At most 1 KiB each: queries of cached results repeat. */
  queries: { holds: 'query strings and their targets', octets: 4 * MIB },
  /** About 16 000. */
  keys: { holds: 'API keys in use', octets: 8 * MIB, life_ms: { usual: SECOND } },
  /** Some 100 jobs of 1 000 names. One that is not remembered is unpacked again. */
  lanes: { holds: 'targets of jobs that run', octets: 8 * MIB },
  /** About 9 000 names with twenty timestamps each. */
  rates: {
    holds: 'times of recent requests per key, client or target',
    octets: 4 * MIB,
    each: 'for each rate limit',
  },
  /** About 3 000. One that is not remembered costs a request more. */
  icons: { holds: 'paths of declared icons by site', octets: MIB },
  /** About 28 000. Registrations change rarely; a free name may be registered at any moment, and then matters. */
  registrations: {
    holds: 'registry data of domains',
    octets: 16 * MIB,
    life_ms: { registered: DAY, free: 5 * MINUTE },
  },
  networks: {
    holds: 'registry data of addresses',
    octets: 16 * MIB,
    life_ms: { registered: DAY, free: 5 * MINUTE },
  },
  /** 10 000 answers of 512 bytes. */
  lookups: {
    holds: 'answers of a third-party API',
    octets: 8 * MIB,
    each: 'for each API',
    life_ms: { usual: HOUR, 'green hosting': DAY },
  },
  /** About 1 000, with their certificates. One provider receives the mail of many domains. */
  mail_servers: { holds: 'responses of mail servers', octets: 8 * MIB, life_ms: { usual: 10 * MINUTE } },
  /** About 1 000 names. The public web uses about 300 intermediates for nearly all of its certificates. */
  intermediates: { holds: 'intermediate certificates of trusted paths', octets: 4 * MIB, life_ms: { usual: 30 * DAY } },
  /** About 2 000 keys: the intermediates and roots of most sites. */
  signatures: { holds: 'signatures checked between certificate authorities', octets: MIB },
  /** More hosts than there are registries. */
  upstreams: { holds: 'health of registries and directories', octets: MIB },
  /** More than there are lists and registries. */
  pauses: { holds: 'pauses of blocklists and registries', octets: MIB },
  allowances: { holds: 'daily allowance used, per blocklist', octets: MIB },
} as const satisfies Readonly<Record<string, CacheCap>>

export type CacheName = keyof typeof caps

export interface TableCap {
  readonly holds: string
  /** Maximum number of entries that are not in use. */
  readonly entries: number
  readonly each?: string
}

/** State per name that is kept while in use and loaded again after eviction. */
export const tables = {
  counters: { holds: 'counts of answers', entries: 50_000 },
  issuer_keys: {
    holds: 'public keys of certificate authorities, 1 KiB each outside the heap',
    entries: 2_000,
  },
  uses: { holds: 'last use of each key, until it is written', entries: 10_000 },
} as const satisfies Readonly<Record<string, TableCap>>

export type TableName = keyof typeof tables
