// Signals from what is known about other pages: the front page of a URL's host, and the hosts that redirects lead to.
import { type Evidence, identify, isThreatType, type SignalFound } from '../../src/engine/plugin.ts'
import { allListingSignals } from './listed_pages.ts'
import type { SignalId } from './signals.ts'

/** A page is not judged better than the front page of its host: who controls one usually controls the other. */
export function hostSignals(host: Evidence['host_result'] | null): SignalFound<SignalId>[] {
  if (host === null || host.verdict === 'safe') return []
  const { verdict, risk_score, checked_at } = host
  const detail = `The front page of the host was ${verdict} at ${checked_at} (${risk_score} of 100).`
  const threat_types = host.threat_types.filter(isThreatType)
  return [{ id: `${verdict}_host`, detail, threat_types, evidence: { risk_score, checked_at } }]
}

/** The signal for a listing that a redirect leads to, by the signal that a check of it would have. */
const LEADING: Readonly<Partial<Record<SignalId, SignalId>>> = {
  listed_page: 'redirects_to_listed_page',
  listed_as_malicious: 'redirects_to_malicious_host',
  listed_by_several: 'redirects_to_malicious_host',
  listed_for_abuse: 'redirects_to_listed_host',
  reported_page: 'redirects_to_listed_host',
  hosts_listed_pages: 'redirects_to_listed_host',
}

/** The worst first. */
const ORDER: readonly SignalId[] = [
  'redirects_to_listed_page',
  'redirects_to_malicious_host',
  'redirects_to_listed_host',
]

/** One signal, for the worst host. */
export function redirectSignals(redirects: Evidence['redirect_listings'] | null): SignalFound<SignalId>[] {
  const found = (redirects?.hosts ?? []).flatMap(({ host, lists }) =>
    allListingSignals(lists, led(host, lists[0]?.kind)).flatMap(signal => {
      const id = LEADING[signal.id]
      return id === undefined ? [] : [{ ...signal, id, detail: `A redirect leads there: ${signal.detail}` }]
    }),
  )
  return found.sort((one, other) => ORDER.indexOf(one.id) - ORDER.indexOf(other.id)).slice(0, 1)
}

/** Age and popularity of other hosts are not looked up. */
const led = (host: string, kind: 'domain' | 'ip' = 'domain') => ({
  kind,
  isPage: true,
  isTenant: kind === 'domain' && identify(host).tenant,
  isNew: false,
  rank: null,
})
