// One Set-Cookie field as browsers parse it (RFC 6265bis section 5.6). The value is measured and forgotten; evidence
// carries its measure in its place: `sid=<32>`, `sid=<9 control>`, and for a nameless cookie `=<12 __host->`.
import { parseCookieDate } from './cookie_date.ts'

/** Octets of name and value together, and of an attribute's value, beyond which browsers ignore the cookie or the attribute. */
const PAIR_OCTETS = 4096
const ATTRIBUTE_OCTETS = 1024
/** Attributes that are read: there are eight, and nobody needs each of them eight times. */
const ATTRIBUTES = 64

export interface SetCookie {
  readonly name: string
  /** Why browsers ignore the field before they look at its attributes. */
  readonly fault: 'control_character' | 'too_large' | 'empty' | null
  /** Of the name, else of a nameless cookie's value. */
  readonly prefix: '__Host-' | '__Secure-' | null
  /** Lower case, without a leading dot; '' and null mean the host alone. */
  readonly domain: string | null
  /** Begins with a slash; null means the default path. */
  readonly path: string | null
  /** Milliseconds since the epoch. */
  readonly expires: number | null
  /** Seconds; before Expires. */
  readonly max_age: number | null
  readonly secure: boolean
  readonly http_only: boolean
  readonly same_site: 'strict' | 'lax' | 'none' | 'invalid' | null
  readonly partitioned: boolean
}

const REDACTED = /^<(\d{1,10})((?: control| __host-| __secure-)*)>$/
/** But HTAB, which is a blank. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/g

export function parseSetCookie(field: string): SetCookie {
  const [pair = '', ...attributes] = field.replace(CONTROLS, '').split(';', 1 + ATTRIBUTES)
  const equals = pair.indexOf('=')
  const name = equals === -1 ? '' : trim(pair.slice(0, equals))
  const value = measure(trim(pair.slice(equals + 1)))
  const octets = Buffer.byteLength(name) + value.octets
  const control = value.control || CONTROL.test(field)
  return {
    name,
    fault: control ? 'control_character' : octets > PAIR_OCTETS ? 'too_large' : octets === 0 ? 'empty' : null,
    prefix: prefixOf(name === '' ? value.start : name),
    ...readAttributes(attributes),
  }
}

/** What matters of a value: its size, and how it begins. */
function measure(value: string): { octets: number; control: boolean; start: string } {
  const [redacted, octets, marks = ''] = REDACTED.exec(value) ?? []
  if (redacted === undefined) return { octets: Buffer.byteLength(value), control: false, start: value.slice(0, 9) }
  return { octets: Number(octets), control: marks.includes('control'), start: marks.replace(/^ (?:control )?/, '') }
}

/** Compared without case, so that servers which do so are protected too (section 5.4). */
function prefixOf(text: string): SetCookie['prefix'] {
  const start = text.slice(0, 9).toLowerCase()
  return start.startsWith('__host-') ? '__Host-' : start === '__secure-' ? '__Secure-' : null
}

type Attributes = Omit<SetCookie, 'name' | 'fault' | 'prefix'>
type Draft = { -readonly [Name in keyof Attributes]: Attributes[Name] }

/** The last of each attribute wins (section 5.7). */
function readAttributes(attributes: readonly string[]): Attributes {
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
  for (const attribute of attributes) {
    const equals = attribute.indexOf('=')
    const name = trim(equals === -1 ? attribute : attribute.slice(0, equals)).toLowerCase()
    const value = equals === -1 ? '' : trim(attribute.slice(equals + 1))
    if (Object.hasOwn(readers, name) && Buffer.byteLength(value) <= ATTRIBUTE_OCTETS) readers[name]?.(draft, value)
  }
  return draft
}

/** By the attribute's name; values that are not understood change nothing, but for those that reset to a default. */
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

/** SP and HTAB only. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
