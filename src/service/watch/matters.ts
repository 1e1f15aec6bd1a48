// What a watch reports: the changes that matter between what was last known of a target and a new result. Pure.

import { formatPrefix, prefixOf } from '../../network/address_prefix.ts'
import { compareBy, sentence } from '../../results/diff/compare.ts'
import { isSettled, knownValue, type Result, sectionsOf, UNKNOWN, valueAt } from '../../results/diff/known.ts'
import { type Rule, rules, type Severity } from '../../results/diff/rules.ts'
import type { Expiry, Facts } from '../../store/watches.ts'

export const MATTERS = [
  'recommendation',
  'verdict',
  'listing',
  'certificate',
  'certificate_expiring',
  'registration_expiring',
  'security_txt_expiring',
  'dnssec_expiring',
  'mail',
  'name_servers',
  'address',
  'lookalike',
] as const
export type Matter = (typeof MATTERS)[number]

/** A change as a watch reports it. */
export interface WatchChange {
  readonly matter: Matter
  /** `weakened`: worse for those who rely on the target; `strengthened`: better. */
  readonly severity: Severity
  /** The changed member: `ssl_info.valid`. */
  readonly path: string
  /** A sentence without a full stop. */
  readonly message: string
  readonly before: unknown
  readonly after: unknown
}

interface MatterRow {
  readonly matter: Matter
  /** Of a rule in src/results/diff/rules.ts. */
  readonly path: string
  readonly tells: readonly Severity[]
  /** Depends on how much was seen: with less evidence, only a worse value that evidence proves counts. */
  readonly judgement?: true
}

const ANY: readonly Severity[] = ['weakened', 'strengthened', 'changed']
const WORSE: readonly Severity[] = ['weakened']

export const matters: readonly MatterRow[] = [
  { matter: 'recommendation', path: 'recommendation', tells: ANY, judgement: true },
  { matter: 'verdict', path: 'verdict', tells: ANY, judgement: true },
  { matter: 'listing', path: 'reputation.lists', tells: ['weakened', 'strengthened'] },
  { matter: 'certificate', path: 'ssl_info.valid', tells: ['weakened', 'strengthened'] },
  { matter: 'certificate', path: 'ssl_info.invalid_reasons', tells: WORSE },
  { matter: 'mail', path: 'dns_security.spf.policy', tells: WORSE },
  { matter: 'mail', path: 'dns_security.dmarc.effective_policy', tells: WORSE },
  { matter: 'mail', path: 'dns_security.dmarc.subdomain_policy', tells: WORSE },
  { matter: 'mail', path: 'dns_security.mta_sts.mode', tells: WORSE },
  { matter: 'name_servers', path: 'dns_security.name_servers', tells: ANY },
]

interface Expiring {
  readonly matter: Matter
  readonly path: string
  /** When it began to be valid; null when that does not matter. */
  readonly from: string | null
  /** Days before the expiry at which it is reported, if it is valid at least three times as long. */
  readonly days: readonly number[]
  /** The subject of the sentence. */
  readonly what: string
}

const CERTIFICATE: Expiring = {
  matter: 'certificate_expiring',
  path: 'ssl_info.expires_at',
  from: 'ssl_info.not_before',
  days: [14, 7, 1],
  what: 'Certificate expires',
}
/** People renew registrations, and a lost name cannot be recovered. */
const OTHERS: readonly Expiring[] = [
  {
    matter: 'registration_expiring',
    path: 'reputation.expires_at',
    from: null,
    days: [30, 14, 7, 1],
    what: 'Registration of the domain expires',
  },
  {
    matter: 'security_txt_expiring',
    path: 'security_txt.expires_at',
    from: null,
    days: [14, 7, 1],
    what: 'security.txt expires',
  },
  // Signers renew a signature days before its end: by then they have failed. Those made on demand live too short to be reported.
  {
    matter: 'dnssec_expiring',
    path: 'dns_security.dnssec_signatures.expires_at',
    from: 'dns_security.dnssec_signatures.valid_from',
    days: [2, 1],
    what: 'DNSSEC signatures of the zone expire',
  },
]
/** Sections of optional plugins without signals: nothing is judged by them, and third parties often do not answer. */
export const FACTS_ALONE: ReadonlySet<string> = new Set([
  'certificate_log',
  'internet_noise',
  'name_servers',
  'passive_dns',
  'public_scans',
])
const DAY_MS = 86_400_000
/** Networks of a target that are remembered, so that a name that moves between a few addresses is reported once for each. */
const NETWORKS = 64

export interface WatchObservation {
  readonly facts: Facts
  /** In the order of the table. Empty for a first result, except for a certificate that is about to expire. */
  readonly changes: readonly WatchChange[]
}

const nothingKnown: Facts = { values: {}, seen: [], scoring_policy: null, networks: [], expiry: null }

const ruleMatters = matters.map(row => {
  const rule = rules.find(({ path }) => path === row.path)
  if (rule === undefined) throw new Error(`no rule for ${row.path}`)
  return { ...row, rule }
})

