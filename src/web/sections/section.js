// How a section of the result is described for people. Pure: words and facts, no DOM.

/** Untrusted text within our own. @typedef {{ readonly text: string }} Quoted */
/** @typedef {readonly (string | Quoted)[]} Sentence */
/** Null is unknown; an empty list is none. @typedef {string | number | boolean | null | readonly string[] | Quoted} Value */

/**
 * @typedef {object} Description
 * @property {Sentence} summary
 * @property {readonly (readonly [label: string, value: Value])[]} facts
 * @property {readonly string[]} [remarks] the section's own issues or recommendations, besides the advice for its signals
 * @property {number | null} [score] of 100 if the section has a score; null if there was nothing to judge
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string} looks what is checked, as the end of "We check ..."
 * @property {true} [informs] it is informational only
 * @property {(section: any, isWhole: boolean) => Description} describe `isWhole`: no part of it is unknown
 */

/** Checked, and there is none. @type {readonly string[]} */
export const NONE = []

/** @type {(text: string) => Quoted} */
export const quote = text => ({ text })

/**
 * The value, or `absent` if the result has null.
 * @type {(text: string | null, absent?: Value) => Value}
 */
export const quoteOr = (text, absent = null) => (text === null ? absent : quote(text))

/** @type {(count: number, one: string, many?: string) => string} */
export const counted = (count, one, many = `${one}s`) => `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`

/** An identifier of the API such as `not_green` as words. @type {(slug: string) => string} */
export const words = slug => slug.replaceAll('_', ' ')

/** What was served if it is not the site's own page. */
const standIns = /** @type {Readonly<Record<string, string>>} */ ({
  block: 'The site refused our visit, so we did not see its own page.',
  challenge: 'The site asked for a CAPTCHA or similar challenge, so we did not see its own page.',
  parking: 'The page is a placeholder: the domain is parked or for sale.',
  login_wall: 'The site shows a log-in page only.',
  soft_404: 'The site returns a “not found” page.',
  error: 'The site returns an error page.',
})

/** @type {(section: { served_as?: string }) => string | null} */
export const standIn = ({ served_as = 'page' }) => standIns[served_as] ?? null
