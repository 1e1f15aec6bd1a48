// Signals of feeds that report facts other than malice: Tor exits and disposable e-mail domains.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type FeedListing = Evidence['feeds']['lists'][number]

const categorySignals: readonly { category: string; kind: FeedListing['kind']; id: SignalId }[] = [
  { category: 'tor', kind: 'ip', id: 'tor_exit' },
  { category: 'disposable', kind: 'domain', id: 'disposable_email' },
]

/** Only about the target itself: a property of its address is not held against a domain. */
export function feedSignals(lists: readonly FeedListing[], target: FeedListing['kind']): SignalFound<SignalId>[] {
  return categorySignals.flatMap(({ category, kind, id }) => {
    const found = lists.filter(
      ({ status, categories }) => status === 'listed' && categories.some(one => one === category),
    )
    if (kind !== target || found.length === 0) return []
    const names = found.map(({ name }) => name)
    const asked = found[0]?.matched ?? found[0]?.asked
    return [{ id, detail: `${asked} is listed by ${names.join(', ')}.`, evidence: { lists: names } }]
  })
}
