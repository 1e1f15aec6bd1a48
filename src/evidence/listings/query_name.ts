// The names that are asked in a list's zone (RFC 5782 section 2).
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isAskable } from '../../network/dns_name.ts'

/** `1.2.3.4` → `4.3.2.1`; IPv6 as 32 nibbles, the last first (section 2.4). Every address is taken as it is written. */
export function reversedAddress(address: string): string {
  if (isIPv4(address)) return address.split('.').reverse().join('.')
  const octets = ipaddr.IPv6.parse(address).toByteArray()
  return octets
    .flatMap(octet => [octet >> 4, octet & 15])
    .reverse()
    .map(nibble => nibble.toString(16))
    .join('.')
}

/** The IPv4 address inside an IPv4-mapped one, which lists know it by; any other as it is. */
export function unmapped(address: string): string {
  if (isIPv4(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address
}

/** Null when DNS has no room for it: then nobody can be listed by that name. */
export function queryName(subject: string, zone: string): string | null {
  const name = `${subject}.${zone}`
  return isAskable(name) ? name : null
}
