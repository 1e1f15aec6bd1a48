// security_headers: what the response's headers protect its visitors from, graded by effect and not by presence.
import { analyzer, servedFields } from '../../src/engine/plugin.ts'
import { evaluate } from './evaluate.ts'
import { findNavigation, navigationSignals } from './navigation.ts'
import { Section, ungraded } from './section.ts'
import { findSignals, signals } from './signals.ts'

export default analyzer({
  name: 'security_headers',
  description: 'HSTS, CSP, framing and the other headers by which a response protects its visitors, with a grade.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['document', 'entrances'],
  schema: Section,
  signals: { ...signals, ...navigationSignals },
  analyze({ page, served, document, entrances }, { target }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, unseen } = outcome
    if (fields.blocked) return { section: ungraded(fields), signals: findNavigation(page), ...unseen }
    const visit = { hops: page.exchanges, metas: document?.metas ?? [], http: entrances?.http ?? null }
    const section = evaluate(fields, visit, target.registrable)
    return { section, signals: [...findSignals(section), ...findNavigation(page)] }
  },
})
