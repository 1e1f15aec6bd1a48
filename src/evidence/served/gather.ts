// Gathers the response that the web sections describe and its kind: the site's own page, or something served in its
// place.
import type { Exchange } from '../../network/http.ts'
import type { Document } from '../document/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Page } from '../page/facts.ts'
import type { RedirectHop, Served } from './facts.ts'
import { type Conditions, type Rule, rules } from './rule.ts'

/** `document` is null when the body could not be read; the status and headers alone then decide. */
export function describeServed(page: Page, document: Document | null): Served {
  const hops = page.exchanges.map(({ url, status, address }, at) => ({ url, status, address, ...meansAt(page, at) }))
  const last = page.exchanges.at(-1)
  if (page.failure !== null || last === undefined) {
    return {
      url: null,
      status: null,
      chain: hops,
      kind: 'none',
      rule: null,
      failure: page.failure ?? 'no_response',
      cut: null,
    }
  }
  const response: ServedResponse = {
    exchange: last,
    from: hops.length > 1 ? (hops[0]?.url ?? null) : null,
    redirected: hops.length > 1 && hops.every(({ by }) => by === undefined),
    document,
  }
  const rule = recognise(response)
  const own = last.status >= 200 && last.status < 300 ? 'page' : 'error'
  return {
    url: last.url,
    status: last.status,
    chain: hops.slice(0, -1),
    kind: rule?.kind ?? own,
    rule: rule?.id ?? null,
    failure: null,
    cut: document?.is_html ? last.truncated : null,
  }
}

/** What in the response at this position led on to the next; nothing for an HTTP redirect. */
function meansAt({ handover }: Page, at: number): Pick<RedirectHop, 'by'> {
  return handover?.at !== at || handover.by === 'frame' ? {} : { by: handover.by }
}

/** Sends no requests of its own: the page and the document are shared. */
export const gatherServed: Gatherer<Served, { page: Page; document: Document }> = async context => {
  const [page, document] = await Promise.all([context.gather('page'), context.gather('document').catch(() => null)])
  return describeServed(page, document)
}

export default () => gatherServed

/** The last response, how it was reached and its document. */
export interface ServedResponse {
  readonly exchange: Exchange
  /** The URL where the redirects started; null without redirects. A page that led on by itself counts as one. */
  readonly from: string | null
  /** HTTP redirects alone led here: where a page led on, every visitor sees what it leads to. */
  readonly redirected: boolean
  readonly document: Document | null
}

/** Characters of visible text and of markup that are searched: the pages to recognise are short. */
const TEXT_SEARCHED = 8 * 1024
const MARKUP_SEARCHED = 32 * 1024

/** The response as the conditions read it, prepared once. */
interface ResponseFacts {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly host: string
  /** The host where the redirects started; null without redirects. */
  readonly from: string | null
  readonly redirected: boolean
  readonly segments: readonly string[]
  readonly password: boolean
  readonly words: number
  readonly title: string
  readonly text: string
  readonly markup: string
}

/** The rule that recognises a response served in place of the page, or null. Substring searches in bounded text, so linear. */
export function recognise(response: ServedResponse): Rule | null {
  const facts = prepare(response)
  return rules.find(({ when }) => holds(when, facts)) ?? null
}

function prepare({ exchange, from, redirected, document }: ServedResponse): ResponseFacts {
  return {
    status: exchange.status,
    headers: exchange.headers.map(([name, value]) => [name, value.toLowerCase()]),
    host: hostOf(exchange.url),
    segments: URL.canParse(exchange.url) ? new URL(exchange.url).pathname.toLowerCase().split('/') : [],
    from: from === null ? null : hostOf(from),
    redirected,
    password: document?.forms.some(({ inputs }) => inputs.includes('password')) ?? false,
    words: document?.word_count ?? 0,
    title: fold(document?.title ?? ''),
    text: fold(document?.text.slice(0, TEXT_SEARCHED) ?? ''),
    markup: document ? markupOf(document) : '',
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/** Lower case, with plain apostrophes in place of typographic ones. */
const fold = (text: string): string => text.toLowerCase().replaceAll('\u2019', "'")

function markupOf({ scripts, iframes, forms, links, metas, inline_scripts }: Document): string {
  const parts = [
    ...scripts.map(({ src }) => src ?? ''),
    ...iframes,
    ...forms.map(({ action }) => action ?? ''),
    ...metas.filter(({ name }) => name === 'refresh').map(({ content }) => content),
    ...links.map(({ href }) => href),
    ...inline_scripts,
  ]
  let markup = ''
  for (const part of parts) {
    if (markup.length >= MARKUP_SEARCHED) break
    markup += `${part.slice(0, MARKUP_SEARCHED)}\n`
  }
  return markup.slice(0, MARKUP_SEARCHED).toLowerCase()
}

const oneIn = (text: string, markers: readonly string[] | undefined): boolean =>
  markers === undefined || markers.some(marker => text.includes(marker))

const isAt = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

const redirectedTo = (domain: string, { host, from }: ResponseFacts): boolean =>
  from !== null && isAt(host, domain) && !isAt(from, domain)

const hasHeader = ({ headers }: ResponseFacts, [name, part]: readonly [string, string]): boolean =>
  headers.some(([headerName, value]) => headerName === name && value.includes(part))

/** Checks cheap conditions first, because most pages fail one of them. */
function holds(when: Conditions, response: ResponseFacts): boolean {
  return (
    (when.status?.includes(response.status) ?? true) &&
    (when.words === undefined || response.words <= when.words) &&
    (!when.redirected || response.redirected) &&
    (!when.password || response.password) &&
    (when.header?.some(header => hasHeader(response, header)) ?? true) &&
    (when.host?.some(domain => redirectedTo(domain, response)) ?? true) &&
    (when.path?.some(segment => response.segments.includes(segment)) ?? true) &&
    oneIn(response.title, when.title) &&
    oneIn(response.text, when.text) &&
    oneIn(response.markup, when.markup)
  )
}
