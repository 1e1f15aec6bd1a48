import { counted, standIn, words } from './section.js'

/** @typedef {{ name: string, kind: string, issues: readonly string[] }} Cookie */

/** @type {(cookie: Cookie) => string} */
const shown = ({ name, kind, issues }) =>
  `${name} (${kind})${issues.length > 0 ? `: ${issues.map(words).join(', ')}` : ''}`

/** @type {import('./section.js').Section} */
export const cookies = {
  title: 'Cookies',
  looks: 'the cookies that the page sets and how they are protected; their values are never kept',
  tell(section) {
    const { total, secure, http_only, same_site, score, items } = section
    const flawed = items.filter((/** @type {Cookie} */ { issues }) => issues.length > 0).length
    const own =
      total === 0
        ? 'The page sets no cookies.'
        : `The page sets ${counted(total, 'cookie')}; ${counted(flawed, 'of them has', 'of them have')} something to mend.`
    return {
      summary: [total === null ? (standIn(section) ?? 'Cookies could not be judged.') : own],
      facts:
        total === null || total === 0
          ? []
          : [
              ['Only over HTTPS', `${secure} of ${total}`],
              ['Hidden from scripts', `${http_only} of ${total}`],
              ['Kept from other sites', `${same_site} of ${total}`],
              ['Score', score === null ? null : `${score} of 100`],
              ['Cookies', items.map(shown)],
            ],
    }
  },
}
