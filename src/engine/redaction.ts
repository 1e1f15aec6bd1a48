// A recording without the tokens of links, so that it can be passed on.
import { normaliseUrl, splitUrl, type TargetUrl } from '../targets/url.ts'
import type { Recording } from './recording.ts'

const REDACTED = 'redacted'

/** A value in the query of any URL, wherever it is written. */
const queryValue = /([?&;](?:[\w.~%+*[\]-]|\p{L}){0,64}=)[^&;#\s"'<>\\]+/gu

/** Characters from which a value is also replaced outside of URLs; shorter ones would be found in other words. */
const TELLING = 6
/** Characters of a path segment that is taken for a token if it has letters and digits. */
const TOKEN = 20

/**
 * Replaces the values in queries everywhere, and those of the checked URL, as well as token-like segments of its path,
 * wherever they occur. The rest of the evidence stays, so the recording can be analyzed again.
 */
export function redact(recording: Recording): Recording {
  const secrets = recording.target.url === null ? [] : secretsOf(recording.target.url)
  const clean = (text: string) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, REDACTED), text.replace(queryValue, `$1${REDACTED}`))
  const { target, ...rest } = mapTexts(recording, clean) as Recording
  const { url } = recording.target
  return { ...rest, target: { ...target, url: url === null ? null : reread(clean(url.href)) } }
}

/** Longest first, because one may be part of another. */
function secretsOf({ path, query }: TargetUrl): string[] {
  const values = [...new URLSearchParams(query ?? '')].map(([, value]) => value)
  const written = (query ?? '').split(/[&;]/).map(pair => pair.slice(pair.indexOf('=') + 1))
  const tokens = path.split('/').filter(part => part.length >= TOKEN && /[a-z]/i.test(part) && /\d/.test(part))
  const telling = [...values, ...written].filter(({ length }) => length >= TELLING)
  return [...new Set([...telling, ...tokens])].sort((a, b) => b.length - a.length)
}

/** The parts of the redacted URL. */
function reread(href: string): TargetUrl {
  const split = splitUrl(href)
  const url = split.ok ? normaliseUrl(split.written, split.written.host) : split.detail
  if (typeof url === 'string') throw new Error(`The redacted URL is not valid: ${url}`)
  return url
}

/** The value with every text in it mapped, keys excepted. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map(one => mapTexts(one, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, map)]))
}
