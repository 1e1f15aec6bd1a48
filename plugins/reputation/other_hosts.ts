// Signals from other pages: the front page of a URL's host, and the hosts that redirects lead to.
import { dateTime, type Evidence, identify, isThreatType, type SignalFound } from '../../src/engine/plugin.ts'
import { allListingSignals } from './listed_pages.ts'
import type { SignalId } from './signals.ts'

/**
 * A page scores at least as high as the content of its host's front page, because both usually have one owner. The
 * check of the page sees name, listings and certificate itself, and a listing of another page does not count here.
 */
export function hostSignals(host: Evidence['host_result'] | null): SignalFound<SignalId>[] {
  if (host === null) return []
  const { checked_at, threat_types, signals } = host
  const contentSignals = signals.filter(({ group }) => group === 'content')
  const sum = contentSignals.reduce((total, { points }) => total + points, 0)
  const otherPoints = contentSignals.reduce((highest, { floor }) => Math.max(highest, floor ?? 0), Math.round(sum))
  const [, id] = REACHES.find(([least]) => otherPoints >= least) ?? []
  const [gravest] = [...contentSignals].sort((a, b) => weightOf(b) - weightOf(a))
  if (id === undefined || gravest === undefined) return []
  const detail = `The host’s front page, checked on ${dateTime(checked_at)}: ${gravest.title}.`
  const evidence = { checked_at, signals: contentSignals.map(one => one.id) }
  return [{ id, detail, threat_types: threat_types.filter(isThreatType), evidence }]
}

/** The ranges of the verdicts. */
const REACHES = [
  [71, 'malicious_host'],
  [31, 'suspicious_host'],
] as const

const weightOf = ({ points, floor }: { readonly points: number; readonly floor: number | null }): number =>
  Math.max(points, floor ?? 0)

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
  const hits = (redirects?.hosts ?? []).flatMap(({ host, lists }) =>
    allListingSignals(lists, leadHost(host, lists[0]?.kind)).flatMap(signal => {
      const id = LEADING[signal.id]
      return id === undefined ? [] : [{ ...signal, id, detail: `It redirects to a listed site: ${signal.detail}` }]
    }),
  )
  return hits.sort((one, other) => ORDER.indexOf(one.id) - ORDER.indexOf(other.id)).slice(0, 1)
}

/** Age and popularity of other hosts are not looked up. */
const leadHost = (host: string, kind: 'domain' | 'ip' = 'domain') => ({
  kind,
  isPage: true,
  isTenant: kind === 'domain' && identify(host).tenant,
  isNew: false,
  rank: null,
})
