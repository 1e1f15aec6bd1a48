// One term of an SPF record (RFC 7208 section 4.6.1): a mechanism with its qualifier, or a modifier.

import ipaddr from 'ipaddr.js'
import type { SpfTerm, SpfTermError } from './facts.ts'
import { parseDomainSpec, parseMacroString } from './spf_macro.ts'
import { readable, VALUE_CHARACTERS } from './text.ts'

type Argument = Pick<SpfTerm, 'domain' | 'network' | 'prefix4' | 'prefix6' | 'error'>

/** No IPv6 address is written longer (`ffff:` six times and a dotted quad). */
const ADDRESS_CHARACTERS = 45

const none: Argument = { domain: null, network: null, prefix4: null, prefix6: null, error: null }
const wrong = (error: SpfTermError): Argument => ({ ...none, error })

/** Each takes what follows the mechanism's name, its `:` or `/` included. */
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

/** Bits of an address. */
const bits = { prefix4: 32, prefix6: 128 }

/** A prefix length without its slash: no leading zero, in range; NaN when it is not one. */
const prefix = (digits: string, family: keyof typeof bits): number =>
  /^(?:0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= bits[family] ? Number(digits) : Number.NaN

/** Cuts `dual-cidr-length` off the end; it cannot be part of a domain spec, whose top label holds no slash. */
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

/** Parses what stands between two spaces. Linear; never throws. */
export function parseTerm(term: string): SpfTerm {
  const mark = term.search(/[:/=]/)
  const qualifier = (['+', '-', '~', '?'] as const).find(sign => term.startsWith(sign))
  const isModifier = mark >= 0 && term.charAt(mark) === '='
  const end = mark < 0 ? term.length : mark
  const written = term.slice(qualifier === undefined || isModifier ? 0 : 1, end)
  const name = readable(written, VALUE_CHARACTERS).toLowerCase()
  const argument = isModifier ? modifier(written, term.slice(end + 1)) : mechanism(name, term.slice(end))
  return {
    text: readable(term, VALUE_CHARACTERS),
    kind: isModifier ? 'modifier' : 'mechanism',
    name,
    qualifier: isModifier ? null : (qualifier ?? '+'),
    ...(/^[!-~]*$/.test(term) ? argument : wrong('bad_character')),
  }
}
