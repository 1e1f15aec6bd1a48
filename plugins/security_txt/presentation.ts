// How people see the section.
import { day, labelsOf, NONE, type Presentation, quote, words } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

function summarise({ found, valid, expired, expires_at }: Section): string {
  if (found === null) return 'Whether the site has a security.txt file is unknown.'
  if (!found) return 'The site has no security.txt file.'
  if (expired) return `The security.txt file expired on ${day(expires_at)}.`
  return valid ? 'The security.txt file is valid.' : 'The security.txt file is invalid.'
}

/** The rules behind what is judged. */
const sources = [
  { label: 'security.txt (RFC 9116)', url: 'https://www.rfc-editor.org/rfc/rfc9116' },
  { label: 'securitytxt.org', url: 'https://securitytxt.org/' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Security contact',
  looks: 'whether the site says in security.txt where to report vulnerabilities',
  order: 150,
  informs: true,
  describe(section) {
    const { url, found, valid, signed, expires_at, fields, issues } = section
    const summary = [summarise(section), ...(signed ? ['Its signature was not verified.'] : [])]
    if (!found) return { summary, facts: [[label.url, found === null ? null : NONE]], links: sources }
    const rows = fields ?? []
    const contacts = rows.filter(({ name }) => name === 'contact').map(({ value }) => value)
    const others = rows.filter(({ name }) => name !== 'contact' && name !== 'expires')
    return {
      summary,
      facts: [
        [label.url, quote(url)],
        ['Contact', fields === null ? null : contacts],
        [label.expires_at, day(expires_at)],
        [label.signed, signed],
        [label.valid, valid],
        [label.issues, issues?.map(words) ?? null],
        ['Other fields', fields === null ? null : others.map(({ name, value }) => `${name}: ${value}`)],
      ],
      links: sources,
    }
  },
}
