// Follows a page that draws little and leads every visitor on by itself to the document that they see: once, by one more
// navigation within the limits of redirects. Nothing that a person would have to click is followed, and no form is sent.

import { type Exchange, fieldValues } from '../../network/http.ts'
import { isDownload } from '../../network/media_type.ts'
import type { Document } from '../document/facts.ts'
import { findHandover } from '../document/handover.ts'
import type { SeenPage } from '../document/page_reader.ts'
import type { Page } from '../page/facts.ts'
import { describeServed } from '../served/gather.ts'

export interface Following {
  /** The most redirects of a page, as for HTTP: handing over counts as one. */
  readonly redirects: number
  /** Milliseconds until a document that is still arriving is cut. */
  readonly left_ms: number
  /** Requests the document and follows at most so many redirects, within so many milliseconds. */
  visit(url: URL, redirects: number, limitMs: number): Promise<SeenPage>
}

/** Milliseconds for the next document, redirects included: the check waits for nothing else at this time. */
const NEXT_MS = 3_000
/** With less time left, no request is sent. */
const LEAST_MS = 500

/** The page, or what it leads on to. The page stays what was seen if the next document cannot be looked at. */
export async function followHandover(page: SeenPage, { redirects, left_ms, visit }: Following): Promise<SeenPage> {
  const { navigation, document } = page
  if (document === null || navigation.stopped !== null) return page
  const handover = findHandover(document)
  // A challenge or a refusal leads on to itself, or to a page that recognises browsers.
  if (handover === null || !isOwn(navigation, document)) return page
  if (handover.by === 'script' && mayForbidScripts(page)) return page
  const redirectsLeft = redirects - navigation.exchanges.length
  if (redirectsLeft < 0 || left_ms < LEAST_MS || isVisited(navigation, handover.url)) return page
  const next = await visit(new URL(handover.url), redirectsLeft, Math.min(left_ms, NEXT_MS)).catch(() => null)
  const last = next?.navigation.exchanges.at(-1)
  if (!next?.document || !last || isVisited(navigation, last.url)) return page
  const { by, seconds, alone } = handover
  const followed = { by, seconds, alone, at: navigation.exchanges.length - 1 }
  const { exchanges } = next.navigation
  if (staysBefore(last)) return page
  const nextDocument = { ...next.document, scripts_before: document.inline_scripts }
  if (by !== 'frame') {
    const all = [...navigation.exchanges, ...exchanges]
    return { document: nextDocument, navigation: { ...next.navigation, exchanges: all, handover: followed } }
  }
  const isShown = next.document.is_html && describeServed(next.navigation, next.document).kind === 'page'
  if (!isShown) return page
  const frameDocument = inFrame(nextDocument, document)
  return { document: frameDocument, navigation: { ...navigation, handover: { ...followed, frame: exchanges } } }
}

const isOwn = (page: Page, document: Document): boolean =>
  ['page', 'error'].includes(describeServed(page, document).kind)

/** Browsers stay where they are after such a response (HTML, "navigate"; RFC 9110 sections 15.3.5 and 15.3.6). */
const staysBefore = ({ status, headers }: Exchange): boolean => status === 204 || status === 205 || isDownload(headers)

/** A policy that decides which scripts of the page run, unless it lets all of them run. */
const DECIDES = /(?:^|[;,])\s{0,99}(?:script-src|script-src-elem|default-src|sandbox)\b/i
const ALLOWS = /'unsafe-inline'/i
const OVERRULES = /'(?:nonce|sha\d{3})-|'strict-dynamic'/i

/** Where a policy may forbid the script that leaves, the page itself may be what visitors see. */
function mayForbidScripts({ navigation, document }: SeenPage): boolean {
  const headers = navigation.exchanges.at(-1)?.headers ?? []
  const policyMetas = (document?.metas ?? []).filter(({ name }) => name === 'content-security-policy')
  const policies = [...fieldValues(headers, 'content-security-policy'), ...policyMetas.map(({ content }) => content)]
  return policies.some(policy => DECIDES.test(policy) && (!ALLOWS.test(policy) || OVERRULES.test(policy)))
}

const isVisited = ({ exchanges }: Page, url: string): boolean => exchanges.some(exchange => exchange.url === url)

/** The document of a frame as a visitor sees it: at the address of the page, with its title and head. */
const inFrame = (document: Document, page: Document): Document => ({
  ...document,
  url: page.url,
  frame: document.url,
  base: document.base ?? document.url,
  title: page.title ?? document.title,
  titles: Math.max(page.titles ?? 0, 1),
  lang: page.lang ?? document.lang,
  doctype: page.doctype,
  metas: page.metas,
  links: page.links,
  truncated: page.truncated || document.truncated,
})
