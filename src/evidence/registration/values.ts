// Normalizes the values that registries write: names, statuses and dates, in RDAP and in WHOIS. Pure; linear in short text.
import { clean } from '../document/text.ts'
import type { RegistrationFacts } from './facts.ts'

const NAME_CHARACTERS = 256
/** Root and TLD zones have 13 name servers at most; no registration needs more. */
const NAME_SERVERS = 13

/** The name of a registrar, holder or network, cleaned for display; null when nothing is left. */
export function shortName(text: string): string | null {
  const name = clean(text.toWellFormed(), NAME_CHARACTERS)
  return name === '' ? null : name
}

export const nameServers = (names: readonly (string | null)[]): readonly string[] =>
  [...new Set(names.filter(name => name !== null))].slice(0, NAME_SERVERS)

/** RFC 8056 section 2, as RDAP writes them. EPP writes the same words without spaces, and `ok` for `active`. */
const STANDARD_STATUSES = [
  'active',
  'inactive',
  'linked',
  'add period',
  'auto renew period',
  'renew period',
  'transfer period',
  'redemption period',
  'client delete prohibited',
  'client hold',
  'client renew prohibited',
  'client transfer prohibited',
  'client update prohibited',
  'pending create',
  'pending delete',
  'pending renew',
  'pending restore',
  'pending transfer',
  'pending update',
  'server delete prohibited',
  'server hold',
  'server renew prohibited',
  'server transfer prohibited',
  'server update prohibited',
] as const

const squeeze = (text: string): string => text.replace(/[ _-]/g, '')

const STATUS_NAMES: ReadonlyMap<string, string> = new Map([
  ['ok', 'active'],
  ...STANDARD_STATUSES.map(status => [squeeze(status), status] as const),
])

/** Statuses kept, and the longest non-standard one. */
const STATUSES = 20
const STATUS_CHARACTERS = 64

/** One status without its explanation: a URL, brackets, ` - Normal state.`. */
function statusOf(rawStatus: string): string {
  const text = clean(rawStatus.toWellFormed(), STATUS_CHARACTERS * 2).toLowerCase()
  const [word = ''] = text.split(/ https?:| \(| - /, 1)
  return STATUS_NAMES.get(squeeze(word)) ?? clean(word, STATUS_CHARACTERS)
}

/** Status values in RDAP's spelling, without duplicates, in the order written. One text may hold several, comma-separated. */
export function statuses(rawStatuses: readonly string[]): readonly string[] {
  const all = rawStatuses.slice(0, STATUSES).flatMap(text => text.slice(0, 1_000).split(',', STATUSES).map(statusOf))
  return [...new Set(all.filter(status => status !== ''))].slice(0, STATUSES)
}

/** The first domain, symbolics.com, was registered in March 1985. Earlier dates are placeholders. */
const EARLIEST = Date.UTC(1985, 0, 1)
/** A registry's local time may be this far ahead of UTC. */
const AHEAD_MS = 24 * 60 * 60 * 1000

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/**
 * A date as written: the earliest and the latest day that it may mean, in milliseconds since the Unix epoch. They differ where
 * only a year, a month or an upper bound is given.
 */
export interface Moment {
  readonly from: number
  readonly to: number
}

interface StatedDate {
  readonly at: string
  readonly isExact: boolean
}

const dateOf = ({ from, to }: Moment, latest = Number.POSITIVE_INFINITY): StatedDate => ({
  at: iso(Math.min(latest, to)),
  isExact: from === to,
})

const isPast = ({ from, to }: Moment, now: number, earliest: number): boolean =>
  to >= earliest && from <= now + AHEAD_MS

/** The earliest plausible registration date, at its latest: the age is never overstated. Dates before `earliest` are placeholders. */
export function registeredOn(
  moments: readonly Moment[],
  now: number,
  earliest = EARLIEST,
): { readonly date: StatedDate | null; readonly isInFuture: boolean } {
  const [first] = moments.filter(moment => isPast(moment, now, earliest)).toSorted((a, b) => a.to - b.to)
  return { date: first ? dateOf(first, now) : null, isInFuture: !first && moments.some(({ from }) => from > now) }
}

/** What the registry says of the three dates: the latest plausible change, and the latest plausible expiry, past or future. */
export function dates(
  { registered, expires, updated }: Readonly<Record<'registered' | 'expires' | 'updated', readonly Moment[]>>,
  now: number,
): Pick<RegistrationFacts, 'registered_at' | 'registered_in_future' | 'expires_at' | 'updated_at' | 'inexact'> {
  const { date, isInFuture } = registeredOn(registered, now)
  const last = (moments: readonly Moment[]) => moments.toSorted((a, b) => a.to - b.to).at(-1)
  const expiry = last(expires.filter(({ to }) => to >= EARLIEST))
  const change = last(updated.filter(moment => isPast(moment, now, EARLIEST)))
  const datedFacts = {
    registered_at: date,
    expires_at: expiry ? dateOf(expiry) : null,
    updated_at: change ? dateOf(change, now) : null,
  }
  const inexact = DATES.filter(name => datedFacts[name]?.isExact === false)
  return {
    registered_at: datedFacts.registered_at?.at ?? null,
    registered_in_future: isInFuture,
    expires_at: datedFacts.expires_at?.at ?? null,
    updated_at: datedFacts.updated_at?.at ?? null,
    ...(inexact.length > 0 && { inexact }),
  }
}

const DATES = ['registered_at', 'expires_at', 'updated_at'] as const

/** The longest date with weekday, time and zone is shorter. */
const DATE_CHARACTERS = 64

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? /

/** The first match counts. Between two numbers the day comes before the month, unless that is impossible. */
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
  // 1996-08, 1996-Aug, 08/1996, Aug-1996, 1996
  /^(?<year>\d{4})[-./ ](?<month>\d{1,2})$/,
  /^(?<year>\d{4})[-./ ](?<name>[a-z]{3,9})$/,
  /^(?<month>\d{1,2})[-./ ](?<year>\d{4})$/,
  /^(?<name>[a-z]{3,9})[-./, ] ?(?<year>\d{4})$/,
  /^(?<year>\d{4})$/,
]

