// Why a section, or a part of it, is unknown, in words.
import { words } from '../../base/labels.ts'

/** The coverage of a section, as in a result. */
export interface SectionCoverage {
  readonly status: 'completed' | 'not_applicable' | 'unavailable' | 'failed'
  readonly reason: string | null
  /** From the start of the check; absent in progress events of earlier versions. */
  readonly duration_ms?: number
}

const reasons: Readonly<Record<string, string>> = {
  domain_not_found: 'the name does not exist',
  ip_target: 'this applies to domain names only',
  domain_target: 'this applies to IP addresses only',
  no_url: 'this applies to links only',
  no_address: 'the name has no address',
  resolves_to_private_address: 'the name resolves to a non-public address, which is never contacted',
  not_visited: 'this check was asked not to contact the site',
  denied: 'the operator of this service has excluded it from checks',
  refused: 'the server refused to answer',
  reset: 'the connection was reset',
  closed: 'the connection was closed early',
  connect_timeout: 'the connection timed out',
  timeout: 'no answer came in time',
  deadline: 'no answer came in time',
  unreachable: 'the network is unreachable',
  no_response: 'the site did not answer',
  no_mx: 'the domain has no mail server of its own',
  null_mx: 'the domain receives no mail',
  port_25_unproved: 'this network may block connections to mail servers',
  port_53_unproved: 'this network may block connections to name servers',
  mail_rejected: 'a mail server refuses our connection',
  no_tls: 'the site does not offer TLS',
  host_not_found: 'the host was not found',
  resolver_timeout: 'the name servers did not answer in time',
  servfail: 'the domain’s name servers returned an error',
  malformed: 'the answer is malformed',
  cname_loop: 'the CNAME records of the name form a loop',
  cname_too_long: 'the name has too many CNAME records',
  dns_unavailable: 'some DNS queries were not answered',
  no_dns: 'some DNS queries were not answered',
  no_document: 'there was no readable page',
  not_html: 'the page is not HTML',
  error_page: 'the page is an error page',
  next_page_not_seen: 'the page sends visitors to a page that was not seen',
  frame_not_seen: 'the page is drawn by a frame that was not seen',
  script_not_run: 'the page is written by a script that was not run',
  picture_only: 'the page is only a picture',
  shows_nothing: 'the page shows nothing',
  no_crawl_files: 'robots.txt and sitemaps could not be fetched',
  no_security_txt: 'security.txt could not be fetched',
  not_public: 'the address is not public',
  parked_page: 'the name is parked or for sale, or its site is not set up',
  missing_page: 'the site has no page there',
  malformed_url: 'this service does not visit such URLs',
  redirect_to_non_public: 'a redirect leads to a non-public address',
  redirect_loop: 'its redirects form a loop',
  too_many_redirects: 'there are too many redirects',
  redirect_to_port: 'a redirect leads to an unusual port',
  redirect_to_scheme: 'a redirect leads to something other than the web',
  redirect_with_credentials: 'a redirect contains credentials',
  redirect_malformed: 'a redirect leads to an invalid URL',
  redirecting_page: 'the site redirects to an address that was not visited',
  page_withheld: 'the site does not show us its page',
  certificate_too_large: 'its certificates exceed the size limit',
  too_large: 'the page exceeds the size limit',
  bad_encoding: 'its content encoding is invalid',
  too_many_connections: 'the check would need too many connections',
  too_many_queries: 'the check would need too many DNS queries',
  too_many_requests: 'the check would need too many requests',
  not_configured: 'this service has no source for it',
  https_records_not_answered: 'the name servers do not answer questions about HTTPS records',
  no_registration_date: 'the registry does not publish the registration date',
  no_list_answered: 'no DNS blocklist answered',
  some_lists_silent: 'not all DNS blocklists answered',
  some_lists_unanswered: 'not all DNS blocklists answered in time',
  no_feed_loaded: 'no threat feed is loaded',
  feeds_loading: 'threat feeds are still loading',
  some_feeds_silent: 'not all threat feeds are loaded and fresh',
  no_popularity_loaded: 'no list of popular domains is loaded',
  popularity_loading: 'lists of popular domains are still loading',
  some_popularity_silent: 'not all lists of popular domains are loaded and fresh',
  loading: 'it is still loading',
  store_silent: 'the store of this service did not answer',
  not_loaded: 'it is not loaded',
  stale: 'the copy is too old',
  no_registry_service: 'the registry offers no service for it',
  nothing_to_ask: 'there is nothing to ask about it',
  no_answer: 'no answer came',
  unreadable: 'the answer is unreadable',
  malformed_answer: 'the answer is malformed',
  limited: 'the source limits our requests',
  rate_limited: 'the source limits our requests',
  paused: 'the source is paused after failures',
  resting: 'the source is paused after failures',
  budget_spent: 'our request limit for the source is used up',
  key_refused: 'the source refuses our key',
  damaged_geo_data: 'the location data is damaged',
  certificate: 'the certificate of the source is invalid',
  tls: 'the TLS connection failed',
  protocol_error: 'the server broke the protocol',
  cancelled: 'the check ended first',
  not_recorded: 'the recording does not contain it',
  not_analysed: 'the service ran out of time before it analysed it',
  no_outcome: 'a part of this service returned no result',
  threw: 'a plugin of this service failed',
  plugin_timeout: 'a plugin of this service took too long',
  plugin_ended: 'a plugin of this service failed',
  plugin_resting: 'a plugin of this service failed repeatedly',
  gatherer_failed: 'a part of this service failed',
  browser_certificate: 'a browser does not accept the certificate of the site',
  browser_refused: 'the site sends no page to a browser',
  browser_timeout: 'the browser of this service did not load the page in time',
  browser_busy: 'the browser of this service was busy',
  browser_failed: 'the browser of this service failed',
  page_crashed: 'the page crashes a browser',
}

