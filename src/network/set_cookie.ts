// Splits the Set-Cookie field as browsers do (RFC 6265bis section 5.6). Evidence keeps each field without the cookie's
// value: `sid=<32>; Path=/` stands for a value of 32 octets. A redacted field reads like the original. No library: a
// check reports what browsers reject, so it needs the raw attributes in order, duplicates included.

/** Those of RFC 6265bis; `__Http-` and `__Host-Http-` are of its layered successor, and browsers obey them. */
export const cookiePrefixes = ['__Host-Http-', '__Host-', '__Http-', '__Secure-'] as const
export type CookiePrefix = (typeof cookiePrefixes)[number]

export interface SetCookieField {
  readonly name: string
  /** Octets of the value. */
  readonly octets: number
  /** Whether the field contains a control character, so that browsers ignore it. */
  readonly control: boolean
  /** The prefix of the name, or of the value of a nameless cookie, which browsers reject. */
  readonly prefix: CookiePrefix | null
  /** Names and values as written, trimmed. The value is null without an equals sign. */
  readonly attributes: readonly (readonly [name: string, value: string | null])[]
}

/** Maximum attributes per field. Browsers know eight. */
const ATTRIBUTES = 64

/** Control characters except HTAB, which counts as white space. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/g

/**
 * A redacted value: its octets, whether the field contained a control character, and the prefix of a nameless cookie.
 */
const REDACTED_VALUE = /^<(\d{1,10})((?: control| __host-http-| __host-| __http-| __secure-)*)>$/

export function readSetCookie(field: string): SetCookieField {
  const [pair = '', ...attributes] = field.replace(CONTROLS, '').split(';', 1 + ATTRIBUTES)
  const [pairName, rest] = splitAtEquals(pair)
  const [name, value] = rest === null ? ['', pairName] : [pairName, rest]
  const [redaction, octets, marks = ''] = REDACTED_VALUE.exec(value) ?? []
  const start = redaction === undefined ? value : marks.replace(/^(?: control)? /, '')
  return {
    name,
    octets: redaction === undefined ? Buffer.byteLength(value) : Number(octets),
    control: marks.includes('control') || CONTROL.test(field),
    prefix: prefixOf(name === '' ? start : name),
    attributes: attributes.map(splitAtEquals),
  }
}

/** Attributes that browsers know. Others mean nothing and may be part of a value with a semicolon. */
const KNOWN_ATTRIBUTES: ReadonlySet<string> = new Set([
  'domain',
  'expires',
  'httponly',
  'max-age',
  'partitioned',
  'path',
  'samesite',
  'secure',
])

/** Removes the cookie's value and unknown attributes. Redacting twice changes nothing. */
export function redactSetCookie(field: string): string {
  const { name, octets, control, prefix, attributes } = readSetCookie(field)
  const ofValue = name === '' && prefix !== null ? ` ${prefix.toLowerCase()}` : ''
  const pair = `${name}=<${octets}${control ? ' control' : ''}${ofValue}>`
  return [pair, ...attributes.filter(([name]) => KNOWN_ATTRIBUTES.has(name.toLowerCase())).map(redactAttribute)].join(
    '; ',
  )
}

/** Hides what follows a second equals sign: some proxies join cookies into one field (`Path=/, token=...`). */
function redactAttribute([name, value]: SetCookieField['attributes'][number]): string {
  if (value === null) return name
  const [attributeName, attributeValue] = splitAtEquals(value)
  if (attributeValue === null) return `${name}=${attributeName}`
  return `${name}=${attributeName}=${REDACTED_VALUE.test(attributeValue) ? attributeValue : `<${Buffer.byteLength(attributeValue)}>`}`
}

/** Compared without case, as browsers do to protect servers that ignore case (section 5.4). */
function prefixOf(text: string): CookiePrefix | null {
  const start = text.slice(0, 12).toLowerCase()
  return cookiePrefixes.find(prefix => start.startsWith(prefix.toLowerCase())) ?? null
}

function splitAtEquals(text: string): [before: string, after: string | null] {
  const equals = text.indexOf('=')
  return equals === -1 ? [trim(text), null] : [trim(text.slice(0, equals)), trim(text.slice(equals + 1))]
}

/** Removes SP and HTAB only. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
