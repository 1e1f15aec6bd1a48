// Evaluates blocklist answers: counts hits and raises the signal of the strongest.
import { type Evidence, isThreatType, type SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type QueriedList = Evidence['listings']['lists'][number]
type Feed = Evidence['feeds']['lists'][number]

/** The common fields of answers from DNS lists and from feeds in memory. */
export type ReputationListing = Pick<
  QueriedList,
  'id' | 'name' | 'kind' | 'asked' | 'status' | 'reason' | 'strength'
> & {
  readonly categories: readonly string[]
  readonly age_hours?: number | null
  /** For feeds: the listed part, and the number of listed pages of the host. */
  readonly covers?: Feed['covers']
  readonly pages?: number | null
  readonly matched?: string | null
}

/** Policy listings and allowlists are not hits. */
export const isHit = ({ status, strength }: ReputationListing): boolean =>
  status === 'listed' && strength !== null && strength !== 'none'

/** Number of lists with a hit, each once; null if no list answered, because silence does not mean clean. */
export function countHits(lists: readonly ReputationListing[]): number | null {
  if (!lists.some(({ status }) => status !== 'unknown')) return null
  return new Set(lists.filter(isHit).map(({ id }) => id)).size
}

/** The answer of a list as a row of the section. */
export const listingFields = ({ name, asked, status, reason, categories, age_hours = null }: ReputationListing) => ({
  name,
  asked,
  listed: status === 'unknown' ? null : status === 'listed',
  status: status === 'unknown' ? ('unknown' as const) : ('answered' as const),
  reason,
  category: categories[0] ?? null,
  age_hours,
})

const MALICIOUS: ReadonlySet<string> = new Set(['phishing', 'malware', 'botnet'])

/** Share of the weight if only the domain's address is listed: many other sites usually share the address. */
const OF_ADDRESS = 0.6
/** Number of independent lists that together confirm a listing. */
const TOGETHER = 2
/** Popular sites: if only one list names such a site, the list is more likely wrong. */
const VERY_POPULAR = 10_000

/** The provider of a list, where one provider has several lists or one list includes another. */
const PROVIDERS: Readonly<Record<string, string>> = {
  nordspam_dbl: 'nordspam',
  spamhaus_dbl: 'spamhaus',
  spamhaus_zen: 'spamhaus',
  spamhaus_drop: 'spamhaus',
  spamhaus_dropv6: 'spamhaus',
  sem_uri: 'spameatingmonkey',
  urlhaus: 'abuse_ch',
  threatfox: 'abuse_ch',
  urlhaus_urls: 'abuse_ch',
  phishing_database_links: 'phishing_database',
  feodo_tracker: 'abuse_ch',
  openphish: 'phishing_database',
  phishtank: 'phishing_database',
}

const providersOf = (hits: readonly ReputationListing[]): number =>
  new Set(hits.map(({ id }) => PROVIDERS[id] ?? id)).size

const isMalice = ({ strength, categories }: ReputationListing): boolean =>
  strength !== 'weak' && categories.some(one => MALICIOUS.has(one))

/**
 * One signal, for the strongest hit, because many lists copy each other. Listings of the target itself come first.
 * Malice is confirmed by one strict list, or by another provider that lists the target for any reason. `rank`: the
 * popularity of the target.
 */
export function listingSignals(
  lists: readonly ReputationListing[],
  target: 'domain' | 'ip',
  rank: number | null = null,
): SignalFound<SignalId>[] {
  const hits = lists.filter(isHit)
  const own = hits.filter(({ kind }) => kind === target)
  const malice = own.filter(isMalice)
  const firm = own.filter(({ strength }) => strength !== 'weak')
  const isAgreed = providersOf(firm) >= TOGETHER
  if (malice.some(({ strength }) => strength === 'strong')) return [listingSignal('listed_as_malicious', malice)]
  if (malice.length > 0 && isAgreed) return [listingSignal('listed_as_malicious', firm)]
  if (isAgreed) return [listingSignal('listed_by_several', firm)]
  if (firm.length > 0)
    return [listingSignal(rank !== null && rank <= VERY_POPULAR ? 'listed_once' : 'listed_for_abuse', firm)]
  const together = new Set(own.map(({ id }) => id)).size >= TOGETHER
  if (together && target === 'ip') return [listingSignal('listed_for_abuse', own)]
  const behind = behindName(hits.filter(({ kind }) => kind !== target))
  if (behind?.id === 'listed_for_abuse') return [behind]
  if (own.length > 0) return [listingSignal('listed_by_weak_list', own)]
  return behind === null ? [] : [behind]
}

/** Signals for listings of a domain's addresses: never proof, because the listed site may be a neighbour. */
function behindName(hits: readonly ReputationListing[]): SignalFound<SignalId> | null {
  const malice = hits.filter(hit => hit.strength === 'strong' && isMalice(hit))
  if (malice.length > 0) return listingSignal('listed_for_abuse', malice)
  const firm = hits.filter(({ strength }) => strength !== 'weak')
  if (firm.length > 0) return { ...listingSignal('listed_for_abuse', firm), strength: OF_ADDRESS }
  return hits.length > 0 ? { ...listingSignal('listed_by_weak_list', hits), strength: OF_ADDRESS } : null
}

function listingSignal(id: SignalId, hits: readonly ReputationListing[]): SignalFound<SignalId> {
  const names = [...new Set(hits.map(({ name }) => name))]
  const subjects = [...new Set(hits.map(hit => hit.asked))]
  const detail = `${inWords(subjects)} ${subjects.length === 1 ? 'is' : 'are'} listed${purpose(hits)} by ${inWords(names)}.`
  const threatTypes = [...new Set(hits.flatMap(({ categories }) => categories.filter(isThreatType)))]
  return { id, detail, threat_types: threatTypes, evidence: { lists: names, asked: subjects } }
}

/** Words for the categories that a detail can name. */
const PURPOSES: Readonly<Record<string, string>> = {
  phishing: 'phishing',
  malware: 'malware',
  botnet: 'a botnet',
  spam: 'spam',
  attack: 'attacks',
  proxy: 'open proxies',
}

function purpose(hits: readonly ReputationListing[]): string {
  const kinds = new Set(hits.flatMap(({ categories }) => categories))
  const purposes = Object.entries(PURPOSES).flatMap(([category, word]) => (kinds.has(category) ? [word] : []))
  return purposes.length === 0 ? '' : ` for ${inWords(purposes)}`
}

/** `a`, `a and b`, `a, b and c`. */
const inWords = (all: readonly string[]): string =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
