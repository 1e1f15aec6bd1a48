// Words for values: what plugins write descriptions with. Pure; dates are always UTC.
import type { Quoted, Span, Value } from './presentation.ts'

/** Checked, and nothing exists. */
export const NONE: readonly string[] = []

/** Marks text of the target. */
export const quote = (text: string): Quoted => ({ text })

/** The text, or `absent` if it is null. */
export const quoteOr = (text: string | null, absent: Value = null): Value => (text === null ? absent : quote(text))

/** `no cookies`, `1 cookie`, `2 cookies`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`

const date = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
// Made when they are first needed: the data of the locale would take a twelfth of a start.
let days: Intl.DateTimeFormat | undefined
let moments: Intl.DateTimeFormat | undefined

function dayOf(at: number): string {
  days ??= new Intl.DateTimeFormat('en-GB', date)
  return days.format(at)
}

/** `at` in milliseconds. */
export function moment(at: number): string {
  moments ??= new Intl.DateTimeFormat('en-GB', { ...date, hour: '2-digit', minute: '2-digit' })
  return `${moments.format(at)} UTC`
}

const timeOf = (text: string): number => Date.parse(/Z$|[+-]\d\d:?\d\d$|^[\d-]{10}$/.test(text) ? text : `${text}Z`)

/** The day of an ISO 8601 date, with or without zone designator; another text is returned as it is, null stays null. */
export function day(text: string | null): string | null {
  if (text === null) return null
  const at = timeOf(text)
  return Number.isNaN(at) ? text : dayOf(at)
}

/** The same with the time. */
export function dateTime(text: string): string {
  const at = timeOf(text)
  return Number.isNaN(at) ? text : moment(at)
}

const DAY_MS = 86_400_000
const SPANS: readonly (readonly [milliseconds: number, name: string])[] = [
  [365.25 * DAY_MS, 'year'],
  [DAY_MS, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** Milliseconds in whole units of the largest that fits at least once: a name is 8 years old until it is 9. */
export function span(milliseconds: number): string {
  const [size, name] = SPANS.find(([unit]) => milliseconds >= unit) ?? [1_000, 'second']
  return counted(Math.max(1, Math.floor(milliseconds / size)), name)
}

/** `a`, `a and b`, `a, b and c`; of more than `most`, the others are counted. */
export function series(texts: readonly string[], most = Number.POSITIVE_INFINITY): string {
  const items = foremost(texts, most)
  const more = texts.length - items.length
  const parts = more > 0 ? [...items, `${more} more`] : items
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

/** The first of them. A last one is named, which is not longer than to count it. */
export const foremost = <One>(all: readonly One[], most: number): readonly One[] =>
  all.length > most + 1 ? all.slice(0, most) : all

let languages: Intl.DisplayNames | undefined
let regions: Intl.DisplayNames | undefined

/** `Brazilian Portuguese` for `pt-BR`; a text that is no language tag is returned as it is. */
export function languageName(tag: string): string {
  languages ??= new Intl.DisplayNames('en', { type: 'language' })
  return nameIn(languages, tag)
}

/** `Netherlands` for `NL`; another text is returned as it is. */
export function countryName(code: string): string {
  regions ??= new Intl.DisplayNames('en', { type: 'region' })
  return nameIn(regions, code)
}

/** Texts that are malformed make it throw. */
function nameIn(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}

/** `TLS 1.3` for `TLSv1.3`, as OpenSSL writes it. */
export const tlsVersion = (name: string): string =>
  name.replace(/^(TLS|SSL)v(\d)(?:\.(\d))?$/, (_, family, major, minor = '0') => `${family} ${major}.${minor}`)

const KEY_KINDS: Readonly<Record<string, string>> = { ed25519: 'Ed25519', ed448: 'Ed448' }

/** The kind of a key as the field writes it: `RSA`, `EC`, `Ed25519`. */
export const keyKind = (kind: string): string => KEY_KINDS[kind] ?? kind.toUpperCase()

/** `3 of 7`; `absent` where there is nothing to count. */
export const share = (part: number, total: number, absent: Value = NONE): Value =>
  total === 0 ? absent : `${part} of ${total}`

/** Octets: `812 bytes`, `12 KiB`, `3.4 MiB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte')
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KiB`
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

/** What was served if it is not the site’s own page. */
const standIns: Readonly<Record<string, string>> = {
  block: 'The site refused our visit, so we did not see its own page.',
  challenge: 'The site asked for a CAPTCHA or similar challenge, so we did not see its own page.',
  parking: 'The page is a placeholder: the domain is parked or for sale.',
  login_wall: 'The site shows a log-in page only.',
  soft_404: 'The site returns a “not found” page.',
  error: 'The site returns an error page.',
}

/** A sentence about a response that is not the site’s own page; null for a page. */
export const standIn = ({ served_as }: { readonly served_as: string }): string | null => standIns[served_as] ?? null

/** A bar from one date to another; none where a date is unknown or unreadable. */
export const spanFrom = (label: string, from: string | null, to: string | null): readonly Span[] =>
  from === null || to === null || Number.isNaN(Date.parse(from) + Date.parse(to)) ? [] : [{ label, from, to }]
