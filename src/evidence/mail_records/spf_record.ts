// Parses an SPF record into terms and reports what is wrong with each (RFC 7208 section 4.6).
import ipaddr from 'ipaddr.js'
import { readable, VALUE_CHARACTERS } from './dns_records.ts'
import type { SpfRecord, SpfTerm, SpfTermError } from './facts.ts'
import { parseDomainSpec, parseMacroString } from './spf_macro.ts'

/** Longest record that is parsed. RFC 7208 section 3.4 recommends 450 octets; the longest in real use have about 4000. */
const RECORD_OCTETS = 8_192

/** The text starts with the version section, followed by a space or the end (RFC 7208 section 4.5). */
export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)

/** Looks like SPF, but receivers ignore it: white space before it, or no space after the version. */
export const resemblesSpf = (text: string): boolean => !isSpf(text) && /^\s{0,16}"?v\s?=\s?spf/i.test(text)

/** Parses the whole record: an error anywhere makes it invalid for every sender. Linear; never throws. */
export function parseSpf(text: string): SpfRecord {
  if (text.length > RECORD_OCTETS) return { text: readable(text), too_long: true, terms: [] }
  const modifierNames = new Set<string>()
  const terms = text
    .split(' ')
    .slice(1)
    .filter(term => term !== '')
    .map(parseTerm)
    .map(term => (isRepeated(term, modifierNames) ? { ...term, error: 'repeated_modifier' as const } : term))
  return { text: readable(text), too_long: false, terms }
}

/** `redirect` and `exp` may each appear once (RFC 7208 section 6). */
function isRepeated(term: SpfTerm, names: Set<string>): boolean {
  if (term.kind !== 'modifier' || (term.name !== 'redirect' && term.name !== 'exp')) return false
  if (names.has(term.name)) return true
  names.add(term.name)
  return false
}

/** Mechanisms that cost a DNS lookup (RFC 7208 section 4.6.4). */
const LOOKUP_MECHANISMS = new Set(['include', 'a', 'mx', 'ptr', 'exists'])

/**
 * The indexes of terms that are looked up when no earlier term matches: none in a record with an error, none after
 * `all`, and `redirect` only without `all` (RFC 7208 sections 5.1 and 6.1).
 */
export function lookupTerms({ too_long, terms }: SpfRecord): number[] {
  if (too_long || terms.some(term => term.error !== null)) return []
  const all = terms.findIndex(term => term.kind === 'mechanism' && term.name === 'all')
  const mechanisms = terms.flatMap(({ kind, name }, index) =>
    kind === 'mechanism' && LOOKUP_MECHANISMS.has(name) && (all < 0 || index < all) ? [index] : [],
  )
  const redirect = terms.findIndex(term => term.kind === 'modifier' && term.name === 'redirect')
  return all < 0 && redirect >= 0 ? [...mechanisms, redirect] : mechanisms
}

type Argument = Pick<SpfTerm, 'domain' | 'network' | 'prefix4' | 'prefix6' | 'error'>

/** The longest IPv6 address: `ffff:` six times and a dotted quad. */
const ADDRESS_CHARACTERS = 45

const none: Argument = { domain: null, network: null, prefix4: null, prefix6: null, error: null }
const wrong = (error: SpfTermError): Argument => ({ ...none, error })

/** Parsers of the text after the mechanism's name, including its `:` or `/`. */
const mechanisms = new Map<string, (rest: string) => Argument>([
  ['all', rest => (rest === '' ? none : wrong('unexpected_argument'))],
  ['include', domain],
  ['exists', domain],
  ['a', hosts],
  ['mx', hosts],
  ['ptr', rest => (rest === '' ? none : domain(rest))],
  ['ip4', rest => network(rest, 'prefix4', ipaddr.IPv4.isValidFourPartDecimal)],
  ['ip6', rest => network(rest, 'prefix6', text => !text.includes('%') && ipaddr.IPv6.isValid(text))],
])

