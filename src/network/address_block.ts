// Addresses and blocks of addresses (CIDR, RFC 4632 and RFC 4291 section 2.3), as the guard compares them.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A network and its prefix length in bits. */
export type Block = readonly [Address, number]

/**
 * Null for anything but an address without a zone. An IPv4-mapped IPv6 address becomes its IPv4 address, to which the
 * kernel connects.
 */
export function parseAddress(text: string): Address | null {
  const family = text.includes('%') ? 0 : isIP(text)
  // ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4; the hexadecimal groups of a URL are unambiguous.
  if (family === 6) return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
  return family === 4 ? ipaddr.IPv4.parse(text) : null
}

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address; null for anything else. */
export function readBlock(text: string): Block | null {
  const [start = '', prefix, ...rest] = text.split('/')
  const address = parseAddress(start)
  const width = address?.kind() === 'ipv6' ? 128 : 32
  const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return address && bits <= width && rest.length === 0 ? [address, bits] : null
}

/** Throws a `TypeError` for what `readBlock` cannot read. */
export function parseBlock(text: string): Block {
  const block = readBlock(text)
  if (block === null) throw new TypeError(`Invalid address block: ${text}`)
  return block
}

export const contains = ([network, bits]: Block, address: Address): boolean =>
  network.kind() === address.kind() && address.match([network as ipaddr.IPv4 & ipaddr.IPv6, bits])

/**
 * Prefix lengths at which an IPv6 address may embed an IPv4 address, and the octets that hold it (RFC 6052 section
 * 2.2).
 */
const POSITIONS: Readonly<Record<number, readonly number[]>> = {
  32: [4, 5, 6, 7],
  40: [5, 6, 7, 9],
  48: [6, 7, 9, 10],
  56: [7, 9, 10, 11],
  64: [9, 10, 11, 12],
  96: [12, 13, 14, 15],
}

/**
 * The IPv4 addresses that a translator might read from the IPv6 address, for every prefix length; none for an IPv4
 * address.
 */
export function translatedAddresses(text: string): readonly string[] {
  const address = parseAddress(text)
  if (!(address instanceof ipaddr.IPv6)) return []
  const octets = address.toByteArray()
  return Object.values(POSITIONS).map(places => places.map(place => octets[place]).join('.'))
}

const WELL_KNOWN = parseBlock('64:ff9b::/96')

/** The IPv4 address behind a NAT64's well-known prefix (RFC 6052 section 2.1); null for any other address. */
export const behindNat64 = (address: Address): Address | null =>
  contains(WELL_KNOWN, address) ? embeddedAddress(address) : null

/** The address at which a NAT64 with the well-known prefix reaches an IPv4 address. */
export const throughNat64 = (address: string): string => `64:ff9b::${address}`

const SIX_TO_FOUR = parseBlock('2002::/16')

/** The IPv4 address to which a gateway would forward: NAT64 (RFC 6052) and 6to4 (RFC 3056); null otherwise. */
export function embeddedAddress(address: Address): Address | null {
  const at = contains(WELL_KNOWN, address) ? 12 : contains(SIX_TO_FOUR, address) ? 2 : null
  return at === null ? null : ipaddr.fromByteArray(address.toByteArray().slice(at, at + 4))
}
