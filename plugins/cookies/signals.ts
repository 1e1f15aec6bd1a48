// The signals of cookies. All are in the group `hygiene`, because good sites have these faults too.
import { printable, type Severity, type SignalDefinition, type SignalFound } from '../../src/engine/plugin.ts'
import type { Issue } from './issues.ts'
import type { Judged } from './section.ts'

const hygiene = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'hygiene',
  severity,
  title,
})

export const signals = {
  session_cookie_without_secure: hygiene(3, 'medium', 'Session cookie without Secure'),
  session_cookie_without_http_only: hygiene(2, 'low', 'Session cookie without HttpOnly'),
  session_cookie_without_same_site: hygiene(1, 'low', 'Session cookie without SameSite'),
  cookie_prefix_violated: hygiene(1, 'low', 'Cookie violates the rules of its name prefix'),
  cookie_rejected: hygiene(0, 'info', 'Cookie rejected by browsers'),
}
export type SignalId = keyof typeof signals

/** Selects the cookies that a signal applies to. */
const about: Readonly<Record<SignalId, (cookie: Judged) => boolean>> = {
  session_cookie_without_secure: cookie => isSession(cookie, 'missing_secure'),
  session_cookie_without_http_only: cookie => isSession(cookie, 'missing_http_only'),
  session_cookie_without_same_site: cookie =>
    isSession(cookie, 'missing_same_site', 'invalid_same_site', 'same_site_none'),
  cookie_prefix_violated: ({ cookie }) => cookie.rejection === 'prefix_violated',
  cookie_rejected: ({ cookie }) => cookie.rejection !== null,
}

/** A rejected cookie is never sent and nothing reads it. */
const isSession = ({ cookie, kind, issues }: Judged, ...faults: readonly Issue[]): boolean =>
  kind === 'session' && cookie.rejection === null && faults.some(fault => issues.includes(fault))

/** Maximum number of cookie names in a detail. */
const NAMED = 5

export function findSignals(judged: readonly Judged[]): SignalFound<SignalId>[] {
  return (Object.keys(signals) as SignalId[]).flatMap(id => {
    const names = judged.filter(about[id]).map(({ cookie }) => cookie.set.name)
    if (names.length === 0) return []
    const cookies = names.slice(0, NAMED).map(name => printable(name, 64))
    return [{ id, detail: `${signals[id].title}: ${listed(cookies, names.length)}.`, evidence: { cookies } }]
  })
}

function listed(cookies: readonly string[], total: number): string {
  const named = cookies.map(name => (name === '' ? 'a nameless one' : name)).join(', ')
  return total > cookies.length ? `${named} and ${total - cookies.length} more` : named
}
