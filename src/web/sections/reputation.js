import { day, span } from '../times.js'
import { counted, quote, words } from './section.js'

const DAY_MS = 86_400_000

/** @typedef {{ name: string, listed: boolean | null, category: string | null, reason: string | null }} List */

/** @type {(lists: readonly List[], hits: number | null) => string} */
function listing(lists, hits) {
  if (hits === null) return 'No blocklist answered, so whether it is listed is not known'
  const answered = lists.filter(({ listed }) => listed !== null).length
  return hits === 0
    ? `None of the ${answered} blocklist answers names it`
    : `${counted(hits, 'blocklist names', 'blocklists name')} it`
}

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise({ lists, blacklist_hits, age_days, lookalike_of }) {
  const age =
    age_days === null
      ? '; since when it is registered is not known.'
      : `; it was registered ${span(age_days * DAY_MS)} ago.`
  const like = lookalike_of === null ? [] : [' Its name passes itself off as one of ', quote(lookalike_of), '.']
  return [listing(lists, blacklist_hits) + age, ...like]
}

/** @type {import('./section.js').Section} */
export const reputation = {
  title: 'Reputation',
  looks: 'blocklists, the age of the registration, look-alikes of brands, and names like those of malicious sites',
  tell(section) {
    const { lists, ml_score, ml_traits, registered_at, expires_at, registrar } = section
    /** @type {(wanted: boolean | null) => readonly List[]} */
    const which = wanted => lists.filter((/** @type {List} */ { listed }) => listed === wanted)
    return {
      summary: summarise(section),
      facts: [
        ['Listed by', which(true).map(({ name, category }) => (category ? `${name} (${words(category)})` : name))],
        ['Not listed by', which(false).map(({ name }) => name)],
        ['No answer from', which(null).map(({ name, reason }) => (reason ? `${name} (${words(reason)})` : name))],
        [
          'Name model',
          ml_score === null ? null : `${ml_score} of 100${ml_traits.length > 0 ? `: ${ml_traits.join(', ')}` : ''}`,
        ],
        ['Registered', day(registered_at)],
        ['Expires', day(expires_at)],
        ['Registrar', registrar === null ? null : quote(registrar)],
      ],
    }
  },
}
