// How people see the section.
import {
  foremost,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  type Sentence,
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

/** Technologies named in a summary: the table has all. */
const MAX_NAMES = 3

/** Those that were recognised, by name. */
function technologySentence(technologies: Section['technologies'], isBlocked: boolean): Sentence {
  if (technologies === null) return ['The site’s technology is unknown.']
  const start = isBlocked ? 'From outside we recognised ' : 'We recognised '
  if (technologies.length === 0) return [`${start}no technology.`]
  const technologyNames = foremost(technologies, MAX_NAMES).map(withVersion)
  const more = technologies.length - technologyNames.length
  const last = more > 0 ? [` and ${more} more.`] : ['.']
  return [
    start,
    ...technologyNames.flatMap((name, at) => [at === 0 ? '' : joint(at, technologyNames.length, more), quote(name)]),
    ...last,
  ]
}

const joint = (at: number, length: number, more: number): string => (at === length - 1 && more === 0 ? ' and ' : ', ')

const withVersion = ({ name, version }: NonNullable<Section['technologies']>[number]): string =>
  version === null ? name : `${name} ${version}`

/** Kinds whose name is an abbreviation. */
const KINDS: Readonly<Record<string, string>> = { cdn: 'CDN', cms: 'CMS' }

export const presentation: Presentation<Section> = {
  title: 'Technology',
  looks: 'the software and services that the site uses',
  order: 110,
  describe(section, { isWhole }) {
    const { server, framework, technologies, third_parties, blocked } = section
    const kinds = new Map<string, string[]>()
    for (const one of technologies ?? [])
      kinds.set(one.category, [...(kinds.get(one.category) ?? []), withVersion(one)])
    const isSeen = isWhole && !blocked
    const instead = standIn(section)
    return {
      summary: [...(instead === null ? [] : [`${instead} `]), ...technologySentence(technologies, blocked)],
      ...(blocked ? { score: null } : {}),
      facts: [
        // The web server that was recognised says the same, with its version.
        ...(kinds.has('web_server') ? [] : [[label.server, quoteOr(server, isSeen ? NONE : null)] as const]),
        [label.framework, quoteOr(framework, isSeen ? 'none that we recognise' : null)],
        ...[...kinds].map(([kind, names]) => [KINDS[kind] ?? titled(kind), names] as const),
      ],
      tables: partyTable(third_parties),
      links: sources,
    }
  },
}
