// Takes the values out of Set-Cookie before anyone can keep them; what browsers decide by stays (RFC 6265bis section 5.6).

/** Attributes browsers know. Others may be a piece of a value that held a semicolon, and mean nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  'domain',
  'expires',
  'httponly',
  'max-age',
  'partitioned',
  'path',
  'samesite',
  'secure',
])

/** Attributes that are read: there are eight, and nobody needs each of them eight times. */
const ATTRIBUTES = 64

/** Control characters but HTAB: browsers ignore the whole field then. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/g

/** What a redacted value looks like, so that redacting twice changes nothing. */
const REDACTED = /^<\d{1,10}(?: control| __host-| __secure-)*>$/

/**
 * The field's value with `<octets>` for the cookie's value: `sid=<32>; Path=/; Secure`. Inside the brackets stand also
 * `control` when there was a control character anywhere, and the prefix that the value of a nameless cookie began with
 * (`=<20 __host->`), because browsers refuse those. Attributes stay as written, up to an equals sign in their value.
 */
export function redactSetCookie(field: string): string {
  const [pair = '', ...attributes] = field.replace(CONTROLS, '').split(';', 1 + ATTRIBUTES)
  const equals = pair.indexOf('=')
  const name = equals === -1 ? '' : trim(pair.slice(0, equals))
  const redacted = `${name}=${redactValue(trim(pair.slice(equals + 1)), name === '', CONTROL.test(field))}`
  return [redacted, ...attributes.flatMap(redactAttribute)].join('; ')
}

function redactValue(value: string, nameless: boolean, control: boolean): string {
  if (REDACTED.test(value)) return value
  const prefix = nameless ? prefixOf(value.slice(0, 9).toLowerCase()) : ''
  return `<${Buffer.byteLength(value)}${control ? ' control' : ''}${prefix}>`
}

function prefixOf(start: string): string {
  if (start.startsWith('__host-')) return ' __host-'
  return start === '__secure-' ? ' __secure-' : ''
}

/** Cookies joined into one field by a proxy end up in an attribute's value (`Path=/, token=...`). */
function redactAttribute(attribute: string): string[] {
  const [name = '', first, ...rest] = attribute.split('=')
  if (!KNOWN.has(trim(name).toLowerCase())) return []
  if (first === undefined) return [trim(name)]
  const hidden = rest.length === 0 ? '' : `=${redactValue(trim(rest.join('=')), false, false)}`
  return [`${trim(name)}=${trim(first)}${hidden}`]
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