function domain(rest: string): Argument {
  if (!rest.startsWith(':') || rest === ':') return wrong('missing_argument')
  const spec = rest.slice(1)
  return parseDomainSpec(spec) === null ? wrong('bad_domain') : { ...none, domain: spec }
}

const bits = { prefix4: 32, prefix6: 128 }

/** Parses a prefix length without its slash; NaN for a leading zero or a number out of range. */
const prefix = (digits: string, family: keyof typeof bits): number =>
  /^(?:0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= bits[family] ? Number(digits) : Number.NaN

/** Splits `dual-cidr-length` off the end. It cannot be part of a domain spec, whose top label has no slash. */
function cutPrefixes(rest: string): { before: string; prefix4: number | null; prefix6: number | null } {
  let before = rest
  let prefix6: number | null = null
  const slash = () => /\/\d+$/.exec(before.slice(-20))?.[0] ?? ''
  let last = slash()
  if (last !== '' && before.at(-last.length - 1) === '/') {
    prefix6 = prefix(last.slice(1), 'prefix6')
    before = before.slice(0, -last.length - 1)
    last = slash()
  }
  if (last === '') return { before, prefix4: null, prefix6 }
  return { before: before.slice(0, -last.length), prefix4: prefix(last.slice(1), 'prefix4'), prefix6 }
}

function hosts(rest: string): Argument {
  const { before, prefix4, prefix6 } = cutPrefixes(rest)
  if (Number.isNaN(prefix4) || Number.isNaN(prefix6)) return wrong('bad_prefix')
  if (before === '') return { ...none, prefix4, prefix6 }
  return before.startsWith('/') ? wrong('bad_prefix') : { ...domain(before), prefix4, prefix6 }
}

function network(rest: string, family: keyof typeof bits, isAddress: (text: string) => boolean): Argument {
  if (!rest.startsWith(':') || rest === ':') return wrong('missing_argument')
  const slash = rest.indexOf('/')
  const address = rest.slice(1, slash < 0 ? undefined : slash)
  if (address.length > ADDRESS_CHARACTERS || !isAddress(address)) return wrong('bad_address')
  const length = slash < 0 ? null : prefix(rest.slice(slash + 1), family)
  if (Number.isNaN(length)) return wrong('bad_prefix')
  return { ...none, network: address.toLowerCase(), [family]: length }
}

function modifier(name: string, value: string): Argument {
  if (!/^[a-z][a-z0-9._-]*$/i.test(name)) return wrong('bad_modifier')
  if (/^(?:redirect|exp)$/i.test(name)) return domain(`:${value}`)
  return parseMacroString(value) === null ? wrong('bad_modifier') : { ...none, domain: value }
}

function mechanism(name: string, rest: string): Argument {
  return mechanisms.get(name)?.(rest) ?? wrong('unknown_mechanism')
}

/** Parses one term (RFC 7208 section 4.6.1): a mechanism with its qualifier, or a modifier. Linear; never throws. */
function parseTerm(term: string): SpfTerm {
  const separator = term.search(/[:/=]/)
  const qualifier = (['+', '-', '~', '?'] as const).find(sign => term.startsWith(sign))
  const isModifier = separator >= 0 && term.charAt(separator) === '='
  const end = separator < 0 ? term.length : separator
  const termName = term.slice(qualifier === undefined || isModifier ? 0 : 1, end)
  const name = readable(termName, VALUE_CHARACTERS).toLowerCase()
  const argument = isModifier ? modifier(termName, term.slice(end + 1)) : mechanism(name, term.slice(end))
  return {
    text: readable(term, VALUE_CHARACTERS),
    kind: isModifier ? 'modifier' : 'mechanism',
    name,
    qualifier: isModifier ? null : (qualifier ?? '+'),
    ...(/^[!-~]*$/.test(term) ? argument : wrong('bad_character')),
  }
}
