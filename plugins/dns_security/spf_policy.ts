// How strict a well-formed SPF policy is: the result for unlisted senders, and whether everyone may send.
import { allIndex, type SpfNode, type SpfTerm } from './spf_faults.ts'

export type SpfPolicy = 'fail' | 'softfail' | 'neutral' | 'pass'

const results: Readonly<Record<string, SpfPolicy>> = { '-': 'fail', '~': 'softfail', '?': 'neutral', '+': 'pass' }

/** Shorter prefixes contain more addresses than any single sender has: an IPv4 /8, an IPv6 /16. */
const WIDEST_V4 = 8
const WIDEST_V6 = 16

const childOf = (node: SpfNode, term: number) => node.lookups.find(lookup => lookup.term === term)?.child ?? null

function redirectOf(node: SpfNode, terms: readonly SpfTerm[]): SpfNode | null | undefined {
  const redirect = terms.findIndex(({ kind, name }) => kind === 'modifier' && name === 'redirect')
  return redirect < 0 ? undefined : childOf(node, redirect)
}

/** The result for unlisted senders: of the first `all`, otherwise of the redirect; null if it depends on the sender. */
export function policyOf(node: SpfNode): SpfPolicy | null {
  const terms = node.record?.terms
  if (terms === undefined) return null
  const all = terms[allIndex(terms)]
  if (all !== undefined) return results[all.qualifier ?? '+'] ?? null
  const redirect = redirectOf(node, terms)
  if (redirect === undefined) return 'neutral'
  return redirect === null ? null : policyOf(redirect)
}

const isWide = ({ prefix4, prefix6 }: SpfTerm) =>
  (prefix4 !== null && prefix4 < WIDEST_V4) || (prefix6 !== null && prefix6 < WIDEST_V6)

/** Overlaps 2000::/3, the public IPv6 range. Link-local and private ranges allow nobody on the Internet. */
function isPublic6(network: string, prefix: number): boolean {
  const shift = 16 - Math.min(prefix, 3)
  const first = Number.parseInt(network, 16) || 0
  return first >> shift === 0x2000 >> shift
}

const isWideNetwork = (term: SpfTerm, network: string) =>
  isWide(term) && (term.prefix6 === null || isPublic6(network, term.prefix6))

/** The term that allows every sender, or a large part of the Internet; null if there is none. */
export function admitsEveryone(node: SpfNode): string | null {
  const terms = node.record?.terms ?? []
  const all = allIndex(terms)
  const evaluatedTerms = all < 0 ? terms : terms.slice(0, all + 1)
  for (const [index, term] of evaluatedTerms.entries()) {
    if (term.kind === 'modifier' || term.qualifier !== '+') continue
    const lookup = node.lookups.find(one => one.term === index)
    const isAnswered = lookup?.status === 'answered'
    if (term.name === 'all' || (term.network !== null && isWideNetwork(term, term.network))) return term.text
    if ((term.name === 'a' || term.name === 'mx') && isWide(term) && isAnswered) return term.text
    // The name contains no macro, so it exists for every sender.
    if (term.name === 'exists' && isAnswered) return term.text
    const child = term.name === 'include' ? childOf(node, index) : null
    const within = child && admitsEveryone(child)
    if (within !== null) return within
  }
  const redirect = all < 0 ? redirectOf(node, terms) : undefined
  return redirect ? admitsEveryone(redirect) : null
}

/** Nobody may send: `-all` and nothing before it. */
export function admitsNobody(node: SpfNode): boolean {
  const first = node.record?.terms.find(({ kind }) => kind === 'mechanism')
  return first?.name === 'all' && first.qualifier === '-'
}
