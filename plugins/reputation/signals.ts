// The signals of reputation. Those without a condition depend on each other: the files about lists, names and hosts raise them.
import { day, type Evidence, isTenant, type Raised, type Signals, span, type Target } from '../../src/engine/plugin.ts'
import type { BrandLookalike } from './lookalike/judge.ts'
import { leadsElsewhere, shareOf } from './popularity.ts'
import { addressKind } from './reverse_names.ts'

/** What is known of the target, each kind of evidence null if it is missing. */
export interface ReputationFacts {
  readonly seen: {
    readonly [Kind in 'feeds' | 'registration' | 'popularity' | 'first_seen' | 'reverse_names' | 'page']:
      | Evidence[Kind]
      | null
  }
  readonly target: Target
  /** Days since the registration; null if unknown. */
  readonly age: number | null
  readonly lookalike: BrandLookalike | null
  readonly options: { readonly new_days: number; readonly recent_days: number; readonly trusted_days: number }
}

/**
 * Raised by feeds of a category that says something else than malice. Only about the target itself: a property of its address
 * is not held against a domain.
 */
const listedAs =
  (category: string, kind: Target['kind']) =>
  ({ seen: { feeds }, target }: ReputationFacts): Raised | null => {
    const hits = (feeds?.lists ?? []).filter(
      ({ status, categories }) => status === 'listed' && categories.some(one => one === category),
    )
    const [first] = hits
    if (target.kind !== kind || first === undefined) return null
    const lists = hits.map(({ name }) => name)
    return { detail: `${first.matched ?? first.asked} is listed by ${lists.join(', ')}.`, evidence: { lists } }
  }

/** Raised by the kind of an address with reverse DNS names, not all of which are disproved. */
const namedAs =
  (kind: 'tor_exit' | 'access', meaning: string) =>
  ({ seen: { reverse_names } }: ReputationFacts): Raised | null => {
    if (reverse_names === null || isUnconfirmed(reverse_names) || addressKind(reverse_names) !== kind) return null
    const names = reverse_names.names.map(({ name }) => name)
    const detail = `Reverse DNS of ${reverse_names.ip} is ${names.join(', ')}, which identifies ${meaning}.`
    return { detail, evidence: { names } }
  }

const isUnconfirmed = ({ names }: Evidence['reverse_names']): boolean =>
  names.length > 0 && names.every(({ confirmed }) => confirmed === false)

/** Raised by a status of the registration. */
const withStatus =
  (...statuses: readonly string[]) =>
  ({ seen: { registration } }: ReputationFacts): Raised | null => {
    const matches = (registration?.status ?? []).filter(status => statuses.includes(status))
    return matches.length === 0
      ? null
      : { detail: `${registration?.domain} has the registry status ${matches.join(', ')}.` }
  }

const DAY_MS = 86_400_000

/** Raised by the age of the domain. The age of a platform says nothing about its tenants. */
const byAge =
  (strength: (age: number, options: ReputationFacts['options']) => number) =>
  ({ seen: { registration }, target, age, options }: ReputationFacts): Raised | null => {
    const share = age === null || isTenant(target) ? 0 : strength(age, options)
    if (share === 0) return null
    const since = age === null || age < 1 ? 'less than a day ago' : `${span(age * DAY_MS)} ago`
    const explanation = { detail: `${registration?.domain} was registered ${since}.`, evidence: { age_days: age } }
    return share === 1 ? explanation : { strength: share, ...explanation }
  }

