// Finds pages that show nothing of their own and hand visitors over to another site: by a refresh, by a script with a literal
// destination, or in a frame that fills the window.
import { identify } from '../../targets/identity.ts'
import type { Document } from './facts.ts'
import { findRefresh } from './refresh.ts'

/** A page with fewer visible words shows nothing to judge. */
export const FEW_WORDS = 50

export const shownWords = ({ look, word_count }: Pick<Document, 'look' | 'word_count'>): number =>
  look?.shown_words ?? word_count

/** Assignments and calls that leave the page, with a literal absolute URL. Slashes may be escaped. Every repetition is bounded. */
const LEAVES =
  /\blocation\s{0,9}(?:(?:\.\s{0,9}href\s{0,9}|\[\s{0,9}["'`]href["'`]\s{0,9}\]\s{0,9})?=|\.\s{0,9}(?:replace|assign)\s{0,9}\()\s{0,9}["'`]((?:https?:)?\\?\/\\?\/[^"'`\s]{1,2048})/gi

/**
 * The other site that a page without words and fields of its own hands visitors over to, or null. A destination that a script
 * computes does not count: application shells look the same.
 */
export function findHandover(document: Document): string | null {
  if (!document.is_html || shownWords(document) >= FEW_WORDS) return null
  if (document.look?.fields.some(({ type }) => type !== 'hidden')) return null
  const own = siteAt(document.url, document.url)
  const base = document.base ?? document.url
  const scripts = [...document.inline_scripts, ...(document.look?.onload ?? [])]
  const destinations = [
    findRefresh(document)?.url?.href,
    ...(document.look?.frames ?? []),
    ...scripts.flatMap(script => Array.from(script.matchAll(LEAVES), ([, url = '']) => url.replaceAll('\\/', '/'))),
  ]
  const sites = destinations.map(url => (url === undefined ? null : siteAt(url, base)))
  return sites.find(site => site !== null && site !== own) ?? null
}

/** The owner's part of the host name, or the address; null unless the URL is of http(s) and the host is literal. */
function siteAt(url: string, base: string): string | null {
  if (!URL.canParse(url, base)) return null
  const { protocol, hostname } = new URL(url, base)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  if (hostname.includes('$')) return null
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return /(?:^|\.)\d+$|\]$/.test(host) ? host : identify(host).owner
}
