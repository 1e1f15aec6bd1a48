// The issues of a cookie and the score points they cost, by the kind of cookie.
import { type Cookie, type Rejection, rejections } from './jar.ts'
import type { CookieKind } from './kinds.ts'

const faults = [
  'missing_secure',
  'missing_http_only',
  'missing_same_site',
  'invalid_same_site',
  'same_site_none',
  'set_over_http',
  'shared_with_subdomains',
  'long_lived',
] as const
type CookieFault = (typeof faults)[number]

/** All issues: faults of what is stored, then reasons why browsers store nothing. */
export const issueIds = [...faults, ...rejections] as const
export type CookieIssue = CookieFault | Rejection

type Costs = Readonly<Record<CookieKind, number | null>>

/** Points of 100; null means no issue for that kind. Scripts must read many CSRF, analytics and consent cookies. */
const costs: Readonly<Record<CookieFault, Costs>> = {
  missing_secure: { session: 40, csrf: 20, other: 15, analytics: 5, consent: 5 },
  missing_http_only: { session: 30, csrf: null, other: 5, analytics: null, consent: null },
  missing_same_site: { session: 10, csrf: 10, other: 5, analytics: null, consent: null },
  invalid_same_site: { session: 10, csrf: 10, other: 5, analytics: 2, consent: 2 },
  same_site_none: { session: 10, csrf: 10, other: null, analytics: null, consent: null },
  set_over_http: { session: 10, csrf: 10, other: 5, analytics: 2, consent: 2 },
  shared_with_subdomains: { session: 5, csrf: 5, other: null, analytics: null, consent: null },
  long_lived: { session: 5, csrf: null, other: null, analytics: null, consent: null },
}

/** Browsers discard a rejected cookie, so the site's feature that needs it does not work. */
const REJECTION_COST = 10

/** Maximum lifetime of a session cookie in seconds: half a year. */
const LONG = 180 * 86_400

const holds: Readonly<Record<CookieFault, (cookie: Cookie) => boolean>> = {
  missing_secure: ({ set }) => !set.secure,
  missing_http_only: ({ set }) => !set.http_only,
  missing_same_site: ({ set }) => set.same_site === null,
  invalid_same_site: ({ set }) => set.same_site === 'invalid',
  same_site_none: ({ set }) => set.same_site === 'none',
  set_over_http: ({ https }) => !https,
  shared_with_subdomains: ({ domain }) => domain !== null,
  long_lived: ({ max_age }) => max_age !== null && max_age > LONG,
}

const costOf = (issue: CookieIssue, kind: CookieKind): number | null =>
  Object.hasOwn(costs, issue) ? costs[issue as CookieFault][kind] : REJECTION_COST

/** The issues of a cookie of that kind. */
export const findIssues = (cookie: Cookie, kind: CookieKind): readonly CookieIssue[] => [
  ...faults.filter(fault => costs[fault][kind] !== null && holds[fault](cookie)),
  ...(cookie.rejection === null ? [] : [cookie.rejection]),
]

/** 100 without issues. Each kind of issue counts once, at the cookie where it costs most, so fixing one never costs points. */
export function scoreOf(
  cookies: readonly { readonly kind: CookieKind; readonly issues: readonly CookieIssue[] }[],
): number {
  const worst = new Map<CookieIssue, number>()
  for (const { kind, issues } of cookies) {
    for (const issue of issues) worst.set(issue, Math.max(worst.get(issue) ?? 0, costOf(issue, kind) ?? 0))
  }
  return Math.max(0, 100 - [...worst.values()].reduce((sum, cost) => sum + cost, 0))
}
