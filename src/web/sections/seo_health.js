import { counted, standIn, words } from './section.js'

/** @type {(section: any) => string} */
function summarise(section) {
  const { score, indexable, issues } = section
  if (score === null) return standIn(section) ?? 'There is no page to judge.'
  const found =
    indexable === false ? 'Search engines are told not to list the page' : 'Search engines can find the page'
  return `${found}; it scores ${score} of 100, with ${counted(issues.length, 'remark')}.`
}

/** @type {(sitemaps: readonly { status: string, url: string }[] | null) => import('./section.js').Value} */
function sitemapFact(sitemaps) {
  if (sitemaps === null) return null
  const found = sitemaps.filter(({ status }) => status === 'found').map(({ url }) => url)
  return found.length > 0 ? found : words(sitemaps[0]?.status ?? 'missing')
}

/** @type {import('./section.js').Section} */
export const seo_health = {
  title: 'Search engines',
  looks: 'whether search engines can find, keep and understand the page; none of it costs points',
  tell(section) {
    const { robots_txt, sitemaps, lang, word_count, images, issues } = section
    return {
      summary: [summarise(section)],
      facts: [
        ['robots.txt', robots_txt === null ? null : words(robots_txt.status)],
        ['Sitemap', sitemapFact(sitemaps)],
        ['Language', lang],
        ['Words', word_count],
        ['Images without text', images === null ? null : `${images.without_alt} of ${images.total}`],
      ],
      remarks: issues.map((/** @type {{ message: string }} */ { message }) => message),
    }
  },
}
