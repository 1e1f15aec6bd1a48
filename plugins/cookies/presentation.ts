// How people see the section.
import {
  counted,
  labelsOf,
  type Presentation,
  quote,
  span,
  standIn,
  type Table,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

type Item = NonNullable<Section['items']>[number]

const label = labelsOf(Section)

const cookieText = ({ name, kind, issues }: Item): string =>
  `${name} (${kind})${issues.length > 0 ? `: ${issues.map(words).join(', ')}` : ''}`

function summarise(total: number, items: Section['items']): string {
  if (total === 0) return 'The page sets no cookies.'
  const flawed = (items ?? []).filter(({ issues }) => issues.length > 0).length
  const fix = flawed === 0 ? 'nothing to fix' : `${flawed} with issues`
  return `The page sets ${counted(total, 'cookie')}, ${fix}.`
}

const lasts = ({ max_age }: Item): Value => {
  if (max_age === null) return 'until the browser closes'
  return max_age > 0 ? span(max_age * 1_000) : 'deleted at once'
}

const table = (items: readonly Item[]): Table => ({
  title: label.items,
  columns: ['Name', 'Kind', 'Secure', 'HttpOnly', 'SameSite', 'Lasts', 'Issues'],
  rows: items.map(item => [
    quote(item.name),
    words(item.kind),
    item.secure,
    item.http_only,
    item.same_site ?? 'not set',
    lasts(item),
    item.issues.map(words),
  ]),
})

export const presentation: Presentation<Section> = {
  title: 'Cookies',
  looks: 'the cookies that the page sets and how they are protected; their values are never kept',
  order: 90,
  describe(section) {
    const { total, secure, http_only, same_site, score, items } = section
    if (total === null) {
      const summary = [standIn(section) ?? 'Which cookies the page sets is unknown.']
      return { summary, score: null, facts: [[label.items, null]] }
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
        [label.items, items?.map(cookieText) ?? null],
      ],
      tables: items === null || items.length === 0 ? [] : [table(items)],
    }
  },
}
