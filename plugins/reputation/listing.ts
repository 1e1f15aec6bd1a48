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

const isMalice = ({ strength, categories }: Listing): boolean =>
  strength !== 'weak' && categories.some(one => MALICIOUS.has(one))

/** Malice is confirmed by a list that is strict about it, or by two that are less so. */
const isConfirmed = (hits: readonly Listing[]): boolean =>
  hits.some(({ strength }) => strength === 'strong') || new Set(hits.map(({ id }) => id)).size >= TOGETHER

/** One signal, by the strongest hit: many lists copy each other. What lists the target itself speaks first. */
export function listingSignals(lists: readonly Listing[], target: 'domain' | 'ip'): SignalFound<SignalId>[] {
  const hits = lists.filter(isHit)
  const own = hits.filter(({ kind }) => kind === target)
  const malice = own.filter(isMalice)
  if (malice.length > 0 && isConfirmed(malice)) return [found('listed_as_malicious', malice)]
  const firm = own.filter(({ strength }) => strength !== 'weak')
  if (firm.length > 0) return [found('listed_for_abuse', firm)]
  const together = new Set(own.map(({ id }) => id)).size >= TOGETHER
  if (together && target === 'ip') return [found('listed_for_abuse', own)]
  const behind = behindName(hits.filter(({ kind }) => kind !== target))
  if (behind?.id === 'listed_for_abuse') return [behind]
  if (own.length > 0) return [found('listed_by_weak_list', own)]
  return behind === null ? [] : [behind]
}

/** What the listings of a domain's addresses are worth: never proof, for who is listed may be a neighbour. */
function behindName(hits: readonly Listing[]): SignalFound<SignalId> | null {
  const malice = hits.filter(hit => hit.strength === 'strong' && isMalice(hit))
  if (malice.length > 0) return found('listed_for_abuse', malice)
  const firm = hits.filter(({ strength }) => strength !== 'weak')
  if (firm.length > 0) return { ...found('listed_for_abuse', firm), strength: OF_ADDRESS }
  return hits.length > 0 ? { ...found('listed_by_weak_list', hits), strength: OF_ADDRESS } : null
}

function found(id: SignalId, hits: readonly Listing[]): SignalFound<SignalId> {
  const names = [...new Set(hits.map(({ name }) => name))]
  const asked = [...new Set(hits.map(hit => hit.asked))]
  return { id, detail: `${asked.join(', ')}: listed by ${names.join(', ')}.`, evidence: { lists: names, asked } }
}
