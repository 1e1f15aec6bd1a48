// cookies: what the visit's responses set, how well it is guarded, and what browsers would refuse. Never a value.
import { analyzer, servedFields } from '../../src/engine/plugin.ts'
import { collectCookies } from './jar.ts'
import { describe, judge, Section, uncounted } from './section.ts'
import { findSignals, signals } from './signals.ts'

export default analyzer({
  name: 'cookies',
  description:
    'Cookies that the page and its redirects set: Secure, HttpOnly, SameSite, prefixes, kind, and what is wrong.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  schema: Section,
  signals,
  analyze({ page, served }, { now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, unseen } = outcome
    if (fields.blocked) return { section: uncounted(fields), signals: [], ...unseen }
    const judged = collectCookies(page.exchanges, now.getTime()).map(judge)
    return { section: describe(fields, judged), signals: findSignals(judged) }
  },
})
