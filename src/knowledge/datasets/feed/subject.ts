// The subject of one value of a feed: a host name, one page of it, or addresses. Pure.

import { type Prefix, readPrefixes } from '../../../network/address_prefix.ts'
import { toAsciiLabels } from '../../../targets/domain.ts'
import { withoutWww } from '../../../targets/identity.ts'
import { pathAndQuery, readPage } from '../../../targets/url_expressions.ts'

export type Subject = NameSubject | { readonly prefixes: readonly Prefix[] }

interface NameSubject {
  readonly name: string
  /** Canonical path and query, when the value is the URL of one page; a URL of the front page stands for its host. */
  readonly page?: string
}

/** No value of a feed is longer. */
const LONGEST = 4_096

/**
 * Null when it is neither a host name nor an address. A site is listed by its `www.` too. The URL of a page at an address
 * stands for the address: hosts without a name serve one site.
 */
export function readSubject(text: string): Subject | null {
  if (text.length === 0 || text.length > LONGEST) return null
  const { host, rest } = splitUrl(refang(text))
  if (isNumeric(host)) {
    const prefixes = readPrefixes(withoutPort(host))
    if (prefixes !== null) return { prefixes }
  }
  const subjectName = listedName(withoutPort(host))
  if (subjectName === null) return null
  const name = withoutWww(subjectName)
  const page = rest === '' ? FRONT : pathAndQuery(readPage(rest))
  return page === FRONT ? { name } : { name, page }
}

const FRONT = '/'

/** As it was before somebody made it unusable by accident: `hxxp`, `[.]`, `[:]`. */
const refang = (text: string): string =>
  /^hxxp/i.test(text) || text.includes('[.]') || text.includes('[:]')
    ? text.replace(/^hxxp/i, 'http').replaceAll('[.]', '.').replaceAll('[:]', ':')
    : text

/** The authority (RFC 3986 section 3.2) without the user, and what follows it. Like in browsers, a backslash ends it too. */
function splitUrl(text: string): { readonly host: string; readonly rest: string } {
  const scheme = text.indexOf('://')
  if (scheme < 0) return { host: text, rest: '' }
  const url = text.slice(scheme + 3)
  const end = url.search(/[/?#\\]/)
  const authority = end < 0 ? url : url.slice(0, end)
  return { host: authority.slice(authority.lastIndexOf('@') + 1), rest: end < 0 ? '' : url.slice(end) }
}

/** Whether the text can be an address, so that most names skip the attempt. */
const isNumeric = (host: string): boolean => {
  const first = host.charCodeAt(0)
  return (first >= 48 && first <= 57) || first === 91 || host.includes(':')
}

/** The host of `[2001:db8::1]:80`, `192.0.2.1:80` and `name:80`; a bare IPv6 address has more colons. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1).split(']', 1)[0] ?? ''
  const colon = host.indexOf(':')
  return colon >= 0 && colon === host.lastIndexOf(':') ? host.slice(0, colon) : host
}

/** RFC 1035 section 3.1, less the final dot. */
const LONGEST_NAME = 253
/** At least two labels of letters, digits, hyphens and underscores; the last is not a number. So neither a TLD nor an address matches. */
const NAME_SHAPE = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The host name of a feed entry as A-labels in lower case, without a wildcard or a final dot; null when it is not a host name. */
function listedName(text: string): string | null {
  if (text.length > LONGEST_NAME + 3) return null
  let name = text.toLowerCase()
  if (name.startsWith('*.')) name = name.slice(2)
  else if (name.startsWith('.')) name = name.slice(1)
  if (name.endsWith('.')) name = name.slice(0, -1)
  if (NAME_SHAPE.test(name)) return name.length <= LONGEST_NAME ? name : null
  if (!/[^\0-\x7f]/.test(name)) return null
  const ascii = toAsciiLabels(name) ?? ''
  return ascii.length <= LONGEST_NAME && NAME_SHAPE.test(ascii) ? ascii : null
}
