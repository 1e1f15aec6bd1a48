// How people see the section.
import { counted, labelsOf, NONE, type Presentation, quoteOr, standIn, titled } from '../../src/engine/plugin.ts'
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

export const presentation: Presentation<Section> = {
  title: 'Technology',
  looks: 'the software and services that the site uses',
  order: 110,
  describe(section, { isWhole }) {
    const { server, framework, technologies, blocked } = section
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
      links: sources,
    }
  },
}
