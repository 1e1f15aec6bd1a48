// Finds pages that show nothing of their own and hand visitors over to another document by themselves: by a script with a
// literal destination, by a refresh, or in a frame that fills the window. What a visitor would have to click does not count.
import { ownerAt } from '../../targets/identity.ts'
import type { Document } from './facts.ts'
import { leavesOf } from './leaving_script.ts'
import { findRefresh, type Refresh } from './refresh.ts'

export interface Handover {
  readonly by: 'script' | 'refresh' | 'frame'
  /** The next document: absolute, of http(s), without a fragment. */
  readonly url: string
  /** Seconds until a refresh; null for other means. */
  readonly seconds: number | null
  /** Nothing else may draw the page or lead elsewhere: no other script, and no frame beside it. */
  readonly alone: boolean
}

/** A page with fewer visible words shows nothing to judge. */
export const FEW_WORDS = 50
/** Seconds; a visitor has read such a page before a later refresh. */
const REFRESH_SECONDS = 10

export const shownWords = ({ look, word_count }: Pick<Document, 'look' | 'word_count'>): number =>
  look?.shown_words ?? word_count

/** Whether the page has few words and no field to fill in. */
export function drawsLittle(document: Document): boolean {
  if (shownWords(document) >= FEW_WORDS) return false
  // Older recordings have no counts.
  return document.drawn === undefined
    ? !document.look?.fields.some(({ type }) => type !== 'hidden')
    : document.drawn.fields === 0
}

/** The document that a page which draws little leads every visitor to, or null. */
export function findHandover(document: Document): Handover | null {
  if (!document.is_html || !drawsLittle(document)) return null
  const ways = destinationsOf(document).filter(({ isCertain }) => isCertain)
  const next = ways.flatMap(one => {
    const url = absolute(one.written, document)
    return url === null || url === withoutFragment(document.url) ? [] : [{ ...one, url }]
  })[0]
  if (next === undefined) return null
  const { by, url, seconds = null } = next
  return { by, url, seconds, alone: isAlone(by, document) }
}

/**
 * The other site that such a page hands visitors over to, or null. It is enough that the script names the site, but a
 * destination that it computes does not count: application shells look the same.
 */
export function findOtherSite(document: Document): string | null {
  if (!document.is_html || !drawsLittle(document)) return null
  const own = ownerAt(document.url)
  const sites = destinationsOf(document).map(({ written }) => siteOf(written, document))
  return sites.find(site => site !== null && site !== own) ?? null
}

interface Destination {
  readonly by: Handover['by']
  /** As written in the page. */
  readonly written: string
  readonly seconds?: number
  /** Every visitor is led to this URL: no script computes it, has a condition, or waits for a click. */
  readonly isCertain: boolean
}

/** A script leaves at once, a refresh after the page was drawn, and a frame does not leave. */
function destinationsOf(document: Document): Destination[] {
  const refresh = findRefresh(document)
  const isSoon = refresh !== null && refresh.url !== null && refresh.seconds <= REFRESH_SECONDS
  const handlers = document.look?.onload ?? []
  return [
    ...[...document.inline_scripts, ...handlers].flatMap(script =>
      leavesOf(script, handlers).map(leave => ({ by: 'script' as const, ...leave })),
    ),
    ...(isSoon ? [refreshTo(refresh)] : []),
    ...(document.look?.frames ?? []).map(written => ({ by: 'frame' as const, written, isCertain: true })),
  ]
}

const refreshTo = ({ url, seconds }: Refresh): Destination => ({
  by: 'refresh',
  written: url?.href ?? '',
  seconds,
  isCertain: true,
})

function isAlone(by: Handover['by'], { drawn }: Document): boolean {
  if (drawn === undefined) return false
  const scripts = drawn.scripts.inline + drawn.scripts.own + drawn.scripts.foreign
  const frames = drawn.frames.own + drawn.frames.foreign
  return by === 'script' ? scripts === 1 : scripts === 0 && frames === (by === 'frame' ? 1 : 0)
}

const absolute = (written: string, { url, base }: Document): string | null => {
  if (!URL.canParse(written, base ?? url)) return null
  const { href, protocol } = new URL(written, base ?? url)
  return protocol === 'http:' || protocol === 'https:' ? withoutFragment(href) : null
}

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? ''

/** The owner's part of the host name, or the address; null unless the URL is of http(s) and the host is literal. */
function siteOf(written: string, { url, base }: Document): string | null {
  if (!URL.canParse(written, base ?? url)) return null
  const { href, hostname } = new URL(written, base ?? url)
  return hostname.includes('$') ? null : ownerAt(href)
}
