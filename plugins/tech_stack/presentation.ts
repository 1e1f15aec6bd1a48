// How people see the section.
import {
  counted,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  standIn,
  type Table,
  titled,
  words,
} from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

/** How technology is recognised. */
const sources = [
  {
    label: 'Header fields that name software (RFC 9110)',
    url: 'https://www.rfc-editor.org/rfc/rfc9110#section-10.2.4',
  },
  {
    label: 'OWASP: fingerprint a web server',
    url: 'https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/01-Information_Gathering/02-Fingerprint_Web_Server',
  },
] as const

function partyTable(parties: Section['third_parties']): readonly Table[] {
  const rows = (parties ?? []).map(({ host, uses, technologies, purposes }) => {
    return [quote(host), uses.map(use => words(use)), technologies, purposes.map(purpose => words(purpose))]
  })
  const columns = ['Host', 'Used for', 'Services', 'Purpose']
  return rows.length === 0 ? [] : [{ title: label.third_parties, columns, rows }]
}

export const presentation: Presentation<Section> = {
  title: 'Technology',
  looks: 'the software and services that the site uses',
  order: 110,
  describe(section, { isWhole }) {
    const { server, framework, technologies, third_parties, blocked } = section
    const kinds = new Map<string, string[]>()
    for (const { name, version, category } of technologies ?? []) {
      kinds.set(category, [...(kinds.get(category) ?? []), version === null ? name : `${name} ${version}`])
    }
    const isSeen = isWhole && !blocked
    const found =
      technologies === null
        ? 'The site’s technology is unknown.'
        : `${blocked ? 'From outside we recognised' : 'We recognised'} ${counted(technologies.length, 'technology', 'technologies')}.`
    return {
      summary: [[standIn(section), found].filter(Boolean).join(' ')],
      ...(blocked ? { score: null } : {}),
      facts: [
        [label.server, quoteOr(server, isSeen ? NONE : null)],
        [label.framework, quoteOr(framework, isSeen ? 'none that we recognise' : null)],
        ...[...kinds].map(([kind, names]) => [titled(kind), names] as const),
      ],
      tables: partyTable(third_parties),
      links: sources,
    }
  },
}
