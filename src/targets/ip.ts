// One spelling for every address: dotted quad, or RFC 5952; an IPv4-mapped address is its IPv4 address.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Parsed } from './domain.ts'

const detail =
  'The ip is neither an IPv4 address in dotted decimal nor an IPv6 address, or has a port, prefix, zone or brackets.'

/** Yields the canonical text of an address in its canonical form only: no octal, hexadecimal, short form or zone id. */
export function parseIp(written: string): Parsed {
  if (isIPv4(written)) return { ok: true, value: written }
  if (written.includes('%') || !isIPv6(written)) return { ok: false, detail }
  // The URL parser writes RFC 5952; ipaddr.js alone would read the deprecated "::8.8.8.8" (RFC 4291 section 2.5.5.1) as mapped.
  const canonical = new URL(`http://[${written}]`).hostname.slice(1, -1)
  const address = ipaddr.IPv6.parse(canonical)
  return { ok: true, value: address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : canonical }
}
