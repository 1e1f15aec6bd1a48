// What cookies notices and what it costs; all of it hygiene, since good sites have such faults too.
import type { SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'
import type { Issue } from './issues.ts'
import type { Judged } from './section.ts'

const hygiene = (weight: number, title: string): SignalDefinition => ({ weight, group: 'hygiene', title })

export const signals = {
  session_cookie_without_secure: hygiene(3, 'A session cookie may travel over HTTP'),
  session_cookie_without_http_only: hygiene(2, 'Scripts may read a session cookie'),
  session_cookie_without_same_site: hygiene(1, 'Other sites may use a session cookie'),
  cookie_prefix_violated: hygiene(1, 'A cookie does not keep what its prefix promises'),
  cookie_rejected: hygiene(0, 'Browsers refuse a cookie'),
}
export type SignalId = keyof typeof signals

/** Which cookies a signal is about. */
const about: Readonly<Record<SignalId, (cookie: Judged) => boolean>> = {
  session_cookie_without_secure: cookie => isSession(cookie, 'missing_secure'),
  session_cookie_without_http_only: cookie => isSession(cookie, 'missing_http_only'),
  session_cookie_without_same_site: cookie =>
    isSession(cookie, 'missing_same_site', 'invalid_same_site', 'same_site_none'),
  cookie_prefix_violated: ({ cookie }) => cookie.rejection === 'prefix_violated',
  cookie_rejected: ({ cookie }) => cookie.rejection !== null,
}

/** One that browsers refuse travels nowhere, and nobody reads it. */
const isSession = ({ cookie, kind, issues }: Judged, ...faults: readonly Issue[]): boolean =>
  kind === 'session' && cookie.rejection === null && faults.some(fault => issues.includes(fault))

/** Names that a signal tells. */
const TOLD = 5

export function findSignals(judged: readonly Judged[]): SignalFound<SignalId>[] {
  return (Object.keys(signals) as SignalId[]).flatMap(id => {
    const names = judged.filter(about[id]).map(({ cookie }) => cookie.set.name)
    if (names.length === 0) return []
    const cookies = names.slice(0, TOLD).map(name => name.slice(0, 64).replace(/[\p{Cc}\p{Cs}]+/gu, ''))
    return [{ id, detail: `${signals[id].title}: ${listed(cookies, names.length)}.`, evidence: { cookies } }]
  })
}

function listed(cookies: readonly string[], total: number): string {
  const named = cookies.map(name => (name === '' ? 'a nameless one' : name)).join(', ')
  return total > cookies.length ? `${named} and ${total - cookies.length} more` : named
}
