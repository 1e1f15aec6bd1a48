// Directives of the robots meta element and the X-Robots-Tag header, as Google documents them.
import type { Document, Exchange } from '../../src/engine/plugin.ts'

/** Maximum characters of one value, and number of values, that are read. */
const VALUE_LENGTH = 1_024
const MAX_VALUES = 50

/** Directives with a value after a colon; any other word before a colon is a crawler's name. */
const WITH_VALUE = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])
const PLAIN = new Set([
  'all',
  'index',
  'follow',
  'noindex',
  'nofollow',
  'none',
  'noarchive',
  'nocache',
  'nosnippet',
  'notranslate',
  'noimageindex',
  'indexifembedded',
  'noodp',
  'noydir',
])

/** Directives for the crawler, each once, in lower case, in order. `none` is expanded to its two parts. */
export function directivesFor(
  crawler: string,
  metas: Document['metas'],
  headers: Exchange['headers'],
  now: Date,
): readonly string[] {
  const name = crawler.toLowerCase()
  const directives = [
    ...metas.filter(meta => meta.name === 'robots' || meta.name === name).map(({ content }) => content),
    ...headers.filter(([header]) => header === 'x-robots-tag').flatMap(([, value]) => forCrawler(value, name)),
  ]
  const rules = directives.slice(0, MAX_VALUES).flatMap(value => rulesOf(value, now))
  return [...new Set(rules)]
}

/** The value without a leading crawler name; nothing if it is for another crawler. */
function forCrawler(value: string, crawler: string): string[] {
  const colon = value.indexOf(':')
  const name = value.slice(0, Math.max(colon, 0)).trim().toLowerCase()
  if (name === '' || name.includes(',') || WITH_VALUE.has(name)) return [value]
  return name === crawler ? [value.slice(colon + 1)] : []
}

const isRule = (part: string): boolean => PLAIN.has(part) || WITH_VALUE.has(part.split(':', 1)[0]?.trim() ?? '')
const isDated = (part: string): boolean => part.startsWith('unavailable_after')

/** Unknown words are ignored, as crawlers do. After `unavailable_after` they are its date, which may contain commas. */
function rulesOf(value: string, now: Date): string[] {
  const parts = value
    .slice(0, VALUE_LENGTH)
    .toLowerCase()
    .split(',')
    .map(part => part.trim())
  const rules = parts
    .filter(part => isRule(part) && !isDated(part))
    .flatMap(rule => (rule === 'none' ? ['noindex', 'nofollow'] : [rule]))
  const dateIndex = parts.findIndex(isDated)
  const date = dateIndex === -1 ? [] : parts.slice(dateIndex).filter(part => isDated(part) || !isRule(part))
  return isPast(date.join(', '), now) ? [...rules, 'noindex'] : rules
}

/** `unavailable_after: 25 Jun 2010 15:00:00 PST`: after that date it means `noindex`. */
function isPast(text: string, now: Date): boolean {
  const date = Date.parse(text.slice(text.indexOf(':') + 1).trim())
  return Number.isFinite(date) && date < now.getTime()
}
