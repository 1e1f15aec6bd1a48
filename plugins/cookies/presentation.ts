// How people see the section.
import {
  counted,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  span,
  type Table,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

type CookieItem = NonNullable<Section['items']>[number]

const label = labelsOf(Section)

function summarise(total: number, items: Section['items']): string {
  if (total === 0) return 'The page sets no cookies.'
  const flawedCount = (items ?? []).filter(({ issues }) => issues.length > 0).length
  const fix = flawedCount === 0 ? 'nothing to fix' : `${flawedCount} with issues`
  return `The page sets ${counted(total, 'cookie')}, ${fix}.`
}

const lasts = ({ max_age }: CookieItem): Value => {
  if (max_age === null) return 'until the browser closes'
  return max_age > 0 ? span(max_age * 1_000) : 'deleted at once'
}

const table = (items: readonly CookieItem[]): Table => ({
  title: label.items,
  columns: ['Name', 'Set by', 'Domain', 'Path', 'Kind', 'Secure', 'HttpOnly', 'SameSite', 'Lasts', 'Issues'],
  rows: items.map(item => [
    quote(item.name),
    quote(`${item.scheme}://${item.host}`),
    quoteOr(item.domain, 'this host only'),
    quote(item.path),
    words(item.kind),
    item.secure,
    item.http_only,
    item.same_site ?? 'not set',
    lasts(item),
    item.issues.map(words),
  ]),
})

/** The rules behind what is judged. */
const sources = [
  { label: 'Cookies (RFC 6265)', url: 'https://www.rfc-editor.org/rfc/rfc6265' },
  { label: 'Set-Cookie (MDN)', url: 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie' },
  {
    label: 'OWASP: session management cheat sheet',
    url: 'https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html',
  },
] as const

export const presentation: Presentation<Section> = {
  title: 'Cookies',
  looks: 'the cookies that the page sets and how they are protected; their values are never kept',
  order: 90,
  describe(section) {
    const { total, secure, http_only, same_site, score, items } = section
    if (total === null) {
      return { summary: ['Which cookies the page sets is unknown.'], score: null, facts: [[label.items, null]] }
    }
    return {
      summary: [summarise(total, items)],
      score,
      facts: [
        ...(total === 0
          ? []
          : ([
              [label.secure, `${secure} of ${total}`],
              [label.http_only, `${http_only} of ${total}`],
              [label.same_site, `${same_site} of ${total}`],
              [label.score, score === null ? null : `${score} of 100`],
            ] as const)),
        ...(items === null || items.length === 0 ? ([[label.items, items && NONE]] as const) : []),
      ],
      tables: items === null || items.length === 0 ? [] : [table(items)],
      links: sources,
    }
  },
}
