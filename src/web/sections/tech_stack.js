import { counted, NONE, quoteOr, standIn, words } from './section.js'

/** @typedef {{ name: string, version: string | null, category: string }} Technology */

/** @type {import('./section.js').Section} */
export const tech_stack = {
  title: 'Technology',
  looks: 'the software and services that the site uses',
  describe(section, isWhole) {
    const { server, framework, technologies } = section
    /** @type {Map<string, string[]>} */
    const kinds = new Map()
    for (const { name, version, category } of /** @type {readonly Technology[]} */ (technologies ?? [])) {
      kinds.set(category, [...(kinds.get(category) ?? []), version === null ? name : `${name} ${version}`])
    }
    const isSeen = isWhole && !section.blocked
    const found =
      technologies === null
        ? 'The site’s technology is unknown.'
        : `${section.blocked ? 'From outside we recognised' : 'We recognised'} ${counted(technologies.length, 'technology', 'technologies')}.`
    return {
      summary: [[standIn(section), found].filter(Boolean).join(' ')],
      ...(section.blocked ? { score: null } : {}),
      facts: [
        ['Server', quoteOr(server, isSeen ? NONE : null)],
        ['Framework', quoteOr(framework, isSeen ? 'none that we recognise' : null)],
        ...[...kinds].map(([kind, names]) => /** @type {const} */ ([labelOf(kind), names])),
      ],
    }
  },
}

const labelOf = (/** @type {string} */ kind) => `${kind.slice(0, 1).toUpperCase()}${words(kind.slice(1))}`
