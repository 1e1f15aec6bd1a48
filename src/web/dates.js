// Dates and durations in words.

/** @type {Intl.DateTimeFormatOptions} */
const full = { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }
const moments = new Intl.DateTimeFormat('en-GB', full)
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** @param {number} at in milliseconds */
export const dateTime = at => `${moments.format(at)} UTC`

/**
 * The day of a UTC date from the API, with or without zone designator; null stays null.
 * @param {unknown} text
 */
export function day(text) {
  if (typeof text !== 'string') return null
  const at = Date.parse(/Z$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? text : days.format(at)
}

/** @type {readonly (readonly [milliseconds: number, name: string])[]} */
const units = [
  [365.25 * 86_400_000, 'year'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/**
 * The largest unit that fits at least once, rounded.
 * @param {number} milliseconds
 */
export function span(milliseconds) {
  const [size, name] = units.find(([unit]) => milliseconds >= unit) ?? [1_000, 'second']
  const count = Math.max(1, Math.round(milliseconds / size))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
