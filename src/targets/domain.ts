// The canonical form of a domain name: A-labels in lower case.
import { isIP } from 'node:net'
import { toASCII } from 'tr46'

export type ParsedText = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly detail: string }

/** Octets of a label and of a whole name (RFC 1035 section 2.3.4, without the first length octet and the root). */
const LABEL_OCTETS = 63
const NAME_OCTETS = 253
/** Characters that are mapped at most: enough for every name of 253 octets, also decomposed or with ignorable characters. */
const MAX_CHARACTERS = 512

export const USE_IP = 'The domain is an IP address; use the parameter ip.'
const BAD_CHARACTER = 'The domain contains a character that is not allowed in domain names.'
const NOT_UTS46 = 'The domain is not a valid internationalized name (UTS 46).'
const TOO_LONG = 'The domain is longer than 253 octets.'

/** What a name must not contain, the most telling fault first. */
const FAULTS: readonly (readonly [pattern: RegExp, detail: string])[] = [
  [/\p{Surrogate}/u, 'The domain is not well-formed Unicode.'],
  [/\p{Control}/u, 'The domain contains a control character.'],
  [/%/, 'The domain is percent-encoded twice.'],
  [/:\/\//, 'The domain is a URL; enter only the name.'],
  [/[/\\?#]/, 'The domain is followed by a path or a query; enter only the name.'],
  [/@/, 'The domain contains user information or is an email address; enter only the name.'],
  [/:/, 'The domain is followed by a port; enter only the name.'],
  [/\*/, 'The domain contains a wildcard; enter one name.'],
  [/\s/, 'The domain contains white space.'],
  [/(?![\w.-])[!-~]/, BAD_CHARACTER],
]

/** The spelling of most names: nothing to map, and nothing to reject before the labels are checked. */
const PLAIN_NAME = /^[a-z0-9._-]+$/

/**
 * A last label of digits or 0x: URL parsers read the whole name as an IPv4 address (WHATWG URL, "ends in a number").
 */
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/

/**
 * Maps to A-labels by UTS 46, non-transitional; null when a label is invalid. By a library and not by `node:url`, whose answers
 * follow the Unicode tables of the Node version, and which validates no A-labels from Node 24 on. The Bidi rule (RFC 5893 section
 * 2) is left to `isALabel`: here it would also refuse `1.` before a right-to-left label, which URL parsers accept.
 */
export const toAsciiLabels = (name: string): string | null =>
  name.normalize('NFKC').length > MAX_CHARACTERS ? null : toASCII(name, { checkJoiners: true })

/** Whether it is the only spelling of its U-label (RFC 5890 section 2.3.2.1). */
const isALabel = (label: string): boolean => toASCII(label, { checkJoiners: true, checkBidi: true }) === label

function labelFault(label: string): string | null {
  if (label === '') return 'The domain has an empty label.'
  if (label.length > LABEL_OCTETS) return 'The domain has a label of more than 63 octets.'
  if (!/^[a-z0-9_-]+$/.test(label)) return BAD_CHARACTER
  if (/^_+$/.test(label)) return 'The domain has a label of underscores only.'
  if (label.startsWith('xn--') && !isALabel(label)) return NOT_UTS46
  if (label.startsWith('-') || label.endsWith('-')) return 'The domain has a label that begins or ends with a hyphen.'
  return null
}

/** The name as A-labels, or the fault. */
function toAscii(text: string): ParsedText {
  if (PLAIN_NAME.test(text) && !text.includes('xn--')) return { ok: true, value: text }
  if (isIP(text) !== 0 || text.startsWith('[')) return { ok: false, detail: USE_IP }
  const fault = FAULTS.find(([pattern]) => pattern.test(text))
  if (fault !== undefined) return { ok: false, detail: fault[1] }
  const value = toAsciiLabels(text)
  if (value === null) return { ok: false, detail: NOT_UTS46 }
  return { ok: true, value }
}

/**
 * Returns the name in A-labels, lower case, without a final dot (RFC 5890, UTS 46 non-transitional). Trims nothing but
 * one trailing dot. Runs in linear time; never throws.
 */
export function parseDomain(text: string): ParsedText {
  if (text.length > MAX_CHARACTERS) return { ok: false, detail: TOO_LONG }
  const asciiText = toAscii(text)
  if (!asciiText.ok) return asciiText
  const name = asciiText.value.endsWith('.') ? asciiText.value.slice(0, -1) : asciiText.value
  const labels = name.split('.')
  if (NUMERIC_LABEL.test(labels.at(-1) ?? '')) return { ok: false, detail: USE_IP }
  if (name.length > NAME_OCTETS) return { ok: false, detail: TOO_LONG }
  for (const label of labels) {
    const detail = labelFault(label)
    if (detail !== null) return { ok: false, detail }
  }
  return { ok: true, value: name }
}

/**
 * Special-use names that are never looked up in public DNS (RFC 6761 and its registry, RFC 8375, RFC 9476, ICANN's
 * `internal`).
 */
const INTERNAL_SUFFIXES = /(?:^|\.)(?:invalid|localhost|local|onion|alt|internal|home\.arpa)$/
/** Special-use names that are looked up like any other name (RFC 6761 sections 6.1, 6.2 and 6.5). */
const LOOKED_UP_SUFFIXES = /(?:^|\.)(?:test|example|in-addr\.arpa|ip6\.arpa)$/

/** Expects a canonical name without its final dot. */
export const isSpecialUse = (name: string): boolean => isInternal(name) || LOOKED_UP_SUFFIXES.test(name)

/** Whether at most a private network knows the name: a special-use name, or a single label. */
export const isInternal = (name: string): boolean => INTERNAL_SUFFIXES.test(name) || !name.includes('.')
