// security_headers: which attacks the response headers prevent, graded by effect rather than presence.
import { analyzer, servedFields, unseen } from '../../src/engine/plugin.ts'
import { rejectedHost } from './certificate.ts'
import { evaluate } from './evaluate.ts'
import { findNavigation, navigationSignals } from './navigation.ts'
import { Section } from './section.ts'
import { findSignals, signals } from './signals.ts'

export default analyzer({
  name: 'security_headers',
  description: 'HSTS, CSP, framing and other security headers, with a grade.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['document', 'entrances', 'tls', 'hsts_preload'],
  schema: Section,
  signals: { ...signals, ...navigationSignals },
  analyze({ page, served, document, entrances, tls, hsts_preload }, { target, now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, withheld } = outcome
    if (fields.blocked) return { section: unseen(Section, fields), signals: findNavigation(page), ...withheld }
    const visit = {
      hops: page.exchanges,
      metas: document?.metas ?? null,
      document,
      http: entrances?.http ?? null,
      crossOrigin: entrances?.cross_origin ?? null,
      preload: hsts_preload,
      rejectedHost: rejectedHost(tls, now),
    }
    const section = evaluate(fields, visit, target.registrable)
    return { section, signals: [...findSignals(section), ...findNavigation(page)] }
  },
})
