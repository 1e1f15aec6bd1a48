// An SPF record as its terms, each with what is wrong with it (RFC 7208 section 4.6).
import type { SpfRecord, SpfTerm } from './facts.ts'
import { parseTerm } from './spf_term.ts'
import { readable } from './text.ts'

/** Octets of a record that is read: RFC 7208 section 3.4 wants 450, the longest in honest use have about 4000. */
const RECORD_OCTETS = 8_192

/** The text begins with the version section, ended by a space or the record's end (RFC 7208 section 4.5). */
export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)

/** Meant as SPF, it seems, but no receiver reads it as such: white space before it, or no space after the version. */
export const resemblesSpf = (text: string): boolean => !isSpf(text) && /^\s{0,16}"?v\s?=\s?spf/i.test(text)

/** Parses the whole record: an error anywhere spoils it for every sender. Linear; never throws. */
export function parseSpf(text: string): SpfRecord {
  if (text.length > RECORD_OCTETS) return { text: readable(text), too_long: true, terms: [] }
  const seen = new Set<string>()
  const terms = text
    .split(' ')
    .slice(1)
    .filter(term => term !== '')
    .map(parseTerm)
    .map(term => (isRepeated(term, seen) ? { ...term, error: 'repeated_modifier' as const } : term))
  return { text: readable(text), too_long: false, terms }
}

/** `redirect` and `exp` may each stand once (RFC 7208 section 6). */
function isRepeated(term: SpfTerm, seen: Set<string>): boolean {
  if (term.kind !== 'modifier' || (term.name !== 'redirect' && term.name !== 'exp')) return false
  if (seen.has(term.name)) return true
  seen.add(term.name)
  return false
}

/** Mechanisms that cost a DNS lookup (RFC 7208 section 4.6.4). */
const costly = new Set(['include', 'a', 'mx', 'ptr', 'exists'])

/**
 * The indexes of the terms that are looked up when no earlier one matches: none in a record with an error, none after
 * `all`, and `redirect` only where there is no `all` (RFC 7208 sections 5.1 and 6.1).
 */
export function lookupTerms({ too_long, terms }: SpfRecord): number[] {
  if (too_long || terms.some(term => term.error !== null)) return []
  const all = terms.findIndex(term => term.kind === 'mechanism' && term.name === 'all')
  const mechanisms = terms.flatMap(({ kind, name }, index) =>
    kind === 'mechanism' && costly.has(name) && (all < 0 || index < all) ? [index] : [],
  )
  const redirect = terms.findIndex(term => term.kind === 'modifier' && term.name === 'redirect')
  return all < 0 && redirect >= 0 ? [...mechanisms, redirect] : mechanisms
}
