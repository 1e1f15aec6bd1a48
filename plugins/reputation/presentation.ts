// How people see the section.
import {
  counted,
  countryName,
  dataFile,
  day,
  type Fact,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  type Sentence,
  type Source,
  type Static,
  series,
  span,
  spanFrom,
  type Table,
  Type,
  words,
} from '../../src/engine/plugin.ts'
import data from './data/list_sites.json' with { type: 'json' }
import { ReputationSchema } from './section.ts'

type Section = Static<typeof ReputationSchema>
type ListRow = NonNullable<Section['lists']>[number]
type NetworkRow = NonNullable<Section['ip_network']>

const DAY_MS = 86_400_000
const label = labelsOf(ReputationSchema)

function listing(lists: readonly ListRow[], hits: number | null): string {
  if (hits === null) return 'No blocklist answered, so whether it is listed is unknown'
  // A list that is queried for a name and its address has two entries.
  const answerCount = new Set(lists.filter(({ listed }) => listed !== null).map(({ name }) => name)).size
  const answeredCount = `${counted(answerCount, 'blocklist')} that answered`
  if (hits === 0) return `Not listed on any of the ${answeredCount}`
  const naming = lists.filter(({ listed }) => listed === true)
  // Those for more than spam first, for they decide.
  const [grave, others] = [false, true].map(isSpam => naming.filter(({ category }) => (category === 'spam') === isSpam))
  const names = [...new Set([...(grave ?? []), ...(others ?? [])].map(({ name }) => name))]
  const which = hits === answerCount && answerCount > 1 ? `all ${answeredCount}` : `${hits} of the ${answeredCount}`
  return `Listed on ${which}: ${series(names, MAX_NAMES)}`
}

/** Lists named in the summary: the table has all. */
const MAX_NAMES = 3

/** Names always have a model score, addresses never. */
const isOfAddress = ({ ml_score, age_days, registered_at }: Section): boolean =>
  ml_score === null && age_days === null && registered_at === null

function ageOf({ age_days }: Section, isWhole: boolean): Sentence {
  if (age_days !== null) return [`; it was registered ${span(age_days * DAY_MS)} ago.`]
  return [isWhole ? '; the registry has no registration date.' : '; its registration date is unknown.']
}

function networkOf(network: NetworkRow | null): Sentence {
  if (network === null) return ['; its network is unknown.']
  if (!network.registered) return ['; its network is not registered.']
  const holder = network.holder ?? network.name
  return holder === null ? ['; its network names no holder.'] : ['; it is in the network of ', quote(holder), '.']
}

function namesOf(names: Section['reverse_names']): Sentence {
  const [first] = names ?? []
  if (names === null) return [' Its reverse DNS names are unknown.']
  if (first === undefined) return [' It has no reverse DNS name.']
  const own = names.find(({ confirmed }) => confirmed)
  if (own) return [' Its reverse DNS name is ', quote(own.name), '.']
  const lies = names.every(({ confirmed }) => confirmed === false)
  return [' Its reverse DNS name is ', quote(first.name), lies ? ', which does not resolve back to it.' : '.']
}

function summarise(section: Section, isWhole: boolean): Sentence {
  const { lists, blacklist_hits, lookalike_of, ip_network, reverse_names } = section
  const whose = isOfAddress(section) ? [...networkOf(ip_network), ...namesOf(reverse_names)] : ageOf(section, isWhole)
  const like = lookalike_of === null ? [] : [' The name imitates ', quote(lookalike_of), '.']
  return [listing(lists ?? [], blacklist_hits), ...whose, ...like]
}

function dateOf(section: Section, date: 'registered_at' | 'expires_at'): string | null {
  const dayText = day(section[date])
  return dayText !== null && section.inexact_dates?.includes(date) ? `${dayText} or earlier` : dayText
}

function domainFacts(section: Section): readonly Fact[] {
  const { ml_score, ml_traits, registrar, registration_status, popularity_rank } = section
  const traits = ml_traits === null || ml_traits.length === 0 ? '' : `: ${ml_traits.join(', ')}`
  return [
    [label.ml_score, ml_score === null ? null : `${ml_score} of 100${traits}`],
    [
      label.popularity_rank,
      popularity_rank === null ? 'not ranked' : `rank ${popularity_rank} among the most visited domains`,
    ],
    [label.registered_at, dateOf(section, 'registered_at')],
    [label.expires_at, dateOf(section, 'expires_at')],
    [label.registrar, quoteOr(registrar)],
    [label.registration_status, registration_status],
  ]
}

/** For the title card: since when it is known. */
const knownSince = (label: string, date: string | null): readonly Fact[] => (date === null ? [] : [[label, day(date)]])

