// What one value of a feed is about: a host name, or addresses. URLs stand for their host. Pure.
import { type Prefix, readPrefixes } from '../../network/address_prefix.ts'
import { listedName } from './listed_name.ts'

export type Subject = { readonly name: string } | { readonly prefixes: readonly Prefix[] }

/** A feed writes plain values; what is longer is none. */
const LONGEST = 4_096

/** Null when it is neither a name nor an address that a feed could mean. */
export function readSubject(text: string): Subject | null {
  if (text.length === 0 || text.length > LONGEST) return null
  const scheme = text.indexOf('://')
  const host = scheme < 0 ? text : hostOf(text.slice(scheme + 3))
  if (isNumeric(host)) {
    const prefixes = readPrefixes(withoutPort(host))
    if (prefixes !== null) return { prefixes }
  }
  const name = listedName(withoutPort(host))
  return name === null ? null : { name }
}

/** Addresses begin so; most names do not, and need not be tried. */
const isNumeric = (host: string): boolean => {
  const first = host.charCodeAt(0)
  return (first >= 48 && first <= 57) || first === 91 || host.includes(':')
}

/** Authority (RFC 3986 section 3.2) without user and port; where a browser ends it, also at a backslash. */
function hostOf(rest: string): string {
  const [authority = ''] = rest.split(/[/?#\\]/, 1)
  return authority.slice(authority.lastIndexOf('@') + 1)
}

/** `[2001:db8::1]:80`, `192.0.2.1:80` and `name:80`; a bare IPv6 address has more colons. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1).split(']', 1)[0] ?? ''
  const colon = host.indexOf(':')
  return colon >= 0 && colon === host.lastIndexOf(':') ? host.slice(0, colon) : host
}
