// Finds the RDAP service for a domain or an address in IANA's bootstrap files (RFC 9224). Pure.
import { isIPv6 } from 'node:net'
import { asList, asRecord, asText, parseJson } from '../../base/untrusted_json.ts'
import { prefixOf } from '../../network/address_prefix.ts'

export interface Bootstrap {
  /** When the file was published, as written. */
  readonly publication: string | null
  /** Base URLs by key: a domain suffix (lower case, A-labels; `''` is the default for all names) or an address prefix. */
  readonly services: ReadonlyMap<string, readonly string[]>
}

/** Ten times what IANA lists today. */
const SERVICES = 20_000
const ENTRIES = 20_000
/** Base URLs of one service; most have one. */
const BASES = 4

/** Returns the key of a bootstrap entry, or null for an invalid entry. */
export type EntryKey = (entry: string) => string | null

/** For the domain name file (section 4). */
export const domainEntry: EntryKey = entry => (entry.includes('/') ? null : entry.toLowerCase().replace(/\.$/, ''))

/** For the address space files (section 5), each with the CIDR blocks of one IP version. */
export const blockEntry =
  (version: 4 | 6): EntryKey =>
  entry => {
    const [, address = '', length] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? []
    return prefixOf(address, version, Number(length))?.key ?? null
  }

/** Null for text that is not a bootstrap file or lists no usable service: the caller then keeps the previous file. */
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

/** The base URLs for a domain in order of preference (RFC 9224 section 3: https before http); empty when there are none. */
export const rdapBases = ({ services }: Bootstrap, domain: string): readonly string[] =>
  closestSuffix(services, domain) ?? []

/** The value for a name or for its closest ancestor, label by label (RFC 9224 section 4). `''` is the root. */
export function closestSuffix<Value>(table: ReadonlyMap<string, Value>, name: string): Value | null {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  for (let at = 0; at <= labels.length; at++) {
    const entry = table.get(labels.slice(at).join('.'))
    if (entry !== undefined) return entry
  }
  return null
}

/** The base URLs for an address, by longest matching prefix (section 5). */
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

/** The query for a domain (RFC 9082 section 3.1.3); the base URL may or may not end in a slash. */
export const domainQuery = (base: string, domain: string): string =>
  `${base}${base.endsWith('/') ? '' : '/'}domain/${encodeURIComponent(domain)}`

/** One URL, or none if it is unusable: only default ports are dialled. */
function baseUrl(value: unknown): string[] {
  if (typeof value !== 'string' || !URL.canParse(value)) return []
  const { protocol, port, username, search, hash, href } = new URL(value)
  const plain = port === '' && username === '' && search === '' && hash === ''
  return plain && /^https?:$/.test(protocol) && isEncoded(href) ? [href] : []
}

/** Every `%` starts an encoded octet (RFC 3986 section 2.1); `URL` does not enforce this. */
const isEncoded = (href: string): boolean => !/%(?![0-9a-f]{2})/i.test(href)

const secureFirst = (bases: readonly string[]): readonly string[] =>
  bases.toSorted((a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')))
