// Why a section could not be seen, or only in part, in plain words.
import { words } from './sections/section.js'

/** @typedef {import('./result.js').SectionCoverage} SectionCoverage */

/** @type {Readonly<Record<string, string>>} */
const reasons = {
  domain_not_found: 'the name does not exist',
  ip_target: 'this belongs to names, and an address was checked',
  domain_target: 'this belongs to addresses, and a name was checked',
  no_address: 'the name has no address',
  resolves_to_private_address: 'the name leads to an address that is not public, which is never contacted',
  refused: 'the connection was refused',
  reset: 'the connection was cut',
  connect_timeout: 'no connection came about in time',
  timeout: 'the time was up',
  deadline: 'the time was up',
  unreachable: 'the network did not lead there',
  resolver_timeout: 'the name server did not answer in time',
  servfail: 'the domain’s name servers gave no usable answer',
  cname_loop: 'the aliases of the name lead in a circle',
  cname_too_long: 'the name has too many aliases',
  dns_unavailable: 'some DNS questions went unanswered',
  no_dns: 'some DNS questions went unanswered',
  no_document: 'there was no page that could be read',
  no_response: 'the site gave no answer',
  page_withheld: 'the site keeps its page from us',
  not_configured: 'this service has no source for it',
  no_list_answered: 'no blocklist answered',
  some_lists_silent: 'not all blocklists answered',
  no_feed_loaded: 'no threat feed is loaded',
  feeds_loading: 'threat feeds are still being loaded',
  some_feeds_silent: 'not all threat feeds are loaded and fresh',
  no_popularity_loaded: 'no list of popular domains is loaded',
  some_popularity_silent: 'not all lists of popular domains are loaded and fresh',
  no_registry_service: 'the registry tells nothing',
  nothing_to_ask: 'there is nothing to ask about it',
  threw: 'a plugin of this service broke',
  plugin_timeout: 'a plugin of this service took too long',
  plugin_ended: 'a plugin of this service broke',
  plugin_resting: 'a plugin of this service broke again and again',
  gatherer_failed: 'a part of this service broke',
}

/** @type {Readonly<Record<SectionCoverage['status'], string>>} */
const statuses = {
  completed: 'Seen',
  not_applicable: 'Nothing there to look at',
  unavailable: 'Could not be seen',
  failed: 'Lost by a fault of ours',
}

/** @param {SectionCoverage} coverage */
export const statusWords = ({ status, reason }) =>
  status === 'completed' && reason !== null ? 'Seen in part' : statuses[status]

/** @param {SectionCoverage} coverage */
export function reasonWords({ reason }) {
  if (reason === null) return null
  return Object.hasOwn(reasons, reason) ? /** @type {string} */ (reasons[reason]) : words(reason)
}

/** The sections that were not seen whole, those that say nothing of the target's safety last.
 * @param {Readonly<Record<string, SectionCoverage>>} sections
 */
export const unseen = sections =>
  Object.entries(sections)
    .filter(([, { status, reason }]) => status !== 'completed' || reason !== null)
    .sort(([, a], [, b]) => Number(a.status === 'not_applicable') - Number(b.status === 'not_applicable'))