/** What a reason may begin with, where its name is not its words. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['security_txt', 'security.txt'],
  ['robots_txt', 'robots.txt'],
  ['mta_sts', 'MTA-STS'],
  ['tls_rpt', 'TLS-RPT'],
  ['rdap', 'RDAP'],
  ['whois', 'WHOIS'],
  ['plain_http', 'plain HTTP'],
  ['other_host', 'the name with or without www'],
  ['cross_origin', 'a request from another site'],
  ['caa', 'CAA'],
  ['dns', 'DNS'],
  ['tls', 'TLS'],
  ['tls_offer', 'TLS'],
])

const statuses: Readonly<Record<SectionCoverage['status'], string>> = {
  completed: 'Seen',
  not_applicable: 'Nothing to look at',
  unavailable: 'Could not be seen',
  failed: 'Missing because of a fault in this service',
}

export function statusWords({ status, reason }: SectionCoverage): string {
  if (reason === 'not_visited') return 'Not checked'
  return status === 'completed' && reason !== null ? 'Seen in part' : (statuses[status] ?? statuses.failed)
}

/** The longest ending of a reason that the table has, from its word on; -1 when it has none. */
const endingIn = (parts: readonly string[], has: (ending: string) => boolean): number =>
  parts.findIndex((_, at) => has(parts.slice(at).join('_')))

/** A reason may begin with what it is about, such as `mail_records_servfail`: the longest ending that has words counts. */
export function reasonWords({ reason }: Pick<SectionCoverage, 'reason'>): string | null {
  if (reason === null) return null
  const parts = reason.split('_')
  const start = endingIn(parts, ending => Object.hasOwn(reasons, ending))
  if (start !== -1) return about(parts.slice(0, start).join('_'), reasons[parts.slice(start).join('_')] ?? '')
  const { subject = '', status } = STATUS.exec(reason)?.groups ?? {}
  return status === undefined ? words(reason) : about(subject, `the server answered with status ${status}`)
}

/** The status of an HTTP response, as in `robots_txt_status_503` and `rdap_429`. */
const STATUS = /^(?:(?<subject>.+?)_)??(?:status_|http_)?(?<status>[1-5]\d\d)$/

const about = (subject: string, sentence: string): string =>
  subject === '' ? sentence : `${SUBJECTS.get(subject) ?? words(subject)}: ${sentence}`

