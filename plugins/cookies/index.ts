// cookies: the cookies that the responses set, how they are protected, and which ones browsers reject. Values are never kept.
import { analyzer, servedFields, unseen } from '../../src/engine/plugin.ts'
import { entranceResponses } from './entrance.ts'
import { collectCookies } from './jar.ts'
import { describe, judge, Section } from './section.ts'
import { findSignals, signals } from './signals.ts'

export default analyzer({
  name: 'cookies',
  description:
    'Cookies set by the page, its redirects and plain HTTP: Secure, HttpOnly, SameSite, prefixes, kind and issues.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['entrances'],
  schema: Section,
  signals,
  analyze({ page, served, entrances }, { now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, withheld } = outcome
    // A response that is not the site's own (a block or challenge) sets cookies that are not the site's either.
    if (fields.blocked) return { section: unseen(Section, fields), signals: [], ...withheld }
    const responses = [...entranceResponses(entrances, page.exchanges[0]?.url), ...page.exchanges]
    const judged = collectCookies(responses, now.getTime()).map(judge)
    return { section: describe(fields, judged), signals: findSignals(judged) }
  },
})
