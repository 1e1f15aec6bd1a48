// Which RDAP service knows a domain or an address: IANA's bootstrap files (RFC 9224), read and looked up. Pure.
import { isIPv6 } from 'node:net'
import { prefixOf } from '../../network/address_prefix.ts'
import { closest } from './closest.ts'
import { asList, asRecord, asText, parseJson } from './json_value.ts'

export interface Bootstrap {
  /** When the file was published, as written. */
  readonly publication: string | null
  /** Base URLs by entry: a TLD or a name below one, lower case, A-labels, where `''` is the default for all; or a prefix. */
  readonly services: ReadonlyMap<string, readonly string[]>
}

/** Ten times what IANA lists today. */
const SERVICES = 20_000
const ENTRIES = 20_000
/** Base URLs of one service; most have one. */
const BASES = 4

/** How an entry of a file is known in its table; null for what is none of it. */
export type EntryKey = (entry: string) => string | null

/** Of the file for domain names (section 4). */
export const domainEntry: EntryKey = entry => (entry.includes('/') ? null : entry.toLowerCase().replace(/\.$/, ''))

/** Of the files for address space (section 5), which hold CIDR blocks of one version of IP. */
export const blockEntry =
  (version: 4 | 6): EntryKey =>
  entry => {
    const [, address = '', length] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? []
    return prefixOf(address, version, Number(length))?.key ?? null
  }

/** Null when the text is no such bootstrap file, or names no service that could be asked: what was known before is better then. */
export function parseBootstrap(text: string, keyOf: EntryKey = domainEntry): Bootstrap | null {
  const file = asRecord(parseJson(text))
  const services = new Map<string, readonly string[]>()
  for (const service of asList(file?.['services'], SERVICES)) {
    const [entries, urls] = asList(service, 2)
    const bases = asList(urls, BASES).flatMap(url => baseUrl(url))
    if (bases.length === 0) continue
    for (const entry of asList(entries, ENTRIES)) {
      const key = typeof entry === 'string' ? keyOf(entry) : null
      if (key !== null) services.set(key, secureFirst(bases))
    }
  }
  return services.size > 0 ? { publication: asText(file?.['publication']), services } : null
}

/** Where to ask about the domain, in order of preference (RFC 9224 section 3: https before http); empty when nowhere. */
export const rdapBases = ({ services }: Bootstrap, domain: string): readonly string[] => closest(services, domain) ?? []

/** Where to ask about the address: of the longest prefix that holds it (section 5). */
export function networkBases({ services }: Bootstrap, ip: string): readonly string[] {
  const [version, bits] = isIPv6(ip) ? ([6, 128] as const) : ([4, 32] as const)
  for (let length = bits; length >= 0; length--) {
    const bases = services.get(prefixOf(ip, version, length)?.key ?? '')
    if (bases !== undefined) return bases
  }
  return []
}

/** The query for the network of a canonical address (RFC 9082 section 3.1.1). */
export const networkQuery = (base: string, ip: string): string => `${base}${base.endsWith('/') ? '' : '/'}ip/${ip}`

/** The query for a domain (RFC 9082 section 3.1.3) below a base URL, which may or may not end in a slash. */
export const domainQuery = (base: string, domain: string): string =>
  `${base}${base.endsWith('/') ? '' : '/'}domain/${encodeURIComponent(domain)}`

/** A list of one, or of none when no query could be made of it: other ports are never dialled. */
function baseUrl(written: unknown): string[] {
  if (typeof written !== 'string' || !URL.canParse(written)) return []
  const { protocol, port, username, search, hash, href } = new URL(written)
  const plain = port === '' && username === '' && search === '' && hash === ''
  return plain && /^https?:$/.test(protocol) && isEncoded(href) ? [href] : []
}

/** Every `%` begins an encoded octet (RFC 3986 section 2.1), which `URL` does not insist on. */
const isEncoded = (href: string): boolean => !/%(?![0-9a-f]{2})/i.test(href)

const secureFirst = (bases: readonly string[]): readonly string[] =>
  bases.toSorted((a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')))
