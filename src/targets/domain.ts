// The canonical form of a domain name: A-labels in lower case.
import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'

export type Parsed = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly detail: string }

/** Octets of a label and of a whole name (RFC 1035 section 2.3.4, the root's own octet and the first length left out). */
const labelOctets = 63
const nameOctets = 253
/** Characters worth mapping at all: no name of 253 octets is written with more, ignorable characters included. */
const writtenCharacters = 1_024

const useIp = 'The domain is an IP address; use the parameter ip.'
const tooLong = 'The domain is longer than 253 octets.'

/** What a name never holds, the telling faults first. */
const faults: readonly (readonly [pattern: RegExp, detail: string])[] = [
  [/\p{Surrogate}/u, 'The domain is not well-formed Unicode.'],
  [/\p{Control}/u, 'The domain holds a control character.'],
  [/%/, 'The domain is percent-encoded twice.'],
  [/:\/\//, 'The domain is a URL; give the name alone.'],
  [/[/\\?#]/, 'The domain is followed by a path or a query; give the name alone.'],
  [/@/, 'The domain holds user information or is an e-mail address; give the name alone.'],
  [/:/, 'The domain is followed by a port; give the name alone.'],
  [/\*/, 'The domain holds a wildcard; give one name.'],
  [/\s/, 'The domain holds white space.'],
  [/(?![\w.-])[!-~]/, 'The domain holds a character that no domain name has.'],
]

/** Spelled as most are: nothing to map, nothing to refuse before the labels are looked at. */
const plain = /^[a-z0-9._-]+$/

/** A last label of digits or 0x: URL parsers read the whole name as an IPv4 address (WHATWG URL, "ends in a number"). */
const numeric = /^(?:[0-9]+|0x[0-9a-f]*)$/

/**
 * Maps by UTS 46, non-transitional, without its IPv4 step: the mapping is node's URL parser, which reads a name that
 * ends in a number as an address, so a letter is put behind it and taken off again. Null when the name is invalid.
 */
function toAsciiLabels(name: string): string | null {
  const mapped = domainToASCII(`${name}.x`)
  return mapped.endsWith('.x') ? mapped.slice(0, -2) : null
}

function labelFault(label: string): string | null {
  if (label === '') return 'The domain has an empty label.'
  if (label.length > labelOctets) return 'The domain has a label of more than 63 octets.'
  if (!/^[a-z0-9_-]+$/.test(label)) return 'The domain holds a character that no domain name has.'
  if (/^_+$/.test(label)) return 'The domain has a label of underscores only.'
  // "xn--example-" decodes to plain "example": an A-label must be the one spelling of its U-label (RFC 5890 section 2.3.2.1).
  if (label.startsWith('xn--') && toAsciiLabels(domainToUnicode(label)) !== label) {
    return 'The domain has an invalid A-label.'
  }
  if (label.startsWith('-') || label.endsWith('-')) return 'The domain has a label that begins or ends with a hyphen.'
  return null
}

/** What was written as A-labels, or why it is not a name at all. */
function toAscii(written: string): Parsed {
  if (plain.test(written) && !written.includes('xn--')) return { ok: true, value: written }
  if (isIP(written) !== 0 || written.startsWith('[')) return { ok: false, detail: useIp }
  const fault = faults.find(([pattern]) => pattern.test(written))
  if (fault !== undefined) return { ok: false, detail: fault[1] }
  const value = toAsciiLabels(written)
  if (value === null) return { ok: false, detail: 'The domain is not a valid internationalised name (UTS 46).' }
  return { ok: true, value }
}

/**
 * Yields the name in A-labels, lower case, without a final dot (RFC 5890, UTS 46 non-transitional). Nothing is trimmed
 * or guessed but one trailing dot. Linear; never throws.
 */
export function parseDomain(written: string): Parsed {
  if (written.length > writtenCharacters) return { ok: false, detail: tooLong }
  const mapped = toAscii(written)
  if (!mapped.ok) return mapped
  const name = mapped.value.endsWith('.') ? mapped.value.slice(0, -1) : mapped.value
  const labels = name.split('.')
  if (numeric.test(labels.at(-1) ?? '')) return { ok: false, detail: useIp }
  if (name.length > nameOctets) return { ok: false, detail: tooLong }
  for (const label of labels) {
    const detail = labelFault(label)
    if (detail !== null) return { ok: false, detail }
  }
  return { ok: true, value: name }
}

/** Public DNS is not asked about these (RFC 6761 section 6.3). */
const internal = /(?:^|\.)(?:invalid|localhost|local|onion|alt|internal|home\.arpa)$/
/** About these it is, as about any other name (RFC 6761 sections 6.1, 6.2 and 6.5). */
const asked = /(?:^|\.)(?:test|example|in-addr\.arpa|ip6\.arpa)$/

/** Of a canonical name without its final dot. */
export const isSpecialUse = (name: string): boolean => isInternal(name) || asked.test(name)

/** Such a name, or a single label: at most a network of one's own knows it. */
export const isInternal = (name: string): boolean => internal.test(name) || !name.includes('.')
