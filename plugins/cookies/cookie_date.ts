// Parses the date of an Expires attribute as leniently as browsers do (RFC 6265bis section 5.1.1).

const DELIMITERS = /[\t\u0020-\u002f\u003b-\u0040\u005b-\u0060\u007b-\u007e]+/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Only this many tokens are read; a date has seven. */
const TOKENS = 32

interface DateFields {
  time?: readonly number[]
  day?: number
  month?: number
  year?: number
}

/** Milliseconds since the epoch, or null if the text is not a date. */
export function parseCookieDate(text: string): number | null {
  const fields: DateFields = {}
  for (const token of text.split(DELIMITERS, TOKENS)) readToken(token, fields)
  const { time, day, month, year } = fields
  if (time === undefined || day === undefined || month === undefined || year === undefined) return null
  const [hour = 0, minute = 0, second = 0] = time
  if (year < 1601 || hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(Date.UTC(year, month, day, hour, minute, second))
  return date.getUTCDate() === day && date.getUTCMonth() === month ? date.getTime() : null
}

/** Assigns each token to the first missing field that it fits, in this order. Digits may be followed by other characters. */
function readToken(token: string, fields: DateFields): void {
  const time = fields.time ? null : /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/.exec(token)
  if (time) {
    fields.time = time.slice(1).map(Number)
    return
  }
  const day = fields.day === undefined ? /^\d{1,2}(?!\d)/.exec(token) : null
  if (day) {
    fields.day = Number(day[0])
    return
  }
  const month = fields.month === undefined ? MONTHS.indexOf(token.slice(0, 3).toLowerCase()) : -1
  if (month >= 0) {
    fields.month = month
    return
  }
  const year = fields.year === undefined ? /^\d{2,4}(?!\d)/.exec(token) : null
  if (year) fields.year = fullYear(Number(year[0]))
}

const fullYear = (year: number): number => (year >= 70 && year <= 99 ? year + 1900 : year <= 69 ? year + 2000 : year)
