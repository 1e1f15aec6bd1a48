// Why evidence is missing and who is to blame: the two errors that gatherers decline with, and one table of reasons for
// coverage, cache lifetime and the coverage guard.

/** Several are thrown per check, as answers rather than as faults: the stack of each would cost more than all else about it. */
class WithoutStack extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/**
 * The evidence could not be gathered: timeout, resolver down, upstream error. `reason` is a slug that is sent to the
 * client.
 */
export class Unavailable extends WithoutStack {
  override readonly name = 'Unavailable'
  readonly reason: string
  constructor(reason: string) {
    super(`unavailable: ${reason}`)
    this.reason = reason
  }
}

/** There is nothing to gather, or not for this kind of target. `reason` is a slug that is sent to the client. */
export class NotApplicable extends WithoutStack {
  override readonly name = 'NotApplicable'
  readonly reason: string
  constructor(reason: string) {
    super(`not applicable: ${reason}`)
    this.reason = reason
  }
}

/** Failures that say nothing about the target. Every other failure is the target's answer. */
const OUR_FAILURES: ReadonlySet<string> = new Set([
  'cancelled',
  'certificate_too_large',
  'connect_timeout',
  'denied',
  'timeout',
  'too_many_connections',
  'too_many_requests',
  'unreachable',
  ...['malformed', 'refused', 'timeout', 'too_many_queries'].map(failure => `dns_${failure}`),
])

export const isOurFailure = (failure: string): boolean => OUR_FAILURES.has(failure)

/** Failures of the target that leave open what it would have answered; others, such as a closed port, are answers. */
const SILENT: ReadonlySet<string> = new Set(['reset', 'closed', 'no_response', 'deadline'])

/** Nothing answered: another try may find anything. */
export const isSilence = (failure: string): boolean => SILENT.has(failure) || isOurFailure(failure)

/** The state of a file of the site: `missing` (404, 410), `denied` (401, 403), or `unknown` with the reason. */
export interface FileStatus {
  readonly status: 'found' | 'missing' | 'denied' | 'unknown'
  readonly reason: string | null
}

/** Why it is unknown what a file of the site says, or null. An error status is an answer, but it does not tell that. */
export const notFetched = (file: string, { status, reason }: FileStatus): string | null =>
  status === 'unknown' ? `${file}_${reason ?? 'no_response'}` : null

/** The error of a gatherer that needs a response when there is none. */
export const withoutResponse = (failure: string | null): Error =>
  failure !== null && isOurFailure(failure) ? new Unavailable(failure) : new NotApplicable('no_response')

export const REASON_CHARACTERS = 64

/** Reasons are slugs, because they are sent to clients and may come from third-party plugins. */
export const isReason = (reason: unknown): reason is string =>
  typeof reason === 'string' && reason.length <= REASON_CHARACTERS && /^[\w:.-]+$/.test(reason)

const declines = { Unavailable: 'unavailable', NotApplicable: 'not_applicable' } as const

/** How an error declines, or null. Checked by name, because a plugin may have its own copy of these classes. */
export function asDeclined(
  error: unknown,
): { readonly status: 'unavailable' | 'not_applicable'; readonly reason: string } | null {
  const { name, reason } = (error ?? {}) as { name?: unknown; reason?: unknown }
  const status = name === 'Unavailable' || name === 'NotApplicable' ? declines[name] : null
  return status !== null && isReason(reason) ? { status, reason } : null
}

/**
 * - `target`: the target withholds it; a retry would get the same answer.
 * - `source`: a third party withholds it, and our way to it works.
 * - `ours`: a limit, a defect or an incomplete startup of this service; the next check may see it.
 * - `depends`: the fault of the target or the source if our resolver and our way out work, else ours.
 * - `nobody`: this installation has no source for it, the source does not tell it, or there was nothing to ask, or only a browser sees more; nothing that
 *   this service reads is missing.
 */
export type Blame = 'target' | 'source' | 'ours' | 'depends' | 'nobody'

/** The reason of every part when the name does not exist (NXDOMAIN). Such results have their own cache lifetime. */
export const DOMAIN_NOT_FOUND = 'domain_not_found'

/** The reason for a section whose analyzer did not get its turn before the end of the check. */
export const NOT_ANALYSED = 'not_analysed'

/** The reason for evidence without a source in this installation. */
export const NOT_CONFIGURED = 'not_configured'

/** The reason for evidence that needs the site when the site must not be contacted. */
export const NOT_VISITED = 'not_visited'

/** The reason of every section about a page behind a block page, a challenge or a login wall. */
export const PAGE_WITHHELD = 'page_withheld'

/** The reasons of every section about a page where there is none: the name is parked, or the page is missing or elsewhere. */
export const PARKED_PAGE = 'parked_page'
export const MISSING_PAGE = 'missing_page'
export const REDIRECTING_PAGE = 'redirecting_page'

/** With these reasons there is nothing that could be seen, so that nothing is unknown. */
export const hasNoPage = (reason: string | null): boolean => reason === PARKED_PAGE || reason === MISSING_PAGE

