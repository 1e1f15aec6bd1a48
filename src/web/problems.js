// What went wrong, as people understand it: a heading, what it means, and what to do about it.
import { dateTime, span } from './times.js'

/**
 * @typedef {object} Trouble What stood between the question and a report.
 * @property {number | null} status of the answer; null when there was none
 * @property {string} code the interface's own, or `no-answer`, `time-out`, `cut-off`, `unreadable`
 * @property {string} detail
 * @property {string | null} request_id
 * @property {number | null} reset Unix seconds at which the quota begins anew
 * @property {number | null} retry_after seconds
 */

/**
 * @typedef {object} Explanation
 * @property {string} title
 * @property {string} advice
 * @property {'target' | 'key' | null} field the one to look at
 */

/** @type {(title: string, advice: string, field?: 'target' | 'key' | null) => Explanation} */
const say = (title, advice, field = null) => ({ title, advice, field })

/** @type {Readonly<Record<string, (trouble: Trouble, now: number) => Explanation>>} */
const explanations = {
  'missing-target': () => say('Nothing to check', 'Type a domain name or an IP address.', 'target'),
  'invalid-domain': () => say('This is not a domain name', 'Type the bare name, such as example.com.', 'target'),
  'invalid-ip': () => say('This is not an IP address', 'Write it as 192.0.2.1 or 2001:db8::1.', 'target'),
  'invalid-parameter': () =>
    say('This cannot be read', 'Type the name again; a copy may have brought something along.', 'target'),
  'missing-api-key': () =>
    say('A key is needed', 'Paste your API key. Whoever runs this service makes keys with “assay keys create”.', 'key'),
  'invalid-api-key': () =>
    say(
      'This key is not accepted',
      'It is unknown, revoked or expired, or a character is missing. Paste it again, or ask for a new one.',
      'key',
    ),
  'target-not-checkable': () =>
    say('This name cannot be checked', 'It is not a name that somebody can register on the public internet.', 'target'),
  'target-not-public': () =>
    say(
      'This address is not public',
      'Addresses of private networks are never contacted. Check a public one.',
      'target',
    ),
  'quota-exceeded': ({ reset }, now) =>
    say(
      'Your quota is used up',
      reset === null
        ? 'Try again in the next period.'
        : `It begins anew on ${dateTime(reset * 1000)}, ${span(reset * 1000 - now)} from now.`,
    ),
  'rate-limited': trouble =>
    say('Too many at once', `Many requests came in a short time. ${again(trouble)} Nothing was counted.`),
  'target-busy': trouble =>
    say(
      'This name is being checked already',
      `Its owner is not asked more often than that. ${again(trouble)} Nothing was counted.`,
    ),
  overloaded: trouble =>
    say('The service is busy', `There is no room for another check right now. ${again(trouble)} Nothing was counted.`),
  'analysis-unavailable': trouble =>
    say(
      'The service cannot look',
      `Its own network or name server is down, so it gives no verdict rather than a false one. ${again(trouble)} Nothing was counted.`,
    ),
  'no-answer': () =>
    say(
      'The service cannot be reached',
      'Check your connection, and whether the service still runs. Nothing you typed is lost.',
    ),
  'time-out': () => say('No answer in time', 'A check takes a few seconds at most. Try again.'),
  'cut-off': () => say('The answer broke off', 'The connection ended before the report was complete. Try again.'),
  unreadable: () =>
    say('The answer cannot be read', 'Something between this page and the service changed it. Try again.'),
}

/** @type {(trouble: Trouble) => string} */
const again = ({ retry_after }) =>
  retry_after === null ? 'Try again soon.' : `Try again in ${span(retry_after * 1000)}.`

/**
 * @param {Trouble} trouble
 * @param {number} now in milliseconds
 * @returns {Explanation}
 */
export function explain(trouble, now) {
  const known = Object.hasOwn(explanations, trouble.code) ? explanations[trouble.code] : undefined
  if (known) return known(trouble, now)
  if ((trouble.status ?? 0) >= 500) return say('The service failed', `${again(trouble)} Nothing was counted.`)
  return say('The service refused this', 'See below for its reason.')
}
