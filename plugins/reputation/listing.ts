// What the blocklists' answers come to: hits, and the signals of the strongest.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type Asked = Evidence['listings']['lists'][number]

/** What answers of DNS lists and feeds in memory have in common. */
export type Listing = Pick<Asked, 'id' | 'name' | 'kind' | 'asked' | 'status' | 'reason' | 'strength'> & {
  readonly categories: readonly string[]
  readonly age_hours?: number | null
}

/** A list counts once, however many of the target's addresses it lists; policy and praise are no hits. */
export const isHit = ({ status, strength }: Listing): boolean =>
  status === 'listed' && strength !== null && strength !== 'none'

/** Lists with a hit; null when none answered at all, for silence is not praise. */
export function countHits(lists: readonly Listing[]): number | null {
  if (!lists.some(({ status }) => status !== 'unknown')) return null
  return new Set(lists.filter(isHit).map(({ id }) => id)).size
}

export const shownListing = ({ name, asked, status, reason, categories, age_hours = null }: Listing) => ({
  name,
  asked,
  listed: status === 'unknown' ? null : status === 'listed',
  status: status === 'unknown' ? ('unknown' as const) : ('answered' as const),
  reason,
  category: categories[0] ?? null,
  age_hours,
})

const MALICIOUS: ReadonlySet<string> = new Set(['phishing', 'malware', 'botnet'])

/** What a listing of an address says of the names it serves: it is most often many other sites' address too. */
const OF_ADDRESS = 0.6
/** Lists that see the same, each in its own way, prove more together. */
const TOGETHER = 2

/**
 * One signal, by the strongest hit: many lists copy each other. A domain is not blamed in full for what its address is
 * listed for, unless that is malice. Malice is confirmed by a list that is strict about it or by two that are less so; an
 * address that several weak lists hold is listed for abuse.
 */
export function listingSignals(lists: readonly Listing[], target: 'domain' | 'ip'): SignalFound<SignalId>[] {
  const hits = lists.filter(isHit)
  const isOwn = ({ kind }: Listing) => kind === target
  const malicious = hits.filter(hit => hit.strength !== 'weak' && hit.categories.some(one => MALICIOUS.has(one)))
  const sources = new Set(malicious.filter(isOwn).map(({ id }) => id)).size
  const confirmed = malicious.some(({ strength }) => strength === 'strong') || sources >= TOGETHER
  if (confirmed) return [found('listed_as_malicious', malicious)]
  const firm = hits.filter(({ strength }) => strength !== 'weak')
  const own = firm.filter(isOwn)
  if (own.length > 0) return [found('listed_for_abuse', own)]
  const weak = hits.filter(isOwn)
  const together = new Set(weak.map(({ id }) => id)).size >= TOGETHER
  if (together && target === 'ip') return [found('listed_for_abuse', weak)]
  if (firm.length > 0) return [{ ...found('listed_for_abuse', firm), strength: OF_ADDRESS }]
  if (weak.length > 0) return [found('listed_by_weak_list', weak)]
  return hits.length > 0 ? [{ ...found('listed_by_weak_list', hits), strength: OF_ADDRESS }] : []
}

function found(id: SignalId, hits: readonly Listing[]): SignalFound<SignalId> {
  const names = [...new Set(hits.map(({ name }) => name))]
  const asked = [...new Set(hits.map(hit => hit.asked))]
  return { id, detail: `${asked.join(', ')}: listed by ${names.join(', ')}.`, evidence: { lists: names, asked } }
}