/** The date itself is excluded. */
const BEFORE = /^(?:before|prior to|pre)[- ]/

/** Reads offsets. Zone abbreviations are ambiguous and read as UTC, which is less than a day off. */
const TIME =
  /[ t](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d{1,9})?)? ?(?:\(?(?:gmt|utc) ?)?(?:(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?)?/

/** A date, with or without a time (UTC unless it has an offset); null for other text. */
export function parseMoment(rawDate: string): Moment | null {
  const text = rawDate.slice(0, DATE_CHARACTERS).toLowerCase().trim().replace(/\s+/g, ' ').replace(WEEKDAY, '')
  const bare = text.replace(BEFORE, '').replace(/(?<!\.)\.$/, '')
  for (const layout of LAYOUTS) {
    const parts = layout.exec(bare)?.groups
    if (!parts) continue
    const days = daysOf(parts)
    const time = timeOf(TIME.exec(bare)?.groups)
    if (days === null || time === null) return null
    if (bare.length < text.length && BEFORE.test(text)) return { from: EARLIEST, to: days.from - DAY_MS }
    return { from: days.from + time, to: days.to + time }
  }
  return null
}

const DAY_MS = 24 * 60 * 60 * 1_000

type DateParts = Readonly<Record<string, string | undefined>>

/** The only possible day, or the first and the last one of the month or year. */
function daysOf({ year = '', month, name, day }: DateParts): Moment | null {
  const y = fullYear(year)
  if (y < 100) return null
  const number =
    month === undefined ? (name === undefined ? null : MONTHS.indexOf(name.slice(0, 3)) + 1) : Number(month)
  if (number === null) return { from: Date.UTC(y, 0, 1), to: Date.UTC(y, 11, 31) }
  if (day === undefined) {
    return number < 1 || number > 12 ? null : { from: Date.UTC(y, number - 1, 1), to: Date.UTC(y, number, 0) }
  }
  const [m, d] = number > 12 && month !== undefined ? [Number(day), number] : [number, Number(day)]
  const ms = Date.UTC(y, m - 1, d)
  // Date.UTC turns an impossible date (February 31, month 0) into another one.
  const moment = new Date(ms)
  return moment.getUTCMonth() === m - 1 && moment.getUTCDate() === d ? { from: ms, to: ms } : null
}

/** Two-digit years start at 1985, the year of the first domain. */
function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length > 2) return year
  return year >= 85 ? 1900 + year : 2000 + year
}

/** Milliseconds since midnight UTC; null for an impossible time. */
function timeOf(parts: DateParts | undefined): number | null {
  if (!parts) return 0
  const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map(part => Number(part ?? 0))
  if (hour === undefined || minute === undefined || second === undefined) return null
  if (hour > 23 || minute > 59 || second > 60) return null
  const offset = Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'] ?? 0)
  const east = parts['sign'] === '-' ? -offset : offset
  return ((hour * 60 + minute - east) * 60 + second) * 1000
}
