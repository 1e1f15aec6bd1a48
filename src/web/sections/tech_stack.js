import { counted, quote, standIn, words } from './section.js'

/** @typedef {{ name: string, version: string | null, category: string }} Technology */

/** @type {import('./section.js').Section} */
export const tech_stack = {
  title: 'Technology',
  looks: 'what software the site gives away that it runs on',
  tell(section) {
    const { server, framework, technologies } = section
    /** @type {Map<string, string[]>} */
    const kinds = new Map()
    for (const { name, version, category } of /** @type {readonly Technology[]} */ (technologies)) {
      kinds.set(category, [...(kinds.get(category) ?? []), version === null ? name : `${name} ${version}`])
    }
    const found = `The site gives away ${counted(technologies.length, 'technology', 'technologies')}.`
    return {
      summary: [[standIn(section), found].filter(Boolean).join(' ')],
      facts: [
        ['Server', server === null ? null : quote(server)],
        ['Framework', framework === null ? null : quote(framework)],
        ...[...kinds].map(([kind, names]) => /** @type {const} */ ([labelOf(kind), names])),
      ],
    }
  },
}

const labelOf = (/** @type {string} */ kind) => `${kind.slice(0, 1).toUpperCase()}${words(kind.slice(1))}`
