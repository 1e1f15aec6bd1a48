// How a section of the result is told to people. Pure: words and facts, no elements.

/** A stranger's words among ours. @typedef {{ readonly text: string }} Quoted */
/** @typedef {readonly (string | Quoted)[]} Sentence */
/** @typedef {string | number | boolean | null | readonly string[] | Quoted} Value */

/**
 * @typedef {object} Telling
 * @property {Sentence} summary
 * @property {readonly (readonly [label: string, value: Value])[]} facts
 * @property {readonly string[]} [remarks] what the section itself remarks or recommends, beside the advice for its signals
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string} looks what is looked at, as the end of "We look at ..."
 * @property {(section: any) => Telling} tell
 */

/** @type {(text: string) => Quoted} */
export const quote = text => ({ text })

/** @type {(count: number, one: string, many?: string) => string} */
export const counted = (count, one, many = `${one}s`) => `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`

/** A word of the interface, such as `not_green`, as words. @type {(slug: string) => string} */
export const words = slug => slug.replaceAll('_', ' ')

/** What stands in the page's place, when it is not the site's own answer. */
const standIns = /** @type {Readonly<Record<string, string>>} */ ({
  block: 'The site refused our visit, so its own page was not seen.',
  challenge: 'The site asked for proof of being human, so its own page was not seen.',
  parking: 'A placeholder answers here: the name is parked or for sale.',
  login_wall: 'A log-in page answers in place of the site.',
  soft_404: 'The site answers with a page that says “not found”.',
  error: 'The site answers with an error page.',
})

/** @type {(section: { served_as?: string }) => string | null} */
export const standIn = ({ served_as = 'page' }) => standIns[served_as] ?? null
