// Errors for people: a heading, the meaning, and what to do.
import { dateTime, span } from './dates.js'

/**
 * @typedef {object} Trouble Why there is no report.
 * @property {number | null} status of the answer; null when there was none
 * @property {string} code the interface's own, or `no-answer`, `time-out`, `cut-off`, `unreadable`
 * @property {string} detail
 * @property {string | null} request_id
 * @property {number | null} reset Unix seconds at which the quota starts again
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
  'missing-target': () =>
    say('Nothing to check', 'Type a domain name, an IP address, a link or an e-mail address.', 'target'),
  'invalid-domain': () => say('This is not a domain name', 'Type the bare name, such as example.com.', 'target'),
  'invalid-ip': () => say('This is not an IP address', 'Write it as 192.0.2.1 or 2001:db8::1.', 'target'),
  'invalid-url': () =>
    say(
      'This link cannot be checked as it is written',
      'Programs could read it in different ways, or it is not a web address. Do not open it just because it was refused.',
      'target',
    ),
  'invalid-email': () =>
    say('This is not an e-mail address', 'Type it as name@example.com, or check the name after the @.', 'target'),
  'conflicting-targets': () => say('Two targets at once', 'Type either a link or the name of a host.', 'target'),
  'invalid-parameter': () =>
    say('This cannot be read', 'Type the name again; the copy may contain hidden characters.', 'target'),
  'missing-api-key': () =>
    say(
      'An API key is required',
      'Paste your API key. The operator of this service creates keys with “npx assay keys create”.',
      'key',
    ),
  'invalid-api-key': () =>
    say(
      'This key is not accepted',
      'It is unknown, revoked or expired, or a character is missing. Paste it again, or ask for a new one.',
      'key',
    ),
  'target-not-checkable': () =>
    say('This name cannot be checked', 'The name is not below a public top-level domain.', 'target'),
  'target-not-public': () =>
    say(
      'This target is not checked',
      'Private addresses, and targets that the operator of this service excludes, are never contacted. Check a public one.',
      'target',
    ),
  'quota-exceeded': ({ reset }, now) =>
    say(
      'Your quota is used up',
      reset === null
        ? 'Try again in the next period.'
        : `It resets on ${dateTime(reset * 1000)}, ${span(reset * 1000 - now)} from now.`,
    ),
  'rate-limited': trouble =>
    say('Too many requests', `You sent too many requests in a short time. ${again(trouble)} Nothing was counted.`),
  'target-busy': trouble =>
    say(
      'This name is being checked too often',
      `We limit how often we contact one domain. This says nothing about the name. ${again(trouble)} Nothing was counted.`,
    ),
  overloaded: trouble =>
    say('The service is busy', `Too many checks are running. ${again(trouble)} Nothing was counted.`),
  'analysis-unavailable': trouble =>
    say(
      'The check could not run',
      `A part of this service is down, so there is no verdict. This says nothing about the target. ${again(trouble)} Nothing was counted.`,
    ),
  'result-not-found': () =>
    say(
      'Result not found',
      'It belongs to another account, is too old, or its link was revoked. Check the target again.',
    ),
  'history-disabled': () => say('No results are kept', 'The operator of this service keeps no earlier results.'),
  'history-unavailable': trouble => say('Kept results cannot be read now', again(trouble)),
  'watches-disabled': () => say('Nothing is watched here', 'The operator of this service has disabled watches.'),
  'share-limit': () => say('No more links', 'Your account has reached its limit of links. Revoke one first.'),
  'watch-limit': () => say('No more watches', 'Your account has reached its limit of watches. Remove one first.'),
  'watch-not-found': () => say('This watch is gone', 'Load your watches again.'),
  'watches-unavailable': trouble => say('Watches cannot be read now', again(trouble)),
  'invalid-body': () => say('This cannot be watched', 'Correct what is wrong:'),
  'no-answer': () =>
    say(
      'The service cannot be reached',
      'Check your connection and whether the service is running. Your input is kept.',
    ),
  'time-out': () => say('No answer in time', 'A check takes a few seconds at most. Try again.'),
  'cut-off': () => say('The answer was cut off', 'The connection ended before the report was complete. Try again.'),
  unreadable: () =>
    say(
      'The answer cannot be read',
      'A proxy or extension between this page and the service may have changed it. Try again.',
    ),
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
  const explanation = Object.hasOwn(explanations, trouble.code) ? explanations[trouble.code] : undefined
  if (explanation) return explanation(trouble, now)
  if ((trouble.status ?? 0) >= 500) return say('The service failed', `${again(trouble)} Nothing was counted.`)
  return say('The service refused this', 'The reason is below.')
}
