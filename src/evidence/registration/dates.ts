// Reads the dates that registries write: RFC 3339 in RDAP, and the many layouts of WHOIS. Pure; linear in short text.

/** No date is longer, with weekday, time and zone. */
const CHARACTERS = 64

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? /

/** The first that matches counts. Days come before months where both are numbers, unless that cannot be. */
const LAYOUTS: readonly RegExp[] = [
  // 2002-04-18T15:16:22Z, 1999.10.27 13:00:00, 2019/09/27, 2007. 03. 02.
  /^(?<year>\d{4})[-./] ?(?<month>\d{1,2})[-./] ?(?<day>\d{1,2})(?!\d)/,
  // 2001-Aug-23
  /^(?<year>\d{4})[-./ ](?<name>[a-z]{3,9})[-./ ](?<day>\d{1,2})(?!\d)/,
  // 19990518
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/,
  // 26.03.2008 16:18:03, 30/10/2002, 14-07-1998
  /^(?<day>\d{1,2})[-./](?<month>\d{1,2})[-./](?<year>\d{4})(?!\d)/,
  // 15-sep-1997, 29-APR-05, 30th April 2003
  /^(?<day>\d{1,2})(?:st|nd|rd|th)?[-./ ] ?(?<name>[a-z]{3,9})[-./, ] ?(?<year>\d{4}|\d{2})(?!\d)/,
  // Feb 10 09:42:42 2004, Feb 10 09:42:42 UTC 2004, October 8, 1999
  /^(?<name>[a-z]{3,9}) (?<day>\d{1,2}),? (?:\d{1,2}:\d{2}(?::\d{2})? )?(?:[a-z]{3,4} )?(?<year>\d{4})(?!\d)/,
  // before Aug-1996: on the month's first day at the latest, so that an age counted from it is never too great
  /^before (?<name>[a-z]{3,9})[- ](?<year>\d{4})(?!\d)/,
]

/** Offsets are read, abbreviations of zones are not: they are ambiguous, and taken for UTC are less than a day off. */
const TIME =
  /[ t](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d{1,9})?)? ?(?:\(?(?:gmt|utc) ?)?(?:(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?)?/

/** Milliseconds since the Unix epoch of a date, with or without a time (UTC unless an offset is written); null when it is none. */
export function parseMoment(written: string): number | null {
  const text = written.slice(0, CHARACTERS).toLowerCase().trim().replace(/\s+/g, ' ').replace(WEEKDAY, '')
  for (const layout of LAYOUTS) {
    const parts = layout.exec(text)?.groups
    if (!parts) continue
    const day = dayOf(parts)
    const time = timeOf(TIME.exec(text)?.groups)
    return day === null || time === null ? null : day + time
  }
  return null
}

type Parts = Readonly<Record<string, string | undefined>>

function dayOf({ year = '', month, name = '', day = '1' }: Parts): number | null {
  const number = month === undefined ? MONTHS.indexOf(name.slice(0, 3)) + 1 : Number(month)
  const possible = number > 12 && month !== undefined ? [Number(day), number] : [number, Number(day)]
  const [m = 0, d = 0] = possible
  const y = fullYear(year)
  const ms = Date.UTC(y, m - 1, d)
  // A date that is none (February 31, month 0) comes out as another.
  const moment = new Date(ms)
  return y >= 100 && moment.getUTCMonth() === m - 1 && moment.getUTCDate() === d ? ms : null
}

/** Two digits: the first domain was registered in 1985. */
function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length > 2) return year
  return year >= 85 ? 1900 + year : 2000 + year
}

/** Milliseconds since midnight UTC; null when there is no such time. */
function timeOf(parts: Parts | undefined): number | null {
  if (!parts) return 0
  const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map(part => Number(part ?? 0))
  if (hour === undefined || minute === undefined || second === undefined) return null
  if (hour > 23 || minute > 59 || second > 60) return null
  const offset = Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'] ?? 0)
  const east = parts['sign'] === '-' ? -offset : offset
  return ((hour * 60 + minute - east) * 60 + second) * 1000
}
