// Addresses, CIDR blocks and ranges as prefixes with a key for table look-ups. Not ipaddr.js alone for
// IPv4: it knows no ranges, reads leading zeros as octal, and takes twice as long.
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Wider blocks would list the address space of a whole registry, which no feed intends. */
const SHORTEST_V4 = 8
const SHORTEST_V6 = 19
/** Bits before the IPv4 address in an IPv4-mapped one (RFC 4291 section 2.5.5.2). */
const MAPPED_BITS = 96
/** Prefixes per range; a valid range needs at most twice its bits. */
const RANGE_PREFIXES = 256

export interface Prefix {
  readonly version: 4 | 6
  readonly length: number
  readonly key: string
}

/** Reads `192.0.2.1`, `192.0.2.0/24`, `192.0.2.1-192.0.2.9`, and the same in IPv6; null when invalid or too wide. */
export function readPrefixes(text: string): readonly Prefix[] | null {
  const dash = text.indexOf('-')
  if (dash > 0) return readRange(text.slice(0, dash).trim(), text.slice(dash + 1).trim())
  const slash = text.indexOf('/')
  const address = slash < 0 ? text : text.slice(0, slash)
  const bits = slash < 0 ? null : text.slice(slash + 1)
  if (bits !== null && !/^\d{1,3}$/.test(bits)) return null
  const v4 = ipv4(address)
  if (v4 !== null) return one(4, prefixOfV4(v4, bits === null ? 32 : Number(bits)))
  const v6 = ipv6(address)
  if (v6 === null) return null
  const length = bits === null ? 128 : Number(bits)
  // Targets and answers have IPv4 addresses in no other form than their own.
  const v6Address = new ipaddr.IPv6([...v6])
  if (v6Address.isIPv4MappedAddress() && length >= MAPPED_BITS)
    return one(4, prefixOfV4(ipv4(v6Address.toIPv4Address().toString()) as number, length - MAPPED_BITS))
  return one(6, prefixOfV6(v6, length))
}

const one = (version: 4 | 6, prefix: Prefix | null): Prefix[] | null =>
  prefix !== null && prefix.length >= (version === 4 ? SHORTEST_V4 : SHORTEST_V6) ? [prefix] : null

/** The prefix of the given length that holds the address; null when it is not an address of the version. */
export function prefixOf(address: string, version: 4 | 6, length: number): Prefix | null {
  if (version === 4) {
    const v4 = ipv4(address)
    return v4 === null ? null : prefixOfV4(v4, length)
  }
  const v6 = ipv6(address)
  return v6 === null ? null : prefixOfV6(v6, length)
}

/** A dotted quad as an unsigned number. Leading zeros are rejected, because some parsers read them as octal. */
function ipv4(text: string): number | null {
  let value = 0
  let octet = -1
  let octets = 0
  for (let at = 0; at <= text.length; at++) {
    const digit = at === text.length ? 46 : text.charCodeAt(at)
    if (digit === 46) {
      if (octet < 0) return null
      value = value * 256 + octet
      octet = -1
      octets++
    } else if (digit >= 48 && digit <= 57) {
      if (octet === 0) return null
      octet = (octet < 0 ? 0 : octet) * 10 + digit - 48
      if (octet > 255) return null
    } else return null
  }
  return octets === 4 ? value : null
}

/** Eight groups of 16 bits. */
function ipv6(text: string): number[] | null {
  if (!text.includes(':') || text.includes('%') || !isIPv6(text)) return null
  return ipaddr.IPv6.parse(text).parts
}

/** Drops the bits beyond the length. */
function prefixOfV4(value: number, length: number): Prefix | null {
  if (length > 32) return null
  const size = 2 ** (32 - length)
  const network = Math.floor(value / size) * size
  return { version: 4, length, key: `4/${length}/${network.toString(36)}` }
}

function prefixOfV6(parts: readonly number[], length: number): Prefix | null {
  if (length > 128) return null
  const maskedParts = parts.map((part, group) => {
    const bits = Math.min(16, Math.max(0, length - group * 16))
    return part & (0xffff << (16 - bits)) & 0xffff
  })
  return { version: 6, length, key: `6/${length}/${maskedParts.map(part => part.toString(36)).join(':')}` }
}

const asNumber = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n)

/** The smallest set of prefixes that covers the range, both ends included. */
function readRange(first: string, last: string): Prefix[] | null {
  const [from4, to4] = [ipv4(first), ipv4(last)]
  if (from4 !== null && to4 !== null) return cover(BigInt(from4), BigInt(to4), 32)
  const [from6, to6] = [ipv6(first), ipv6(last)]
  return from6 === null || to6 === null ? null : cover(asNumber(from6, 16n), asNumber(to6, 16n), 128)
}

function cover(first: bigint, last: bigint, width: 32 | 128): Prefix[] | null {
  const shortest = width === 32 ? SHORTEST_V4 : SHORTEST_V6
  const prefixes: Prefix[] = []
  for (let at = first; at <= last; ) {
    let host = 0
    while (host < width && ((at >> BigInt(host)) & 1n) === 0n && at + (1n << BigInt(host + 1)) - 1n <= last) host++
    const prefix = width === 32 ? prefixOfV4(Number(at), 32 - host) : prefixOfV6(groups(at), 128 - host)
    if (prefix === null || prefix.length < shortest || prefixes.length === RANGE_PREFIXES) return null
    prefixes.push(prefix)
    at += 1n << BigInt(host)
  }
  return prefixes.length > 0 ? prefixes : null
}

const groups = (value: bigint): number[] =>
  Array.from({ length: 8 }, (_, group) => Number((value >> BigInt(112 - group * 16)) & 0xffffn))

/** CIDR notation. */
export function formatPrefix({ version, length, key }: Prefix): string {
  const network = key.slice(key.lastIndexOf('/') + 1)
  if (version === 6) {
    const parts = network.split(':').map(part => Number.parseInt(part, 36))
    return `${new ipaddr.IPv6(parts).toString()}/${length}`
  }
  const value = Number.parseInt(network, 36)
  return `${[24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.')}/${length}`
}