/** `now` in milliseconds. Never throws for results of the API. */
export function observe(before: Facts | null, result: Result, now: number): WatchObservation {
  const earlier = before ?? nothingKnown
  const sectionNames = settledSections(result)
  const scoringPolicy = result['scoring_policy'] ?? null
  const isSame = earlier.scoring_policy === scoringPolicy
  const sections = sectionsOf(result)
  // A section that is switched off was not there to be seen.
  const sawAsMuch = earlier.seen.every(
    name => FACTS_ALONE.has(name) || sections[name] === undefined || sectionNames.includes(name),
  )
  const values: Record<string, unknown> = { ...earlier.values }
  const changes: WatchChange[] = []
  for (const { matter, path, tells, judgement, rule } of ruleMatters) {
    const is = rememberedValue(rule, result, earlier.values[path])
    if (is === UNKNOWN) continue
    const was = earlier.values[path]
    if (judgement && was !== undefined && !sawAsMuch && !isProvenWorse(rule, was, is)) continue
    values[path] = is
    if (was === undefined) continue
    for (const comparison of compareBy(rule, was, is)) {
      if (!tells.includes(comparison.severity)) continue
      const why = judgement && !isSame ? ' (the scoring policy changed)' : ''
      const at = comparison.item === undefined ? path : `${path}.${comparison.item}`
      const { severity, before, after } = comparison
      changes.push({ matter, severity, path: at, message: `${sentence(rule, comparison)}${why}`, before, after })
    }
  }
  const address = movedTo(earlier, result)
  const expiring = expiringSoon(CERTIFICATE, earlier.expiry, result, now)
  if (expiring.change !== null) changes.push(expiring.change)
  const expiries: Record<string, Expiry> = { ...earlier.expiries }
  for (const one of OTHERS) {
    const { expiry, change } = expiringSoon(one, expiries[one.path] ?? null, result, now)
    if (expiry !== null) expiries[one.path] = expiry
    if (change !== null) changes.push(change)
  }
  if (address.change !== null) changes.push(address.change)
  // A judgement of less evidence is not compared.
  const basis = sawAsMuch
    ? { seen: sectionNames, scoring_policy: scoringPolicy }
    : { seen: earlier.seen, scoring_policy: earlier.scoring_policy }
  return { facts: { values, ...basis, networks: address.networks, expiry: expiring.expiry, expiries }, changes }
}

/** A recommendation of `review` may come from missing evidence alone; these do not. */
const PROVEN_JUDGEMENTS: ReadonlySet<unknown> = new Set(['block', 'malicious', 'suspicious'])

const isProvenWorse = (rule: Rule, was: unknown, is: unknown): boolean =>
  PROVEN_JUDGEMENTS.has(is) && compareBy(rule, was, is).some(({ severity }) => severity === 'weakened')

const settledSections = (result: Result): string[] =>
  Object.keys(sectionsOf(result)).filter(name => isSettled(result, name))

type ListingRecord = Readonly<Record<string, unknown>>

/** The value to remember: of lists only those that answered, and of the others what they said last. */
function rememberedValue(rule: Rule, result: Result, earlier: unknown): unknown {
  const value = knownValue(result, rule)
  if (value === UNKNOWN || rule.kind !== 'listings') return value
  const { by, flag } = rule
  const answers = new Map<unknown, boolean>()
  for (const one of (Array.isArray(value) ? value : []) as readonly (ListingRecord | null)[]) {
    const flagValue = one?.[flag]
    if (typeof flagValue === 'boolean') answers.set(one?.[by], flagValue || answers.get(one?.[by]) === true)
  }
  const silent = (Array.isArray(earlier) ? (earlier as readonly ListingRecord[]) : []).filter(
    one => !answers.has(one[by]),
  )
  return [...[...answers].map(([name, isListed]) => ({ [by]: name, [flag]: isListed })), ...silent]
}

/** Bits of a network that commonly has one operator. */
const NETWORK_BITS = { 4: 24, 6: 48 } as const

function networkOf(address: string): string | null {
  const version = address.includes(':') ? 6 : 4
  const prefix = prefixOf(address, version, NETWORK_BITS[version])
  return prefix === null ? null : formatPrefix(prefix)
}

function movedTo({ networks }: Facts, result: Result): { networks: readonly string[]; change: WatchChange | null } {
  const address = result['ip']
  if (typeof address !== 'string' || result['domain'] === null) return { networks, change: null }
  const prefix = networkOf(address)
  const asn = valueAt(result, 'geo_location.asn')
  const names = [...(prefix === null ? [] : [prefix]), ...(typeof asn === 'number' ? [`AS${asn}`] : [])]
  if (names.length === 0) return { networks, change: null }
  const networkNames = [...networks.filter(one => !names.includes(one)), ...names].slice(-NETWORKS)
  if (networks.length === 0 || names.some(name => networks.includes(name)))
    return { networks: networkNames, change: null }
  const where = typeof asn === 'number' ? `${address} in AS${asn}` : address
  const before = networks.at(-1) ?? null
  const change: WatchChange = {
    matter: 'address',
    severity: 'changed',
    path: 'ip',
    message: `New address in a network not seen before: ${where}`,
    before,
    after: address,
  }
  return { networks: networkNames, change }
}

function expiringSoon(
  { matter, path, from, days: thresholds, what }: Expiring,
  expiry: Expiry | null,
  result: Result,
  now: number,
): { expiry: Expiry | null; change: WatchChange | null } {
  const at = valueAt(result, path)
  const begins = from === null ? Number.NEGATIVE_INFINITY : Date.parse(String(valueAt(result, from)))
  const ends = typeof at === 'string' ? Date.parse(at) : Number.NaN
  if (typeof at !== 'string' || Number.isNaN(ends) || Number.isNaN(begins)) return { expiry, change: null }
  const daysLeft = (ends - now) / DAY_MS
  const days = thresholds.filter(days => daysLeft <= days && days * 3 * DAY_MS <= ends - begins).at(-1)
  if (days === undefined || daysLeft <= 0) return { expiry, change: null }
  if (expiry !== null && expiry.at === at && expiry.days <= days) return { expiry, change: null }
  const change: WatchChange = {
    matter,
    severity: 'weakened',
    path,
    message: `${what} within ${days} ${days === 1 ? 'day' : 'days'}: ${at}`,
    before: null,
    after: at,
  }
  return { expiry: { at, days }, change }
}
