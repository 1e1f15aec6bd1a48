import { day, span } from '../times.js'
import { counted, NONE, quote, quoteOr, words } from './section.js'

const DAY_MS = 86_400_000

/** @typedef {{ name: string, listed: boolean | null, category: string | null, reason: string | null }} List */

/** @type {(lists: readonly List[], hits: number | null) => string} */
function listing(lists, hits) {
  if (hits === null) return 'No blocklist answered, so whether it is listed is unknown'
  // A list that is queried for a name and its address has two entries.
  const answered = new Set(lists.filter(({ listed }) => listed !== null).map(({ name }) => name)).size
  const asked = `${counted(answered, 'blocklist')} that answered`
  return hits === 0 ? `Not listed on any of the ${asked}` : `Listed on ${hits} of the ${asked}`
}

/** @typedef {{ name: string, confirmed: boolean | null }} ReverseName */
/** @typedef {{ registered: boolean, start_address: string, end_address: string, name: string | null, holder: string | null, country: string | null, registered_at: string | null, abuse_email: string | null }} IpNetwork */

/** Names always have a model score, addresses never. @type {(section: any) => boolean} */
const isOfAddress = ({ ml_score, age_days, registered_at }) =>
  ml_score === null && age_days === null && registered_at === null

/** @type {(section: any) => import('./section.js').Sentence} */
const ageOf = ({ age_days }) => [
  age_days === null ? '; its registration date is unknown.' : `; it was registered ${span(age_days * DAY_MS)} ago.`,
]

/** @type {(network: IpNetwork | null) => import('./section.js').Sentence} */
function networkOf(network) {
  if (network === null) return ['; its network is unknown.']
  if (!network.registered) return ['; its network is not registered.']
  const holder = network.holder ?? network.name
  return holder === null ? ['; its network names no holder.'] : ['; it is in the network of ', quote(holder), '.']
}

/** @type {(names: readonly ReverseName[] | null) => import('./section.js').Sentence} */
function namesOf(names) {
  const [first] = names ?? []
  if (names === null) return [' Its reverse DNS names are unknown.']
  if (first === undefined) return [' It has no reverse DNS name.']
  const own = names.find(({ confirmed }) => confirmed)
  if (own) return [' Its reverse DNS name is ', quote(own.name), '.']
  const lies = names.every(({ confirmed }) => confirmed === false)
  return [' Its reverse DNS name is ', quote(first.name), lies ? ', which does not resolve back to it.' : '.']
}

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise(section) {
  const { lists, blacklist_hits, lookalike_of, ip_network, reverse_names } = section
  const whose = isOfAddress(section) ? [...networkOf(ip_network), ...namesOf(reverse_names)] : ageOf(section)
  const like = lookalike_of === null ? [] : [' The name imitates ', quote(lookalike_of), '.']
  return [listing(lists ?? [], blacklist_hits), ...whose, ...like]
}

/** @type {(section: any) => import('./section.js').Description['facts']} */
const domainFacts = ({ ml_score, ml_traits, registered_at, expires_at, registrar, popularity_rank }) => [
  [
    'Name model',
    ml_score === null ? null : `${ml_score} of 100${ml_traits?.length > 0 ? `: ${ml_traits.join(', ')}` : ''}`,
  ],
  ['Popularity', popularity_rank === null ? 'not ranked' : `rank ${popularity_rank} among the most visited domains`],
  ['Registered', day(registered_at)],
  ['Expires', day(expires_at)],
  ['Registrar', quoteOr(registrar)],
]

const leads = /** @type {const} */ ({ true: 'confirmed', false: 'does not resolve back', null: 'not looked up' })

/** What the registry says of a network, where it is known. @type {(network: IpNetwork | null) => import('./section.js').Description['facts']} */
function networkFacts(network) {
  if (network === null || !network.registered) return [['Network', network && NONE]]
  return [
    ['Block', `${network.start_address} to ${network.end_address}`],
    ['Network', quoteOr(network.name, NONE)],
    ['Holder', quoteOr(network.holder, NONE)],
    ['Holder’s country', network.country ?? NONE],
    ['Registered', day(network.registered_at)],
    ['Abuse contact', quoteOr(network.abuse_email, NONE)],
  ]
}

/** @type {(section: { reverse_names: readonly ReverseName[] | null, address_kind: string | null, ip_network: IpNetwork | null }) => import('./section.js').Description['facts']} */
const addressFacts = ({ reverse_names, address_kind, ip_network }) => [
  ['Reverse DNS', reverse_names?.map(({ name, confirmed }) => `${name} (${leads[`${confirmed}`]})`) ?? null],
  ['Kind by reverse DNS', address_kind === null ? reverse_names && 'not recognised' : words(address_kind)],
  ...networkFacts(ip_network),
]

/** @type {import('./section.js').Section} */
export const reputation = {
  title: 'Reputation',
  looks: 'blocklists, registration, brand imitation, and resemblance to malicious names',
  describe(section) {
    /** @type {readonly List[] | null} */
    const lists = section.lists
    /** @type {(wanted: boolean | null, show: (list: List) => string) => readonly string[] | null} */
    const which = (wanted, show) => lists?.filter(({ listed }) => listed === wanted).map(show) ?? null
    const isAnswered = section.blacklist_hits !== null
    return {
      summary: summarise(section),
      facts: [
        [
          'Listed by',
          isAnswered ? which(true, ({ name, category }) => (category ? `${name} (${words(category)})` : name)) : null,
        ],
        ['Not listed by', isAnswered ? which(false, ({ name }) => name) : null],
        ['No answer from', which(null, ({ name, reason }) => (reason ? `${name} (${words(reason)})` : name))],
        ...(isOfAddress(section) ? addressFacts(section) : domainFacts(section)),
      ],
    }
  },
}
