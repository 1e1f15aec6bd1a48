// security_headers: which attacks the response headers prevent, graded by effect rather than presence.
import {
  analyzer,
  type Evidence,
  mainReason,
  missedReason,
  raise,
  servedFields,
  unheard,
} from '../../src/engine/plugin.ts'
import { evaluate } from './evaluate.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'
import { gradedSignals, redirectSignals } from './signals.ts'

export default analyzer({
  name: 'security_headers',
  description: 'HSTS, CSP, framing and other security headers, with a grade.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['document', 'entrances', 'tls', 'hsts_preload'],
  presentation,
  schema: Section,
  signals: { ...gradedSignals, ...redirectSignals },
  analyze({ page, served, document, entrances, tls, hsts_preload }, { target, now, missing }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, pageless, unread } = outcome
    const redirects = raise(redirectSignals, page)
    if (pageless !== null) return { ...pageless, signals: redirects }
    const isUnasked = missedReason({ ...(missing.entrances && { entrances: missing.entrances }) }) !== null
    const silentHttp = unheard('plain_http', entrances?.http.failure)
    const silentProbe = unheard('cross_origin', entrances?.cross_origin_failure)
    const visit = {
      hops: page.exchanges,
      metas: document?.metas ?? null,
      document,
      http: entrances?.http ?? null,
      crossOrigin: entrances?.cross_origin ?? null,
      unheard: { http: isUnasked || silentHttp !== null, crossOrigin: isUnasked || silentProbe !== null },
      preload: hsts_preload,
      rejectedHost: rejectedHost(tls, now),
    }
    const section = evaluate(fields, visit, target.registrable)
    const end = document?.truncated ? (unread.unknown ?? 'page_too_large') : null
    const reasons = [missedReason(missing), silentHttp, silentProbe, end].filter(reason => reason !== null)
    return { section, signals: [...raise(gradedSignals, section), ...redirects], unknown: mainReason(reasons) }
  },
})

type Tls = Evidence['tls']

/** The host whose certificate is expired, not yet valid, of another name or of no trusted root; otherwise null. */
function rejectedHost(tls: Tls | null, now: Date): string | null {
  const [leaf] = tls?.chain ?? []
  const host = tls?.server_name ?? null
  if (tls?.status !== 'handshake' || leaf === undefined || host === null) return null
  const moment = now.getTime()
  const isDated = moment < Date.parse(leaf.not_before) || moment >= Date.parse(leaf.not_after) + 1_000
  const isNamed = leaf.dns_names.some(name => covers(name.toLowerCase(), host))
  return isDated || !isNamed || tls.anchored === false ? host : null
}

/** A wildcard stands for the whole first label (RFC 9525 section 6.3). */
const covers = (name: string, host: string): boolean =>
  name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1))
