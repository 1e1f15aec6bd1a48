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
const judged = { pass: 'good', warn: 'could be better', fail: 'not good' }

/** @type {import('./section.js').Section} */
export const security_headers = {
  title: 'Protection of visitors',
  looks: 'the headers by which a site tells browsers to protect its visitors',
  tell(section) {
    const { grade, score, leaks } = section
    const known = headers.flatMap(([field, name]) => (section[field] ? [{ name, ...section[field] }] : []))
    const failed = known.filter(({ status }) => status === 'fail').length
    const own = `Grade ${grade} (${score} of 100): ${counted(failed, 'protection')} ${failed === 1 ? 'is' : 'are'} missing or without effect.`
    return {
      summary: [grade === null ? (standIn(section) ?? 'There is no page to judge.') : own],
      facts: [
        ...known.map(({ name, status }) => /** @type {const} */ ([name, judged[status] ?? null])),
        [
          'Software told',
          leaks.map((/** @type {{ name: string, value: string }} */ leak) => `${leak.name}: ${leak.value}`),
        ],
        ['Page', quote(section.evaluated_url)],
      ],
      remarks: known.flatMap(({ status, recommendation }) =>
        status === 'fail' && recommendation ? [recommendation] : [],
      ),
    }
  },
}
