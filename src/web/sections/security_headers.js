import { counted, quote, standIn } from './section.js'

const headers = /** @type {const} */ ([
  ['https', 'HTTPS'],
  ['hsts', 'Strict-Transport-Security'],
  ['csp', 'Content-Security-Policy'],
  ['x_frame_options', 'Framing'],
  ['x_content_type_options', 'X-Content-Type-Options'],
  ['referrer_policy', 'Referrer-Policy'],
  ['permissions_policy', 'Permissions-Policy'],
  ['coop', 'Cross-Origin-Opener-Policy'],
  ['coep', 'Cross-Origin-Embedder-Policy'],
  ['corp', 'Cross-Origin-Resource-Policy'],
  ['cors', 'Cross-origin access'],
])

/** @type {Readonly<Record<string, string>>} */
const judged = { pass: 'good', warn: 'could be better', fail: 'missing or ineffective' }

/** @type {import('./section.js').Section} */
export const security_headers = {
  title: 'Security headers',
  looks: 'the response headers that protect visitors in their browsers',
  describe(section) {
    const { grade, score, leaks } = section
    const known = headers.flatMap(([field, name]) => (section[field] ? [{ name, ...section[field] }] : []))
    const unknown = section.blocked ? [] : headers.filter(([field]) => !section[field])
    const failed = known.filter(({ status }) => status === 'fail').length
    const own = `Grade ${grade} (${score} of 100): ${counted(failed, 'protection is', 'protections are')} missing or ineffective.`
    /** @type {readonly { name: string, value: string }[] | null} */
    const disclosed = section.blocked ? null : leaks
    return {
      summary: [grade === null ? (standIn(section) ?? 'The page could not be read, so there is no grade.') : own],
      score,
      facts: [
        ...known.map(({ name, status }) => /** @type {const} */ ([name, judged[status] ?? 'does not apply'])),
        ...unknown.map(([, name]) => /** @type {const} */ ([name, null])),
        ['Software disclosed', disclosed?.map(({ name, value }) => `${name}: ${value}`) ?? null],
        ['Page', quote(section.evaluated_url)],
      ],
      remarks: known.flatMap(({ status, recommendation }) =>
        status === 'fail' && recommendation ? [recommendation] : [],
      ),
    }
  },
}