const reasonsBy: Readonly<Record<Blame, readonly string[]>> = {
  target: [
    PAGE_WITHHELD,
    // A mail server refuses to talk to us.
    'mail_rejected',
    // The page exceeds the size limit, or its content coding is invalid.
    'too_large',
    'bad_encoding',
    // Its certificates exceed what OpenSSL reads.
    'certificate_too_large',
    // A redirect of one of its files that is not followed.
    'redirect_to_non_public',
    'redirect_loop',
    'too_many_redirects',
    'redirect_to_port',
    'redirect_to_scheme',
    'redirect_with_credentials',
    'redirect_malformed',
    // It names a sitemap by a URL that is never visited, such as one of another scheme or port.
    'malformed_url',
    // Every target has the same budget, so a retry would exhaust it again.
    'too_many_connections',
    'too_many_queries',
    'too_many_requests',
  ],
  source: [
    // No mail server has answered lately: the network may block port 25, and will do so for the next check too.
    'port_25_unproved',
    // No name server has answered: the network may let only its own resolvers ask.
    'port_53_unproved',
    // Blocklists: paused after silence, failed their health check, refused, or gave an answer that cannot be theirs or
    // that they do not document.
    'list_paused',
    'list_unhealthy',
    'allowance_spent',
    'wrong_zone',
    'wrong_question',
    'public_resolver',
    'volume_exceeded',
    'list_refused',
    'list_error',
    'foreign_answer',
    'undocumented_code',
    // Files of feeds and popularity lists.
    'not_loaded',
    'stale',
    // The operator forbids the contact (`network.deny`).
    'denied',
    // Registries and third-party APIs.
    // The store of the history, which the next check would not reach either.
    'store_silent',
    'paused',
    'limited',
    'rate_limited',
    'resting',
    'budget_spent',
    'unreadable',
    'malformed_answer',
    'other_domain',
    'other_network',
    'no_answer',
    'certificate',
    'tls',
    'protocol_error',
    // Others of the same kind answered, so the way to them works.
    'some_lists_silent',
    'some_feeds_silent',
    'some_popularity_silent',
  ],
  ours: [
    'cancelled',
    'not_recorded',
    'no_outcome',
    NOT_ANALYSED,
    // The source was not asked, because it already gets as many queries as it may; it is asked in the background.
    'busy',
    'loading',
    'feeds_loading',
    'popularity_loading',
    // All blocklists share one short time limit; one that missed it may answer the next check.
    'some_lists_unanswered',
    'key_refused',
    'damaged_geo_data',
    'browser_failed',
    'browser_timeout',
    'page_crashed',
    'threw',
    'gatherer_failed',
    'plugin_timeout',
    'plugin_ended',
    'plugin_resting',
    'invalid_section',
    'invalid_reason',
    'invalid_signal',
    'not_a_finding',
    'finding_too_large',
  ],
  depends: [
    'timeout',
    'connect_timeout',
    'resolver_timeout',
    'deadline',
    'refused',
    'reset',
    'closed',
    'unreachable',
    'no_response',
    'host_not_found',
    'servfail',
    'malformed',
    'cname_loop',
    'cname_too_long',
    'dns_unavailable',
    'no_dns',
    'no_document',
    'no_crawl_files',
    'no_security_txt',
    'no_list_answered',
    'no_feed_loaded',
    'no_popularity_loaded',
  ],
  nobody: [
    NOT_CONFIGURED,
    'name_too_long',
    'addresses_unknown',
    'no_registration_date',
    // Some name servers do not answer questions about these records.
    'https_records_not_answered',
    // There is no page of the site's own.
    PARKED_PAGE,
    MISSING_PAGE,
    REDIRECTING_PAGE,
    'not_html',
    // Everything that was sent was read, but a browser draws more of it (document/undrawn.ts).
    'error_page',
    'next_page_not_seen',
    'frame_not_seen',
    'script_not_run',
    'picture_only',
    'shows_nothing',
  ],
}

const blames: ReadonlyMap<string, Blame> = new Map(
  Object.entries(reasonsBy).flatMap(([blame, reasons]) => reasons.map(reason => [reason, blame as Blame] as const)),
)

/** The HTTP status of a third party's response. */
const STATUS = /^[1-5]\d\d$/

/**
 * Returns who is to blame for a reason. A reason may start with its subject (`mail_records_servfail`,
 * `robots_txt_timeout`, `rdap_429`): the longest suffix in the table decides. Unknown reasons are ours.
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

/**
 * The reason to report out of several: those that the next check may resolve come first, and those that leave the result complete
 * last. Null without reasons.
 */
export const mainReason = (reasons: readonly string[]): string | null =>
  LIKELY_GONE_NEXT.map(blames => reasons.find(reason => blames.has(blameOf(reason)))).find(Boolean) ?? null

const LIKELY_GONE_NEXT: readonly ReadonlySet<Blame>[] = [
  new Set<Blame>(['ours', 'depends']),
  new Set<Blame>(['target', 'source']),
  new Set<Blame>(['nobody']),
]

/** Evidence that an analyzer does not have, by name, with its status and reason. */
type MissingEvidence = Readonly<Record<string, { readonly status: string; readonly reason: string }>>

/**
 * The reason for evidence that should have been there, as `<evidence>_<reason>`; null for none. Evidence that is not
 * applicable or not configured does not count as missing.
 */
export function missedReason(missing: MissingEvidence): string | null {
  const gaps = Object.entries(missing).filter(
    ([, { status, reason }]) => status !== 'not_applicable' && blameOf(reason) !== 'nobody',
  )
  return mainReason(gaps.map(([name, { reason }]) => `${name}_${reason}`.slice(0, REASON_CHARACTERS)))
}
