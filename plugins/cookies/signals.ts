// The signals of cookies. All are in the group `hygiene`, because good sites have these faults too.
import { printable, type Raised, type Severity, type Signals } from '../../src/engine/plugin.ts'
import type { CookieIssue } from './issues.ts'
import type { JudgedCookie } from './section.ts'

interface CookieSignal {
  readonly weight: number
  readonly severity: Severity
  readonly title: string
  readonly advice: string
  readonly also_fixes?: readonly string[]
  /** Selects the cookies that the signal is about. */
  readonly about: (cookie: JudgedCookie) => boolean
}

/** Raised by any cookie that the signal is about; the detail names the first of them. */
const hygiene = ({ about, title, ...signal }: CookieSignal) => ({
  ...signal,
  group: 'hygiene',
  title,
  when(jar: readonly JudgedCookie[]): Raised | null {
    const names = jar.filter(about).map(({ cookie }) => cookie.set.name)
    const cookies = names.slice(0, MAX_NAMES).map(name => printable(name, 64))
    return names.length === 0
      ? null
      : { detail: `${title}: ${cookieList(cookies, names.length)}.`, evidence: { cookies } }
  },
})

/** Maximum number of cookie names in a detail. */
const MAX_NAMES = 5

function cookieList(cookies: readonly string[], total: number): string {
  const names = cookies.map(name => (name === '' ? 'a nameless one' : name)).join(', ')
  return total > cookies.length ? `${names} and ${total - cookies.length} more` : names
}

/** A rejected cookie is never sent and nothing reads it. */
const isSession = ({ cookie, kind, issues }: JudgedCookie, ...faults: readonly CookieIssue[]): boolean =>
  kind === 'session' && cookie.rejection === null && faults.some(fault => issues.includes(fault))

/** Raised over all cookies of the visit. */
export const signals = {
  session_cookie_without_secure: hygiene({
    weight: 3,
    severity: 'medium',
    title: 'Session cookie without Secure',
    advice: 'If the site is yours, set Secure, HttpOnly and SameSite=Lax on session cookies.',
    also_fixes: ['session_cookie_without_http_only', 'session_cookie_without_same_site'],
    about: cookie => isSession(cookie, 'missing_secure'),
  }),
  session_cookie_without_http_only: hygiene({
    weight: 2,
    severity: 'low',
    title: 'Session cookie without HttpOnly',
    advice: 'If the site is yours, set HttpOnly on session cookies.',
    about: cookie => isSession(cookie, 'missing_http_only'),
  }),
  session_cookie_without_same_site: hygiene({
    weight: 1,
    severity: 'low',
    title: 'Session cookie without SameSite',
    advice: 'If the site is yours, set SameSite=Lax on session cookies.',
    about: cookie => isSession(cookie, 'missing_same_site', 'invalid_same_site', 'same_site_none'),
  }),
  cookie_prefix_violated: hygiene({
    weight: 1,
    severity: 'low',
    title: 'Cookie violates the rules of its name prefix',
    advice: 'If the site is yours, set the attributes that the cookie’s prefix requires, or rename it.',
    about: ({ cookie }) => cookie.rejection === 'prefix_violated',
  }),
  cookie_rejected: hygiene({
    weight: 0,
    severity: 'info',
    title: 'Cookie rejected by browsers',
    advice: 'If the site is yours, correct the cookie: browsers reject it.',
    about: ({ cookie }) => cookie.rejection !== null,
  }),
} satisfies Signals<readonly JudgedCookie[]>
