// Parses one Set-Cookie field as browsers do (RFC 6265bis section 5.6). The cookie's value was redacted before.
import { type CookiePrefix, readSetCookie, type SetCookieField } from '../../src/engine/plugin.ts'
import { parseCookieDate } from './cookie_date.ts'

/** Maximum octets of name and value together, and of an attribute value; browsers ignore longer ones. */
const PAIR_OCTETS = 4096
const ATTRIBUTE_OCTETS = 1024

/** One Set-Cookie field, without the value of the cookie. */
export interface SetCookie {
  readonly name: string
  /** Why browsers ignore the field before they read its attributes. */
  readonly fault: 'control_character' | 'too_large' | 'empty' | null
  /** The prefix of the name, or of a nameless cookie's value. */
  readonly prefix: CookiePrefix | null
  /** Lower case, without a leading dot; '' and null both mean host only. */
  readonly domain: string | null
  /** Starts with a slash; null means the default path. */
  readonly path: string | null
  /** Milliseconds since the epoch. */
  readonly expires: number | null
  /** Seconds; takes precedence over Expires. */
  readonly max_age: number | null
  readonly secure: boolean
  readonly http_only: boolean
  readonly same_site: 'strict' | 'lax' | 'none' | 'invalid' | null
  readonly partitioned: boolean
}

/** Parses a field. Attributes that browsers ignore are left out. */
export function parseSetCookie(field: string): SetCookie {
  const { name, octets, control, prefix, attributes } = readSetCookie(field)
  const size = Buffer.byteLength(name) + octets
  return {
    name,
    fault: control ? 'control_character' : size > PAIR_OCTETS ? 'too_large' : size === 0 ? 'empty' : null,
    prefix,
    ...readAttributes(attributes),
  }
}

type CookieAttributes = Omit<SetCookie, 'name' | 'fault' | 'prefix'>
type Draft = { -readonly [Name in keyof CookieAttributes]: CookieAttributes[Name] }

/** The last occurrence of each attribute wins (section 5.7). */
function readAttributes(attributes: SetCookieField['attributes']): CookieAttributes {
  const draft: Draft = {
    domain: null,
    path: null,
    expires: null,
    max_age: null,
    secure: false,
    http_only: false,
    same_site: null,
    partitioned: false,
  }
  for (const [attribute, value] of attributes) {
    const name = attribute.toLowerCase()
    if (Object.hasOwn(readers, name) && Buffer.byteLength(value ?? '') <= ATTRIBUTE_OCTETS)
      readers[name]?.(draft, value ?? '')
  }
  return draft
}

/** By attribute name. Invalid values are ignored, except where they reset an attribute to its default. */
const readers: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  domain(draft, value) {
    draft.domain = (value.startsWith('.') ? value.slice(1) : value).toLowerCase()
  },
  path(draft, value) {
    draft.path = value.startsWith('/') ? value : null
  },
  expires(draft, value) {
    draft.expires = parseCookieDate(value) ?? draft.expires
  },
  'max-age'(draft, value) {
    if (/^-?\d+$/.test(value)) draft.max_age = Number(value)
  },
  secure(draft) {
    draft.secure = true
  },
  httponly(draft) {
    draft.http_only = true
  },
  samesite(draft, value) {
    const policy = value.toLowerCase()
    draft.same_site = policy === 'strict' || policy === 'lax' || policy === 'none' ? policy : 'invalid'
  },
  partitioned(draft) {
    draft.partitioned = true
  },
}