export const signals = {
  listed_as_malicious: {
    weight: 80,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'Listed for phishing, malware or a botnet',
    warning: 'Do not open it.',
    advice: 'If it is yours, clean the site, then ask the list to remove it.',
  },
  listed_by_several: {
    weight: 70,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'Listed for abuse by independent lists',
    warning: 'Do not open it.',
    advice: 'If it is yours, stop the abuse, then ask each list to remove it.',
  },
  listed_once: {
    weight: 15,
    group: 'reputation',
    severity: 'high',
    title: 'Popular site on a single list',
    advice: null,
    warning: 'Look at what the list says: a single list is often wrong about a popular site.',
  },
  listed_for_abuse: {
    weight: 35,
    group: 'reputation',
    severity: 'high',
    title: 'Listed for spam or attacks',
    advice: 'If it is yours, stop the abuse, then ask the list to remove it.',
    warning: 'Do not accept mail, links or sign-ups from it before you know what the list says.',
  },
  listed_by_weak_list: {
    weight: 10,
    group: 'reputation',
    severity: 'medium',
    title: 'Listed only by low-confidence lists',
    advice: null,
    warning: 'Treat the listing as a hint: these lists are often wrong.',
  },
  listed_page: {
    weight: 80,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'The page is listed for phishing, malware or a botnet',
    warning: 'Do not open it.',
    advice: 'If it is yours, remove the page, find out who put it there, then ask the list to remove it.',
  },
  reported_page: {
    weight: 40,
    group: 'reputation',
    floor: 31,
    severity: 'high',
    title: 'Listed on one list',
    advice: 'If it is yours, find out who put it there.',
    warning: 'Do not do what the page asks for.',
  },
  hosts_listed_pages: {
    weight: 40,
    group: 'reputation',
    severity: 'high',
    title: 'Some pages of this host are listed for phishing or malware',
    advice: 'If it is yours, find and remove the listed pages.',
    warning: 'Open no links to this site: an intruder may use it.',
  },
  malicious_host: {
    weight: 60,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'The host’s front page is malicious',
    warning: 'Do not open it.',
    advice: 'If the site is yours, check its front page and clean it first.',
  },
  suspicious_host: {
    weight: 20,
    group: 'reputation',
    floor: 31,
    severity: 'high',
    title: 'The host’s front page is suspicious',
    advice: null,
    warning: 'Look at the result of the host’s own name first.',
  },
  redirects_to_malicious_host: {
    weight: 80,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'Redirects to a host that is listed for phishing, malware or a botnet',
    warning: 'Do not open it.',
    advice: 'If the link is yours, change where it leads.',
  },
  redirects_to_listed_page: {
    weight: 80,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    title: 'Redirects to a page that is listed for phishing, malware or a botnet',
    warning: 'Do not open it.',
    advice: 'If the link is yours, change where it leads.',
  },
  redirects_to_listed_host: {
    weight: 25,
    group: 'reputation',
    severity: 'high',
    title: 'Redirects to a host that is listed for abuse',
    advice: 'If the link is yours, change where it leads.',
    warning: 'Do not follow the redirect: it leads to a site that is on a blocklist.',
  },
  disposable_email: {
    weight: 10,
    group: 'reputation',
    severity: 'medium',
    title: 'Disposable e-mail service',
    advice: null,
    warning: 'Do not accept an address at this domain as proof of identity.',
    when: listedAs('disposable', 'domain'),
  },
  lookalike_domain: {
    weight: 40,
    group: 'identity',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'The name imitates a brand',
    warning: 'Do not enter a password. To use the brand’s own site, type its name yourself.',
    advice: null,
    when({ lookalike }) {
      if (lookalike === null) return null
      const { brand, domain, kind, detail, strength } = lookalike
      return { strength, detail: `The name imitates ${brand}: ${detail}`, evidence: { brand, domain, kind } }
    },
  },
  suspicious_name: {
    weight: 25,
    group: 'identity',
    severity: 'medium',
    title: 'The name resembles names of malicious sites',
    advice: null,
    warning: 'Find out who is behind it: the name resembles names of malicious sites.',
  },
  unvouched_name: {
    weight: 0,
    group: 'identity',
    severity: 'high',
    title: 'The name looks malicious, and neither age nor popularity vouches for it',
    advice: null,
    warning: 'Find out who is behind it: the name looks malicious, and nothing vouches for it.',
  },
  newly_registered_domain: {
    weight: 15,
    group: 'identity',
    severity: 'medium',
    title: 'Registered recently',
    advice: null,
    warning: 'Ask for proof of who is behind it: most domains used for fraud are only days old.',
    when: byAge((age, { new_days, recent_days }) => (age < new_days ? 1 : age < recent_days ? 0.5 : 0)),
  },
  domain_on_hold: {
    weight: 20,
    group: 'reputation',
    severity: 'high',
    title: 'Suspended by the registrar or registry',
    advice: 'If it is yours, ask your registrar why it is on hold.',
    warning: 'Do not accept it: its registrar or registry took the domain out of service.',
    when: withStatus('client hold', 'server hold'),
  },
  domain_pending_delete: {
    weight: 5,
    group: 'reputation',
    severity: 'medium',
    title: 'Registration is pending deletion',
    advice: 'If it is yours, ask your registrar to restore it.',
    warning: 'Do not rely on it: the domain may soon belong to someone else.',
    when: withStatus('pending delete', 'redemption period'),
  },
  registered_in_future: {
    weight: 5,
    group: 'identity',
    severity: 'medium',
    title: 'Registration date is in the future',
    advice: null,
    warning: 'Do not rely on its age: the registry gives an impossible date.',
    when: ({ seen: { registration } }) =>
      registration?.registered_in_future && {
        detail: `The registry gives a registration date in the future for ${registration.domain}.`,
      },
  },
  tor_exit: {
    weight: 30,
    group: 'network',
    floor: 31,
    severity: 'high',
    threat_types: ['proxy'],
    title: 'Tor exit node',
    advice: null,
    warning: 'Ask visitors from this address for more proof: its traffic may come from anyone.',
    when: facts => listedAs('tor', 'ip')(facts) ?? namedAs('tor_exit', 'a Tor exit')(facts),
  },
  unconfirmed_reverse_name: {
    weight: 4,
    group: 'network',
    severity: 'low',
    title: 'Reverse DNS names do not resolve back to the address',
    advice: 'If the address is yours, make its reverse name resolve to it.',
    when({ seen: { reverse_names } }) {
      if (reverse_names === null || !isUnconfirmed(reverse_names)) return null
      const names = reverse_names.names.map(({ name }) => name)
      return {
        detail: `Reverse DNS of ${reverse_names.ip} is ${names.join(', ')}, which does not resolve back to it.`,
        evidence: { names },
      }
    },
  },
  no_reverse_name: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'The address has no reverse DNS name',
    advice: 'If the address is yours, give it a reverse DNS name (PTR): mail servers expect one.',
    when: ({ seen: { reverse_names } }) =>
      reverse_names?.names.length === 0 && { detail: `${reverse_names.ip} has no reverse DNS name.` },
  },
  page_seen_in_part: {
    weight: 0,
    group: 'identity',
    severity: 'high',
    title: 'The page was seen only in part, and nothing vouches for its name',
    advice: null,
  },
  first_seen_here: {
    weight: 0,
    group: 'identity',
    severity: 'info',
    title: 'Not seen on this installation before',
    advice: null,
    // A record that is young, or that has forgotten old checks, proves little: the detail says how far back it reaches.
    when: ({ seen: { first_seen }, target }) =>
      first_seen?.at === null && {
        detail: `This is the first check of ${target.domain ?? target.ip} on record. The record begins on ${day(first_seen.since)}.`,
        evidence: { since: first_seen.since },
      },
  },
  access_network: {
    weight: 0,
    group: 'network',
    severity: 'info',
    title: 'Address in a consumer access network',
    advice: null,
    when: namedAs('access', 'a consumer line'),
  },
  popular_domain: {
    weight: -20,
    group: 'trust',
    severity: 'info',
    title: 'Among the most visited domains',
    advice: null,
    // A popular host of a link earns no trust for the page of another owner that its redirects lead to.
    when({ seen: { popularity, page }, target }) {
      const share = shareOf(popularity?.rank ?? null)
      if (popularity === null || share === undefined || (target.url !== null && leadsElsewhere(target, page)))
        return null
      const { domain, rank } = popularity
      return {
        strength: share,
        detail: `${domain} is ranked ${rank} among the most visited domains.`,
        evidence: { rank },
      }
    },
  },
  long_registered_domain: {
    weight: -10,
    group: 'trust',
    severity: 'info',
    title: 'Registered for many years',
    advice: null,
    when: byAge((age, { new_days, recent_days, trusted_days }) =>
      age >= Math.max(new_days, recent_days, trusted_days) ? 1 : 0,
    ),
  },
} satisfies Signals<ReputationFacts>

export type SignalId = keyof typeof signals
