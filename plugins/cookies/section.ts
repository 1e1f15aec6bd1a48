// The section's fields: counts over all cookies, and the first fifty without their values.
import {
  ServedFields,
  type ServedSection,
  type Static,
  type TSchema,
  Type,
  withServed,
} from '../../src/engine/plugin.ts'
import { findIssues, type Issue, issueIds, scoreOf } from './issues.ts'
import type { Cookie } from './jar.ts'
import { type Kind, kindOf, kinds } from './kinds.ts'

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const Item = Type.Object(
  {
    name: Type.String({ description: 'Empty when the cookie has none.' }),
    host: Type.String({ description: 'Whose response set it; redirects are included.' }),
    domain: nullable(Type.String({ description: 'With its subdomains; null: for the host alone.' })),
    path: Type.String(),
    secure: Type.Boolean(),
    http_only: Type.Boolean(),
    same_site: nullable(Type.Enum(['strict', 'lax', 'none'], { description: 'Null when absent or invalid.' })),
    session: Type.Boolean({ description: 'It ends with the browser.' }),
    max_age: nullable(
      Type.Integer({ description: 'Seconds it lives, at most 400 days; by Max-Age, else by Expires.' }),
    ),
    prefix: nullable(Type.Enum(['__Host-', '__Secure-'])),
    partitioned: Type.Boolean(),
    kind: Type.Enum([...kinds]),
    stored: Type.Boolean({ description: 'Browsers store it; else the last issue tells why not.' }),
    issues: Type.Array(Type.Enum([...issueIds])),
  },
  { additionalProperties: false },
)

const Count = nullable(Type.Integer({ description: 'Null when `blocked`.' }))

export const Section = Type.Object(
  {
    ...ServedFields,
    total: Count,
    secure: Count,
    http_only: Count,
    same_site: Count,
    kinds: nullable(
      Type.Object(Object.fromEntries(kinds.map(kind => [kind, Type.Integer()])) as Record<Kind, Type.TInteger>, {
        additionalProperties: false,
      }),
    ),
    score: nullable(Type.Integer({ minimum: 0, maximum: 100, description: '100 when nothing is wrong.' })),
    items: Type.Array(Item, { description: 'At most 50, in the order they were set.' }),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

/** A cookie with what it is for and what is wrong with it. */
export interface Judged {
  readonly cookie: Cookie
  readonly kind: Kind
  readonly issues: readonly Issue[]
}

export function judge(cookie: Cookie): Judged {
  const kind = kindOf(cookie.set.name)
  return { cookie, kind, issues: findIssues(cookie, kind) }
}

const LISTED = 50

export function describe(fields: ServedSection, judged: readonly Judged[]): Section {
  const count = (test: (one: Judged) => boolean) => judged.filter(test).length
  return withServed(fields, {
    total: judged.length,
    secure: count(({ cookie }) => cookie.set.secure),
    http_only: count(({ cookie }) => cookie.set.http_only),
    same_site: count(({ cookie }) => sameSite(cookie) !== null),
    kinds: Object.fromEntries(kinds.map(kind => [kind, count(one => one.kind === kind)])) as Record<Kind, number>,
    score: scoreOf(judged),
    items: judged.slice(0, LISTED).map(item),
  })
}

/** Cookies of a response that is not the site's own are not the site's either. */
export const uncounted = (fields: ServedSection): Section =>
  withServed(fields, {
    total: null,
    secure: null,
    http_only: null,
    same_site: null,
    kinds: null,
    score: null,
    items: [],
  })

const sameSite = ({ set }: Cookie) => (set.same_site === 'invalid' ? null : set.same_site)

function item({ cookie, kind, issues }: Judged): Section['items'][number] {
  const { set, host, domain, path, max_age, rejection } = cookie
  return {
    name: shown(set.name),
    host: shown(host),
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

/** Printable, well-formed, and not too long. */
const shown = (text: string): string => text.slice(0, 256).replace(/[\p{Cc}\p{Cs}]+/gu, '')

/** Proxies that join fields with commas put a second cookie into an attribute: `Path=/, token=...`. */
const withoutValue = (attribute: string): string => shown(attribute.split('=', 1)[0] ?? '')
