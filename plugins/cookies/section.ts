// The section's fields: counts over all cookies, and the first fifty without values.
import {
  cookiePrefixes,
  labelled,
  nullable,
  orUnknown,
  printable,
  ServedFields,
  type ServedSection,
  type Static,
  Type,
  withServed,
} from '../../src/engine/plugin.ts'
import { type CookieIssue, findIssues, issueIds, scoreOf } from './issues.ts'
import type { Cookie } from './jar.ts'
import { type CookieKind, kindOf, kinds } from './kinds.ts'

const Item = Type.Object(
  {
    name: Type.String({ description: 'Empty for a nameless cookie.' }),
    host: Type.String({ description: 'Host whose response set the cookie, including redirects.' }),
    scheme: Type.Enum(['https', 'http'], { description: 'Scheme of that response.' }),
    domain: nullable(
      Type.String({ description: 'Domain whose subdomains share the cookie; null if it is for the host only.' }),
    ),
    path: Type.String({ description: 'Requests below this path send the cookie.' }),
    secure: Type.Boolean({ description: 'Sent over HTTPS only.' }),
    http_only: Type.Boolean({ description: 'Hidden from scripts.' }),
    same_site: nullable(Type.Enum(['strict', 'lax', 'none'], { description: 'Null if absent or invalid.' })),
    session: Type.Boolean({ description: 'The cookie ends with the browser session.' }),
    max_age: nullable(
      Type.Integer({ description: 'Lifetime in seconds, at most 400 days; from Max-Age, otherwise from Expires.' }),
    ),
    prefix: nullable(
      Type.Enum([...cookiePrefixes], { description: 'The prefix of its name; browsers enforce its rules.' }),
    ),
    partitioned: Type.Boolean({ description: 'Stored separately for each site that embeds the page.' }),
    kind: Type.Enum([...kinds], { description: 'What it is for, by its name.' }),
    stored: Type.Boolean({ description: 'Browsers store the cookie. If not, the last issue says why.' }),
    issues: Type.Array(Type.Enum([...issueIds]), { description: 'What is wrong with it.' }),
  },
  { additionalProperties: false },
)

const Count = nullable(
  Type.Integer({ description: 'Counts the cookies seen; null if none was seen and plain HTTP is unknown.' }),
)

export const Section = Type.Object(
  {
    ...ServedFields,
    total: Count,
    secure: labelled('Secure (HTTPS only)', Count),
    http_only: labelled('HttpOnly (hidden from scripts)', Count),
    same_site: labelled('SameSite (not sent by other sites)', Count),
    kinds: nullable(
      Type.Object(
        Object.fromEntries(
          kinds.map(kind => [kind, Type.Integer({ description: `Cookies of the kind \`${kind}\`.` })]),
        ) as Record<CookieKind, Type.TInteger>,
        { additionalProperties: false, description: 'Number of cookies of each kind, by their names.' },
      ),
    ),
    score: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: '100 without issues; null while plain HTTP is unknown.' }),
    ),
    items: labelled(
      'Cookies',
      nullable(
        Type.Array(Item, {
          description: 'At most 50, in the order they were set; null if none was seen and plain HTTP is unknown.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

/** A cookie with its kind and its issues. */
export interface JudgedCookie {
  readonly cookie: Cookie
  readonly kind: CookieKind
  readonly issues: readonly CookieIssue[]
}

/** Names the kind and the issues of a cookie. */
export function judge(cookie: Cookie): JudgedCookie {
  const kind = kindOf(cookie.set.name)
  return { cookie, kind, issues: findIssues(cookie, kind) }
}

const MAX_ITEMS = 50

/** `isWhole`: plain HTTP was seen too, which may set more cookies. */
export function describe(fields: ServedSection, cookies: readonly JudgedCookie[], isWhole: boolean): Section {
  const isKnown = isWhole || cookies.length > 0
  const count = (test: (one: JudgedCookie) => boolean) => (isKnown ? cookies.filter(test).length : null)
  return withServed(fields, {
    total: count(() => true),
    secure: count(({ cookie }) => cookie.set.secure),
    http_only: count(({ cookie }) => cookie.set.http_only),
    same_site: count(({ cookie }) => sameSite(cookie) !== null),
    kinds: isKnown ? kindsOf(cookies) : null,
    score: isWhole ? scoreOf(cookies) : null,
    items: orUnknown(cookies.slice(0, MAX_ITEMS).map(item), isWhole),
  })
}

const kindsOf = (cookies: readonly JudgedCookie[]) =>
  Object.fromEntries(kinds.map(one => [one, cookies.filter(({ kind }) => kind === one).length])) as Record<
    CookieKind,
    number
  >

const sameSite = ({ set }: Cookie) => (set.same_site === 'invalid' ? null : set.same_site)

function item({ cookie, kind, issues }: JudgedCookie): Static<typeof Item> {
  const { set, host, https, domain, path, max_age, rejection } = cookie
  return {
    name: printable(set.name, 256),
    host: printable(host, 256),
    scheme: https ? 'https' : 'http',
    domain: domain === null ? null : withoutValue(domain),
    path: withoutValue(path),
    secure: set.secure,
    http_only: set.http_only,
    same_site: sameSite(cookie),
    session: max_age === null,
    max_age,
    prefix: set.prefix,
    partitioned: set.partitioned,
    kind,
    stored: rejection === null,
    issues: [...issues],
  }
}

/** Proxies that join fields with commas merge a second cookie into an attribute: `Path=/, token=...`. */
const withoutValue = (attribute: string): string => printable(attribute.split('=', 1)[0] ?? '', 256)
