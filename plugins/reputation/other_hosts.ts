// Signals from what is known about other pages: the front page of a URL's host, and the hosts that redirects lead to.
import { type Evidence, isThreatType, type SignalFound } from '../../src/engine/plugin.ts'
import { listingSignals } from './listing.ts'
import type { SignalId } from './signals.ts'

/** A page is not judged better than the front page of its host: who controls one usually controls the other. */
export function hostSignals(host: Evidence['host_result'] | null): SignalFound<SignalId>[] {
  if (host === null || host.verdict === 'safe') return []
  const { verdict, risk_score, checked_at } = host
  const detail = `The front page of the host was ${verdict} at ${checked_at} (${risk_score} of 100).`
  const threat_types = host.threat_types.filter(isThreatType)
  return [{ id: `${verdict}_host`, detail, threat_types, evidence: { risk_score, checked_at } }]
}

/** The signal for a listing of a host that a redirect leads to, by the signal that the host itself would have. */
const LEADING: Readonly<Partial<Record<SignalId, SignalId>>> = {
  listed_as_malicious: 'redirects_to_malicious_host',
  listed_by_several: 'redirects_to_malicious_host',
  listed_for_abuse: 'redirects_to_listed_host',
}

/** One signal, for the worst host. */
export function redirectSignals(redirects: Evidence['redirect_listings'] | null): SignalFound<SignalId>[] {
  const found = (redirects?.hosts ?? []).flatMap(({ lists }) =>
    listingSignals(lists, lists[0]?.kind ?? 'domain').flatMap(signal => {
      const id = LEADING[signal.id]
      return id === undefined ? [] : [{ ...signal, id, detail: `A redirect leads there: ${signal.detail}` }]
    }),
  )
  const worst = found.find(({ id }) => id === 'redirects_to_malicious_host') ?? found[0]
  return worst === undefined ? [] : [worst]
}
