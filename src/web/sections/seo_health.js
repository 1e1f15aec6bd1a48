import { counted, NONE, standIn, words } from './section.js'

/** @type {(section: any) => string} */
function summarise(section) {
  const { score, indexable, issues } = section
  if (score === null) return standIn(section) ?? 'There is no page to judge.'
  const remarks = issues === null ? '' : `, with ${counted(issues.length, 'issue')}`
  return `${found(indexable)}; it scores ${score} of 100${remarks}.`
}

/** @type {(indexable: boolean | null) => string} */
function found(indexable) {
  if (indexable === null) return 'It is unknown whether search engines may index the page'
  return indexable ? 'Search engines may index the page' : 'Search engines are told not to index the page'
}

/** The status of a file without its content. @type {(status: string) => import('./section.js').Value} */
const fileFact = status => (status === 'unknown' ? null : status === 'missing' ? NONE : words(status))

/** @type {(sitemaps: readonly { status: string, url: string }[] | null) => import('./section.js').Value} */
function sitemapFact(sitemaps) {
  if (sitemaps === null) return null
  const files = sitemaps.filter(({ status }) => status === 'found').map(({ url }) => url)
  if (files.length > 0) return files
  const other = ['unknown', 'denied'].find(wanted => sitemaps.some(({ status }) => status === wanted))
  return fileFact(other ?? 'missing')
}

/** @type {import('./section.js').Section} */
export const seo_health = {
  title: 'Search engines',
  looks: 'whether search engines can crawl, index and understand the page; it does not affect the score',
  describe(section, isWhole) {
    const { score, robots_txt, sitemaps, lang, word_count, images, issues } = section
    return {
      summary: [summarise(section)],
      score,
      facts: [
        ['robots.txt', robots_txt === null ? null : fileFact(robots_txt.status)],
        ['Sitemap', sitemapFact(sitemaps)],
        ['Language', lang ?? (score !== null && isWhole ? NONE : null)],
        ['Words', word_count],
        ['Images without alternative text', images === null ? null : `${images.without_alt} of ${images.total}`],
      ],
      remarks: (issues ?? []).map((/** @type {{ message: string }} */ { message }) => message),
    }
  },
}