/**
 * What would show the unseen: `withheld`, a person's browser; `drawn`, any browser; `silent`, another time; `ours`, this service
 * when it is whole; `asked`, a check that contacts the site; `misnamed`, who gave the name; `inside`, who owns it.
 */
export type Gap = 'withheld' | 'drawn' | 'silent' | 'ours' | 'asked' | 'misnamed' | 'inside'

const gaps: Readonly<Record<Gap, readonly string[]>> = {
  withheld: ['page_withheld'],
  drawn: [
    'script_not_run',
    'frame_not_seen',
    'next_page_not_seen',
    'picture_only',
    'shows_nothing',
    'too_large',
    'bad_encoding',
  ],
  silent: [
    'refused',
    'reset',
    'closed',
    'connect_timeout',
    'timeout',
    'deadline',
    'unreachable',
    'no_response',
    'no_answer',
    'resolver_timeout',
    'servfail',
    'malformed',
    'cname_loop',
    'cname_too_long',
    'tls',
    'protocol_error',
    'error_page',
    'certificate_too_large',
    'mail_rejected',
  ],
  ours: [
    'dns_unavailable',
    'no_dns',
    'no_list_answered',
    'some_lists_silent',
    'some_lists_unanswered',
    'store_silent',
    'feeds_loading',
    'some_feeds_silent',
    'popularity_loading',
    'some_popularity_silent',
    'loading',
    'not_loaded',
    'stale',
    'limited',
    'rate_limited',
    'paused',
    'resting',
    'budget_spent',
    'key_refused',
    'damaged_geo_data',
    'too_many_connections',
    'too_many_queries',
    'too_many_requests',
    'cancelled',
    'not_analysed',
    'no_outcome',
    'browser_timeout',
    'browser_busy',
    'browser_failed',
    'threw',
    'plugin_timeout',
    'plugin_ended',
    'plugin_resting',
    'gatherer_failed',
    'no_feed_loaded',
  ],
  asked: ['not_visited'],
  misnamed: ['domain_not_found'],
  inside: ['resolves_to_private_address'],
}

const gapByReason = new Map(
  Object.entries(gaps).flatMap(([gap, all]) => all.map(reason => [reason, gap as Gap] as const)),
)

/** Null for a reason that says nothing about how to see more. */
export function gapOf(reason: string): Gap | null {
  const parts = reason.split('_')
  const start = endingIn(parts, ending => gapByReason.has(ending))
  return gapByReason.get(parts.slice(start).join('_')) ?? null
}

type Sections = Readonly<Record<string, SectionCoverage>>

/** Whether there is something to look at and to look at it with. A check that may not contact the site leaves out what applies. */
export const applies = ({ status, reason }: SectionCoverage): boolean =>
  reason === 'not_visited' ||
  (status !== 'not_applicable' && !(status === 'unavailable' && reason === 'not_configured'))

/** The sections that were not seen whole; last those that have nothing to look at. */
export const unseenSections = (sections: Sections): [name: string, coverage: SectionCoverage][] =>
  Object.entries(sections)
    .filter(([, { status, reason }]) => status !== 'completed' || reason !== null)
    .sort(([, a], [, b]) => Number(applies(b)) - Number(applies(a)))

export interface Coverage {
  readonly complete: boolean
  readonly ratio: number
  readonly sections: Sections
}

/** The share of the applicable evidence that was seen, in percent; never 100 while something is missing. */
export const seenPercent = ({ ratio, complete }: Pick<Coverage, 'ratio' | 'complete'>): number =>
  Math.min(complete ? 100 : 99, Math.round(ratio * 100))

/** What the coverage means, in a sentence. */
export function coverageWords(coverage: Coverage): string {
  if (!coverage.complete)
    return `${seenPercent(coverage)} % of the applicable evidence was seen. The rest is unknown, which does not mean good.`
  const gaps = unseenSections(coverage.sections)
  if (gaps.some(([, section]) => applies(section)))
    return 'All evidence that this check reads was seen, but it does not cover everything.'
  return gaps.length === 0
    ? 'Complete: all evidence for every section was seen.'
    : 'Complete: all applicable evidence with a source was seen.'
}
