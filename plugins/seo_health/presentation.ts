// How people see the section.
import {
  counted,
  labelsOf,
  languageName,
  NONE,
  type Presentation,
  quote,
  type Remark,
  type Static,
  share,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { Section as schema } from './section.ts'

type Section = Static<typeof schema>

const label = labelsOf(schema)

function indexing(indexable: boolean | null): string {
  if (indexable === null) return 'It is unknown whether search engines may index the page'
  return indexable ? 'Search engines may index the page' : 'The page asks search engines not to index it'
}

function summarise(section: Section): string {
  const { score, indexable, issues } = section
  const scoreText = score === null ? 'there is no score, because a part was not seen' : `it scores ${score} of 100`
  const remarks = issues === null ? '' : `, with ${counted(issues.length, 'issue')}`
  return `${indexing(indexable)}; ${scoreText}${remarks}.`
}

/** The status of a file without its content. */
const fileFact = (status: string): Value => (status === 'unknown' ? null : status === 'missing' ? NONE : words(status))

function sitemapFact(sitemaps: Section['sitemaps']): Value {
  if (sitemaps === null) return null
  const files = sitemaps.filter(({ status }) => status === 'found').map(({ url }) => url)
  if (files.length > 0) return files
  const other = (['unknown', 'denied'] as const).find(outcome => sitemaps.some(({ status }) => status === outcome))
  return fileFact(other ?? 'missing')
}

const remarkOf = ({ message }: NonNullable<Section['issues']>[number]): Remark => ({ text: message })

/** The rules behind what is judged. */
const sources = [
  {
    label: 'Google: SEO starter guide',
    url: 'https://developers.google.com/search/docs/fundamentals/seo-starter-guide',
  },
  { label: 'robots.txt (RFC 9309)', url: 'https://www.rfc-editor.org/rfc/rfc9309' },
  { label: 'Sitemaps', url: 'https://www.sitemaps.org/protocol.html' },
  { label: 'Text alternatives (WCAG 2.2)', url: 'https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Search engines',
  looks: 'whether search engines can crawl, index and understand the page; it does not affect the score',
  order: 160,
  describe(section, { isWhole }) {
    const { score, robots_txt, sitemaps, lang, word_count, images, issues } = section
    return {
      summary: [summarise(section)],
      score,
      facts: [
        [label.robots_txt, robots_txt === null ? null : fileFact(robots_txt.status)],
        [label.sitemaps, sitemapFact(sitemaps)],
        [label.lang, lang === null ? (score !== null && isWhole ? NONE : null) : quote(languageName(lang))],
        [label.word_count, word_count],
        [
          'Images without alternative text',
          images && share(images.without_alt, images.total, 'the page has no images'),
        ],
      ],
      remarks: (issues ?? []).map(remarkOf),
      links: sources,
    }
  },
}
