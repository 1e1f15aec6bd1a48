import { counted, standIn, words } from './section.js'

/** @typedef {{ name: string, kind: string, issues: readonly string[] }} Cookie */

/** @type {(cookie: Cookie) => string} */
const cookieText = ({ name, kind, issues }) =>
  `${name} (${kind})${issues.length > 0 ? `: ${issues.map(words).join(', ')}` : ''}`

/** @type {(total: number, items: readonly Cookie[] | null) => string} */
function summarise(total, items) {
  if (total === 0) return 'The page sets no cookies.'
  const flawed = (items ?? []).filter(({ issues }) => issues.length > 0).length
  const fix = flawed === 0 ? 'nothing to fix' : `${flawed} with issues`
  return `The page sets ${counted(total, 'cookie')}, ${fix}.`
}

/** @type {import('./section.js').Section} */
export const cookies = {
  title: 'Cookies',
  looks: 'the cookies that the page sets and how they are protected; their values are never kept',
  describe(section) {
    const { total, secure, http_only, same_site, score, items } = section
    if (total === null) {
      const summary = [standIn(section) ?? 'Which cookies the page sets is unknown.']
      return { summary, score: null, facts: [['Cookies', null]] }
    }
    return {
      summary: [summarise(total, items)],
      score,
      facts: [
        ...(total === 0
          ? []
          : /** @type {const} */ ([
              ['Secure (HTTPS only)', `${secure} of ${total}`],
              ['HttpOnly (hidden from scripts)', `${http_only} of ${total}`],
              ['SameSite (not sent by other sites)', `${same_site} of ${total}`],
              ['Score', score === null ? null : `${score} of 100`],
            ])),
        ['Cookies', items?.map(cookieText) ?? null],
      ],
    }
  },
}
