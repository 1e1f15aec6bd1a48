import { NONE, quote, quoteOr, words } from './section.js'

/** @typedef {{ found: boolean | null, valid: boolean | null, expired: boolean | null, expires_at: string | null }} File */

/** @type {(section: File) => string} */
function summarise({ found, valid, expired, expires_at }) {
  if (found === null) return 'Whether the site has a security.txt file is unknown.'
  if (!found) return 'The site has no security.txt file.'
  if (expired) return `The security.txt file expired on ${expires_at?.slice(0, 10)}.`
  return valid ? 'The security.txt file is valid.' : 'The security.txt file is invalid.'
}

/** @type {import('./section.js').Section} */
export const security_txt = {
  title: 'Security contact',
  looks: 'whether the site says in security.txt where to report vulnerabilities',
  informs: true,
  describe(section) {
    const { url, found, valid, signed, expires_at, fields, issues } = section
    const summary = [summarise(section)]
    if (!found) return { summary, facts: [['File', found === null ? null : NONE]] }
    /** @type {readonly { name: string, value: string }[]} */
    const shown = fields ?? []
    const contacts = shown.filter(({ name }) => name === 'contact').map(({ value }) => value)
    const others = shown.filter(({ name }) => name !== 'contact' && name !== 'expires')
    return {
      summary,
      facts: [
        ['File', quote(url)],
        ['Contact', fields === null ? null : contacts],
        ['Expires', quoteOr(expires_at)],
        ['Signed (signature not verified)', signed],
        ['Follows RFC 9116', valid],
        ['Issues', issues?.map(words) ?? null],
        ['Other fields', fields === null ? null : others.map(({ name, value }) => `${name}: ${value}`)],
      ],
    }
  },
}
