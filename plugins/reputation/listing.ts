// What the blocklists' answers come to: hits, and the signals of the strongest.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type Listing = Evidence['listings']['lists'][number]

/** A list counts once, however many of the target's addresses it lists; policy and praise are no hits. */
export const isHit = ({ status, strength }: Listing): boolean =>
  status === 'listed' && strength !== null && strength !== 'none'

/** Lists with a hit; null when none answered at all, for silence is not praise. */
export function countHits(lists: readonly Listing[]): number | null {
  if (!lists.some(({ status }) => status !== 'unknown')) return null
  return new Set(lists.filter(isHit).map(({ id }) => id)).size
}

export const shownListing = ({ name, asked, status, reason, categories }: Listing) => ({
  name,
  asked,
  listed: status === 'unknown' ? null : status === 'listed',
  status: status === 'unknown' ? ('unknown' as const) : ('answered' as const),
  reason,
  category: categories[0] ?? null,
})

const MALICIOUS: ReadonlySet<string> = new Set(['phishing', 'malware', 'botnet'])

/** One signal, by the strongest hit: many lists copy each other. */
export function listingSignals(lists: readonly Listing[]): SignalFound<SignalId>[] {
  const hits = lists.filter(isHit)
  const malicious = hits.filter(hit => hit.strength === 'strong' && hit.categories.some(one => MALICIOUS.has(one)))
  if (malicious.length > 0) return [found('listed_as_malicious', malicious)]
  const abuse = hits.filter(({ strength }) => strength !== 'weak')
  if (abuse.length > 0) return [found('listed_for_abuse', abuse)]
  return hits.length > 0 ? [found('listed_by_weak_list', hits)] : []
}

function found(id: SignalId, hits: readonly Listing[]): SignalFound<SignalId> {
  const names = [...new Set(hits.map(({ name }) => name))]
  const asked = [...new Set(hits.map(hit => hit.asked))]
  return { id, detail: `${asked.join(', ')}: listed by ${names.join(', ')}.`, evidence: { lists: names, asked } }
}
