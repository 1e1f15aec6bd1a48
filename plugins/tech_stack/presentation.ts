// How people see the section.
import { counted, labelsOf, NONE, type Presentation, quoteOr, standIn, titled } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

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
    }
  },
}