const seenText = (first: string, checkedAt: string | undefined): string | null =>
  first === checkedAt ? 'first check' : day(first)

/** What the registry says of a network, where it is known. */
function networkFacts(network: NetworkRow | null): readonly Fact[] {
  if (network === null || !network.registered) return [['Network', network && NONE]]
  return [
    ['Block', `${network.start_address} to ${network.end_address}`],
    ['Network', quoteOr(network.name, NONE)],
    ['Holder', quoteOr(network.holder, NONE)],
    ['Holder’s country', network.country === null ? NONE : countryName(network.country)],
    ['Registered', day(network.registered_at)],
    ['Abuse contact', quoteOr(network.abuse_email, NONE)],
  ]
}

const leads = { true: 'confirmed', false: 'does not resolve back', null: 'not looked up' } as const

const addressFacts = ({ reverse_names, address_kind, ip_network }: Section): readonly Fact[] => [
  [label.reverse_names, reverse_names?.map(({ name, confirmed }) => `${name} (${leads[`${confirmed}`]})`) ?? null],
  [label.address_kind, address_kind === null ? reverse_names && 'not recognised' : words(address_kind)],
  ...networkFacts(ip_network),
]

/** The lists that name the target, with what each says. */
function hitTable(lists: readonly ListRow[]): readonly Table[] {
  const rows = lists
    .filter(({ listed }) => listed)
    .map(({ name, asked, category, age_hours }) => [
      quote(name),
      quote(asked),
      category === null ? NONE : words(category),
      age_hours === null ? 'at this check' : `${span(age_hours * 3_600_000)} ago`,
    ])
  return rows.length === 0 ? [] : [{ title: 'Listings', columns: ['List', 'Entry for', 'Category', 'Last seen'], rows }]
}

/** The rules behind what is judged. */
const sources = [
  { label: 'Blocklists by DNS (RFC 5782)', url: 'https://www.rfc-editor.org/rfc/rfc5782' },
  { label: 'Registration data (RFC 9083)', url: 'https://www.rfc-editor.org/rfc/rfc9083' },
  { label: 'Look-alike names (Unicode, UTS #39)', url: 'https://www.unicode.org/reports/tr39/' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Reputation',
  looks: 'blocklists, registration, brand imitation, and resemblance to malicious names',
  order: 10,
  describe(section, { isWhole, checked_at }) {
    const { lists, blacklist_hits, first_seen_at } = section
    // A list that is queried for several addresses is named once.
    const which = (outcome: boolean | null, show: (list: ListRow) => string) =>
      lists && [...new Set(lists.filter(({ listed }) => listed === outcome).map(show))]
    const isAnswered = blacklist_hits !== null
    return {
      summary: summarise(section, isWhole),
      facts: [
        [
          'Listed by',
          isAnswered ? which(true, ({ name, category }) => (category ? `${name} (${words(category)})` : name)) : null,
        ],
        ['Not listed by', isAnswered ? which(false, ({ name }) => name) : null],
        ['No answer from', which(null, ({ name, reason }) => (reason ? `${name} (${words(reason)})` : name))],
        ...(isOfAddress(section) ? addressFacts(section) : domainFacts(section)),
        // Most command lines have no history, so it is left out when it is not known.
        ...(first_seen_at === null ? [] : [[label.first_seen_at, seenText(first_seen_at, checked_at)] as Fact]),
      ],
      card: [
        ...knownSince('Registered', section.registered_at),
        ...(first_seen_at === null ? [] : [['First seen here', seenText(first_seen_at, checked_at)] as Fact]),
      ],
      spans: spanFrom('Registration', section.registered_at, section.expires_at),
      tables: hitTable(lists ?? []),
      links: [...listSources(lists ?? []), ...sources],
      dependencies: section.registrar === null ? [] : [{ role: 'Registered with', party: section.registrar }],
    }
  },
}

// The sites of the lists that name a target, where their operators say why and how an entry is removed.
/** By the beginning of the list's name: operators have several lists. */
export const ListSitesFile = dataFile({
  sites: Type.Array(
    Type.Object(
      { operator: Type.String({ minLength: 1 }), url: Type.String({ pattern: '^https://[!-~]+$' }) },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})

interface ListEntry {
  readonly name: string
  readonly listed: boolean | null
}

/** Sources in a report that a section may have for its lists. */
const MOST = 6

/** One for each operator whose list names the target. */
export function listSources(lists: readonly ListEntry[]): readonly Source[] {
  const hits = lists.filter(one => one.listed === true)
  return data.sites
    .filter(({ operator }) => hits.some(({ name }) => name.startsWith(operator)))
    .slice(0, MOST)
    .map(({ operator, url }) => ({ label: operator, url }))
}
