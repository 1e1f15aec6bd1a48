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

/** @typedef {{ name: string, confirmed: boolean | null }} ReverseName */
/** @typedef {{ registered: boolean, start_address: string, end_address: string, name: string | null, holder: string | null, country: string | null, registered_at: string | null, abuse_email: string | null }} IpNetwork */

/** Names always have a score of the model, addresses never. @type {(section: any) => boolean} */
const isOfAddress = ({ ml_score, age_days, registered_at }) =>
  ml_score === null && age_days === null && registered_at === null

/** @type {(section: any) => import('./section.js').Sentence} */
const ageOf = ({ age_days }) => [
  age_days === null
    ? '; since when it is registered is not known.'
    : `; it was registered ${span(age_days * DAY_MS)} ago.`,
]

/** @type {(network: IpNetwork | null) => import('./section.js').Sentence} */
function networkOf(network) {
  if (network === null) return ['; whose network it is in is not known.']
  if (!network.registered) return ['; no registry knows a network that it is in.']
  const holder = network.holder ?? network.name
  return holder === null ? ['; its network names no holder.'] : ['; it is in the network of ', quote(holder), '.']
}

/** @type {(names: readonly ReverseName[] | null) => import('./section.js').Sentence} */
function namesOf(names) {
  const [first] = names ?? []
  if (names === null) return [' By what name it goes is not known.']
  if (first === undefined) return [' It has no reverse name.']
  const own = names.find(({ confirmed }) => confirmed)
  if (own) return [' Its name is ', quote(own.name), '.']
  const lies = names.every(({ confirmed }) => confirmed === false)
  return [' It calls itself ', quote(first.name), lies ? ', which leads elsewhere.' : '.']
}

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise(section) {
  const { lists, blacklist_hits, lookalike_of, ip_network, reverse_names } = section
  const whose = isOfAddress(section) ? [...networkOf(ip_network), ...namesOf(reverse_names)] : ageOf(section)
  const like = lookalike_of === null ? [] : [' Its name passes itself off as one of ', quote(lookalike_of), '.']
  return [listing(lists, blacklist_hits), ...whose, ...like]
}

/** @type {(text: string | null | undefined) => import('./section.js').Value} */
const quoted = text => (text == null ? null : quote(text))

/** @type {(section: any) => import('./section.js').Telling['facts']} */
const domainFacts = ({ ml_score, ml_traits, registered_at, expires_at, registrar, popularity_rank }) => [
  [
    'Name model',
    ml_score === null ? null : `${ml_score} of 100${ml_traits.length > 0 ? `: ${ml_traits.join(', ')}` : ''}`,
  ],
  ['Popularity', popularity_rank === null ? null : `number ${popularity_rank} of the most visited domains`],
  ['Registered', day(registered_at)],
  ['Expires', day(expires_at)],
  ['Registrar', quoted(registrar)],
]

const leads = /** @type {const} */ ({ true: 'leads back here', false: 'leads elsewhere', null: 'not looked up' })

/** @type {(section: { reverse_names: readonly ReverseName[] | null, address_kind: string | null, ip_network: IpNetwork | null }) => import('./section.js').Telling['facts']} */
const addressFacts = ({ reverse_names, address_kind, ip_network }) => [
  ['Reverse names', reverse_names?.map(({ name, confirmed }) => `${name} (${leads[`${confirmed}`]})`) ?? null],
  ['Kind', address_kind === null ? null : words(address_kind)],
  ['Block', ip_network?.registered ? `${ip_network.start_address} to ${ip_network.end_address}` : null],
  ['Network', quoted(ip_network?.name)],
  ['Holder', quoted(ip_network?.holder)],
  ['Country of the holder', ip_network?.country ?? null],
  ['Registered', day(ip_network?.registered_at)],
  ['Contact for abuse', quoted(ip_network?.abuse_email)],
]

/** @type {import('./section.js').Section} */
export const reputation = {
  title: 'Reputation',
  looks: 'blocklists, registries, look-alikes of brands, and names like those of malicious sites',
  tell(section) {
    const { lists } = section
    /** @type {(wanted: boolean | null) => readonly List[]} */
    const which = wanted => lists.filter((/** @type {List} */ { listed }) => listed === wanted)
    return {
      summary: summarise(section),
      facts: [
        ['Listed by', which(true).map(({ name, category }) => (category ? `${name} (${words(category)})` : name))],
        ['Not listed by', which(false).map(({ name }) => name)],
        ['No answer from', which(null).map(({ name, reason }) => (reason ? `${name} (${words(reason)})` : name))],
        ...(isOfAddress(section) ? addressFacts(section) : domainFacts(section)),
      ],
    }
  },
}
