// A recording without the tokens of links, so that it can be passed on.
import type { Page } from '../evidence/page/facts.ts'
import { normaliseUrl, splitUrl, type TargetUrl } from '../targets/url.ts'
import type { Recording } from './recording.ts'

const REDACTED = 'redacted'

/** A value in the query of any URL, wherever it is written. */
const QUERY_VALUE = /([?&;](?:[\w.~%+*[\]-]|\p{L}){0,64}=)[^&;#\s"'<>\\]+/gu

/** Characters from which a value is also replaced outside of URLs; shorter ones would be found in other words. */
const TELLING = 6
/** Characters of a path segment that is taken for a token if it has letters and digits. */
const TOKEN = 20

/** `pkg@1.2.3` is not one. */
const EMAIL = /^[^\s@:]+@[^\s@:]+\.[a-z]{2,}$/i

/**
 * Replaces the values in queries everywhere, the values of the checked URL, and tokens and e-mail addresses in its
 * path and in the URLs that redirects lead to, wherever they occur. The rest of the evidence stays, so the recording can
 * be analyzed again.
 */
export function redact(recording: Recording): Recording {
  const { url: targetUrl } = recording.target
  const values = targetUrl === null ? [] : valuesOf(targetUrl)
  const tokens = [...(targetUrl === null ? [] : [targetUrl.href]), ...redirectUrls(recording)].flatMap(tokensOf)
  // Longest first, because one may be part of another.
  const secrets = [...new Set([...values, ...tokens])].sort((a, b) => b.length - a.length)
  const clean = (text: string) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), text.replace(QUERY_VALUE, `$1${REDACTED}`))
  const { target, ...rest } = mapTexts(recording, clean) as Recording
  const { url } = recording.target
  return { ...rest, target: { ...target, url: url === null ? null : reread(clean(url.href)) } }
}

function valuesOf({ query }: TargetUrl): string[] {
  const values = [...new URLSearchParams(query ?? '')].map(([, value]) => value)
  const rawValues = (query ?? '').split(/[&;]/).map(pair => pair.slice(pair.indexOf('=') + 1))
  return [...values, ...rawValues].filter(({ length }) => length >= TELLING)
}

/** The URLs of all responses, and those that redirects lead to, followed or not. */
function redirectUrls({ evidence }: Recording): string[] {
  const { page } = evidence
  // As recorded, without validation.
  const { exchanges: own = [], stopped_at, handover } = (page?.status === 'gathered' ? page.value : {}) as Partial<Page>
  const exchanges = [...own, ...(handover?.frame ?? [])]
  const locations = exchanges.flatMap(({ headers }) => headers.filter(([name]) => name === 'location'))
  return [...exchanges.map(({ url }) => url), ...locations.map(([, value]) => value), stopped_at ?? '']
}

/** The host stays: it is the subject of the recording. */
const BEFORE_PATH = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/?#]*)?/i

/** Tokens and e-mail addresses after the host, as written and decoded. */
function tokensOf(url: string): string[] {
  const parts = url.replace(BEFORE_PATH, '').split(/[/?#&;=]/)
  return parts.filter(part => isToken(part) || EMAIL.test(decode(part))).flatMap(part => [part, decode(part)])
}

const isToken = (part: string): boolean => part.length >= TOKEN && /[a-z]/i.test(part) && /\d/.test(part)

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
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
