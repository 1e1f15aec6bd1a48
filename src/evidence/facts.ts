// Why evidence is missing, and whose fault that is: the two ways in which a gatherer declines, and one table of reasons for
// coverage, cache lifetime and the coverage guard.

/** We could not look: time-out, resolver down, upstream error. `reason` is a slug and reaches the client. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly reason: string
  constructor(reason: string) {
    super(`unavailable: ${reason}`)
    this.reason = reason
  }
}

/** There is nothing there to look at, or not for this kind of target. `reason` is a slug and reaches the client. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  readonly reason: string
  constructor(reason: string) {
    super(`not applicable: ${reason}`)
    this.reason = reason
  }
}

/** Failures that tell nothing of the target: we could not look. Every other one is its answer. */
const OUR_FAILURES: ReadonlySet<string> = new Set([
  'cancelled',
  'connect_timeout',
  'denied',
  'timeout',
  'too_many_connections',
  'too_many_requests',
  'unreachable',
  ...['malformed', 'refused', 'timeout', 'too_many_queries'].map(failure => `dns_${failure}`),
])

export const isOurFailure = (failure: string): boolean => OUR_FAILURES.has(failure)

/** The error of whoever needs a response, and none came. */
export const withoutResponse = (failure: string | null): Error =>
  failure !== null && isOurFailure(failure) ? new Unavailable(failure) : new NotApplicable('no_response')

export const REASON_CHARACTERS = 64

/** Reasons are slugs: they reach the client, and may come from a stranger's plugin. */
export const isReason = (reason: unknown): reason is string =>
  typeof reason === 'string' && reason.length <= REASON_CHARACTERS && /^[\w:.-]+$/.test(reason)

const declines = { Unavailable: 'unavailable', NotApplicable: 'not_applicable' } as const

/** How an error declines, or null. By its name: a plugin may have a copy of these classes of its own, or none. */
export function declined(
  error: unknown,
): { readonly status: 'unavailable' | 'not_applicable'; readonly reason: string } | null {
  const { name, reason } = (error ?? {}) as { name?: unknown; reason?: unknown }
  const status = name === 'Unavailable' || name === 'NotApplicable' ? declines[name] : null
  return status !== null && isReason(reason) ? { status, reason } : null
}

/**
 * - `target`: the target withholds it; asking again soon gets the same answer.
 * - `source`: a third party withholds it, and our way to it works.
 * - `ours`: a limit, a defect or an unfinished start of this service; the next check may see it.
 * - `depends`: the target's or the source's fault while our resolver and our way out are healthy, else ours.
 * - `nobody`: this installation has no source for it, or there was nothing to ask; nothing is missing.
 */
export type Blame = 'target' | 'source' | 'ours' | 'depends' | 'nobody'

/** The reason every part gives when the name does not exist (NXDOMAIN): such a result has a cache life of its own. */
export const DOMAIN_NOT_FOUND = 'domain_not_found'

/** The reason for evidence whose source this installation does not have. */
export const NOT_CONFIGURED = 'not_configured'

/** The reason of every section about a page behind a block page, a challenge or a log-in wall. */
export const PAGE_WITHHELD = 'page_withheld'

const reasonsBy: Readonly<Record<Blame, readonly string[]>> = {
  target: [
    PAGE_WITHHELD,
    // More than is read of a page, or a content coding that is none
    ...['too_large', 'bad_encoding'],
    // Every target may use the same budget: one that needs more will need it again.
    ...['too_many_connections', 'too_many_queries', 'too_many_requests'],
  ],
  source: [
    // Blocklists: left alone after silence, failed their proof, refuse, or answer what only somebody else can have sent.
    ...['list_paused', 'list_unhealthy', 'allowance_spent'],
    ...['wrong_zone', 'wrong_question', 'public_resolver', 'volume_exceeded'],
    ...['list_refused', 'list_error', 'foreign_answer'],
    // Files of feeds and popular names
    ...['not_loaded', 'stale'],
    // The operator forbids the contact (`network.deny`).
    'denied',
    // Registries and interfaces of third parties
    ...['paused', 'limited', 'rate_limited', 'resting', 'budget_spent'],
    ...['unreadable', 'malformed_answer', 'other_domain', 'other_network', 'no_answer'],
    ...['certificate', 'tls', 'protocol_error'],
    // Others of the same kind answered, so the way to them works.
    ...['some_lists_silent', 'some_feeds_silent', 'some_popularity_silent'],
  ],
  ours: [
    ...['cancelled', 'not_recorded', 'no_outcome'],
    ...['loading', 'feeds_loading', 'popularity_loading'],
    // All blocklists share one short time limit; one that missed it once may answer the next check.
    'some_lists_unanswered',
    ...['key_refused', 'damaged_geo_data'],
    ...['threw', 'gatherer_failed', 'plugin_timeout', 'plugin_ended', 'plugin_resting'],
    ...['invalid_section', 'invalid_reason', 'invalid_signal', 'not_a_finding', 'finding_too_large'],
  ],
  depends: [
    ...['timeout', 'connect_timeout', 'resolver_timeout', 'deadline'],
    ...['refused', 'reset', 'closed', 'unreachable', 'no_response', 'host_not_found'],
    ...['servfail', 'malformed', 'cname_loop', 'cname_too_long'],
    ...['dns_unavailable', 'no_dns', 'no_document', 'no_crawl_files', 'no_security_txt'],
    ...['no_list_answered', 'no_feed_loaded', 'no_popularity_loaded'],
  ],
  nobody: [NOT_CONFIGURED, 'name_too_long', 'addresses_unknown'],
}

const blames: ReadonlyMap<string, Blame> = new Map(
  Object.entries(reasonsBy).flatMap(([blame, reasons]) => reasons.map(reason => [reason, blame as Blame] as const)),
)

/** An HTTP status that a third party answered with. */
const STATUS = /^[1-5]\d\d$/

/**
 * Whose fault a reason is. A reason may begin with the name of what it is about (`mail_records_servfail`,
 * `robots_txt_timeout`, `rdap_429`): the longest ending that is in the table decides. One that nobody knows is ours.
 */
export function blameOf(reason: string): Blame {
  for (let ending = reason; ; ) {
    const blame = blames.get(ending)
    if (blame !== undefined) return blame
    const underscore = ending.indexOf('_')
    if (underscore === -1) return STATUS.test(ending) ? 'source' : 'ours'
    ending = ending.slice(underscore + 1)
  }
}

/** Of several reasons the one to tell: what the next check may see comes before what others withhold. Null for none. */
export const mainReason = (reasons: readonly string[]): string | null =>
  reasons.find(reason => !WITHHELD.has(blameOf(reason))) ?? reasons[0] ?? null

const WITHHELD: ReadonlySet<Blame> = new Set<Blame>(['target', 'source'])

/** How evidence that an analyzer does not have went, by its name. */
type MissingEvidence = Readonly<Record<string, { readonly status: string; readonly reason: string }>>

/**
 * Which evidence should have been there, as `<evidence>_<reason>`; null for none. Evidence that is not applicable or not
 * configured is not missed.
 */
export function missedReason(missing: MissingEvidence): string | null {
  const missed = Object.entries(missing).filter(
    ([, { status, reason }]) => status !== 'not_applicable' && blameOf(reason) !== 'nobody',
  )
  return mainReason(missed.map(([name, { reason }]) => `${name}_${reason}`.slice(0, REASON_CHARACTERS)))
}
