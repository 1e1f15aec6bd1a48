// Finds what a page leads every visitor on to by itself: by a script with a literal destination, by a refresh, or in a frame
// that fills the window. What a visitor would have to click does not count. The next document takes the place of the page only
// where a browser shows nothing of the page that is worth judging.
import { ownerAt } from '../../targets/identity.ts'
import type { Document, Drawn } from './facts.ts'
import { findRefresh } from './refresh.ts'

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
/** Shells of applications have fewer words: a title, "Loading". A notice of a sentence or two with scripts beside it has more. */
export const SHELL_WORDS = 20
/** Seconds; a visitor has read such a page before a later refresh. */
const REFRESH_SECONDS = 10
/** Seconds in which nobody looks at a page. */
const AT_ONCE = 1

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

/** The document that takes the place of the page before a visitor sees anything of it, or null. */
export function findHandover(document: Document): Handover | null {
  const next = findNext(document)
  if (next === null || !next.isCertain || isWorthJudging(document, next)) return null
  const { by, url, seconds } = next
  return { by, url, seconds: by === 'refresh' ? seconds : null, alone: isAlone(next, document) }
}

/** By what a page leads every visitor on, whatever it shows before; null if it does not. */
export const findWayOn = (document: Document): Handover['by'] | null => findNext(document)?.by ?? null

/** Where a page leads every visitor, and after how many seconds. */
export type WayOn = Pick<Next, 'by' | 'url' | 'seconds'>

/**
 * All that lead every visitor on, whatever the page shows before: a script, a refresh, or a frame in place of the page or
 * above all of it. They stand for the same: which of them a page uses is its author's choice.
 */
export const waysOn = (document: Document): WayOn[] =>
  allNext(document)
    .filter(next => next.by !== 'frame' || fillsWindow(document, next))
    .map(({ by, url, seconds }) => ({ by, url, seconds }))

/** Of several frames, it is not known which one lies above the page. */
const fillsWindow = (document: Document, frame: Next): boolean =>
  document.drawn?.covered === true ? document.look?.frames?.length === 1 : !isWorthJudging(document, frame)

/**
 * The other site that a page which draws little hands visitors over to, or null. It is enough that the script names the site, but
 * a destination that it computes does not count: application shells look the same.
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
  /** Until the page leads there. */
  readonly seconds: number
  /** Every visitor is led to this URL: no script computes it, has a condition, or waits for a click. */
  readonly isCertain: boolean
  /** The same, but a script does other things too. */
  readonly isFollowed?: boolean
}

interface Next extends Destination {
  /** Absolute, of http(s), without a fragment. */
  readonly url: string
}

/** What comes first: a script leaves at once, a refresh after the page was drawn, and a frame does not leave. */
const findNext = (document: Document): Next | null => allNext(document)[0] ?? null

function allNext(document: Document): Next[] {
  if (!document.is_html) return []
  const own = withoutFragment(document.url)
  return destinationsOf(document).flatMap(one => {
    if (!one.isCertain && one.isFollowed !== true) return []
    const url = absolute(one.written, document)
    return url === null || url === own ? [] : [{ ...one, url }]
  })
}

/** Frames of a page that draws much itself are a part of it, unless one covers it. */
function destinationsOf(document: Document): Destination[] {
  const { written, look, drawn } = document
  const refresh = findRefresh(document)
  const isSoon = refresh !== null && refresh.url !== null && refresh.seconds <= REFRESH_SECONDS
  const isFramed = drawn?.covered === true || drawsLittle(document)
  return [
    ...(written?.leaves ?? []).map(leave => ({ by: 'script' as const, ...leave })),
    ...(written?.destinations ?? []).map((url, at) => {
      const seconds = written?.waits?.[at] ?? 0
      return { by: 'script' as const, written: url, seconds, isCertain: false, isFollowed: true }
    }),
    ...(isSoon
      ? [{ by: 'refresh' as const, written: refresh.url?.href ?? '', seconds: refresh.seconds, isCertain: true }]
      : []),
    ...(isFramed ? (look?.frames ?? []) : []).map(url => ({
      ...({ by: 'frame', written: url, seconds: 0, isCertain: true } as const),
    })),
  ]
}

/**
 * Words and fields are judged even if nobody sees them for long: a page may pretend to leave. Of a page that leaves at once,
 * nothing else is. What stays for a while, or around a frame, is a lure as well with a picture or a link.
 */
function isWorthJudging(document: Document, next: Next): boolean {
  if (!drawsLittle(document)) return true
  const { drawn, look } = document
  if (drawn === undefined || (next.by !== 'frame' && next.seconds <= AT_ONCE)) return false
  const links = (look?.targets ?? []).filter(target => {
    const url = absolute(target, document)
    return url !== null && url !== next.url && url !== withoutFragment(document.url)
  })
  if (drawn.pictures + drawn.buttons + links.length > 0) return true
  return next.by !== 'frame' && (shownWords(document) >= SHELL_WORDS || framesOf(drawn) > 0)
}

/** Later, somebody may have looked at the page: it counts too. */
function isAlone({ by, seconds }: Destination, { drawn }: Document): boolean {
  if (drawn === undefined || seconds > AT_ONCE) return false
  const scripts = drawn.scripts.inline + drawn.scripts.own + drawn.scripts.foreign
  return by === 'script' ? scripts === 1 : scripts === 0 && framesOf(drawn) === (by === 'frame' ? 1 : 0)
}

const framesOf = ({ frames: { own, foreign, other = 0 } }: Drawn): number => own + foreign + other

const absolute = (address: string, { url, base }: Document): string | null => {
  if (!URL.canParse(address, base ?? url)) return null
  const { href, protocol } = new URL(address, base ?? url)
  return protocol === 'http:' || protocol === 'https:' ? withoutFragment(href) : null
}

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? ''

/** The owner's part of the host name, or the address; null unless the URL is of http(s) and the host is literal. */
function siteOf(address: string, { url, base }: Document): string | null {
  if (!URL.canParse(address, base ?? url)) return null
  const { href, hostname } = new URL(address, base ?? url)
  return hostname.includes('$') ? null : ownerAt(href)
}
