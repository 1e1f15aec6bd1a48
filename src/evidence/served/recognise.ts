// Holds a response against the rules: plain substring search over bounded text, so linear in what is looked at.
import type { Exchange } from '../../network/exchange.ts'
import type { Document } from '../document/facts.ts'
import { blocks } from './blocks.ts'
import { challenges } from './challenges.ts'
import { loginWalls } from './login_walls.ts'
import { parking } from './parking.ts'
import type { Conditions, Rule } from './rule.ts'
import { soft404 } from './soft_404.ts'

/** The first that holds decides: a challenge is also a refusal, and a refusal may have a login form. */
export const rules: readonly Rule[] = [...challenges, ...loginWalls, ...parking, ...blocks, ...soft404]

/** The last response, how it was reached and what its body said. */
export interface Sight {
  readonly exchange: Exchange
  /** The URL that redirected there first; null when none did. */
  readonly from: string | null
  readonly document: Document | null
}

/** Characters of visible text and of markup that are searched: interstitials are short and say it at once. */
const TEXT_SEARCHED = 8 * 1024
const MARKUP_SEARCHED = 32 * 1024

/** What the conditions look at, prepared once. */
interface Seen {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly host: string
  /** Where the visit began, when it was redirected. */
  readonly from: string | null
  readonly segments: readonly string[]
  readonly password: boolean
  readonly words: number
  readonly title: string
  readonly text: string
  readonly markup: string
}

/** The rule that recognises the response as something in the page's place, or null. */
export function recognise(sight: Sight): Rule | null {
  const seen = look(sight)
  return rules.find(({ when }) => holds(when, seen)) ?? null
}

function look({ exchange, from, document }: Sight): Seen {
  return {
    status: exchange.status,
    headers: exchange.headers.map(([name, value]) => [name, value.toLowerCase()]),
    host: hostOf(exchange.url),
    segments: URL.canParse(exchange.url) ? new URL(exchange.url).pathname.toLowerCase().split('/') : [],
    from: from === null ? null : hostOf(from),
    password: document?.forms.some(({ inputs }) => inputs.includes('password')) ?? false,
    words: document?.word_count ?? 0,
    title: fold(document?.title ?? ''),
    text: fold(document?.text.slice(0, TEXT_SEARCHED) ?? ''),
    markup: document ? markupOf(document) : '',
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/** Lower case, typographic apostrophes made plain: the same sentence is written both ways. */
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

const ledTo = (domain: string, { host, from }: Seen): boolean =>
  from !== null && isAt(host, domain) && !isAt(from, domain)

const hasHeader = ({ headers }: Seen, [name, part]: readonly [string, string]): boolean =>
  headers.some(([sent, value]) => sent === name && value.includes(part))

/** Cheap conditions first: most pages fail one of them. */
function holds(when: Conditions, seen: Seen): boolean {
  return (
    (when.status?.includes(seen.status) ?? true) &&
    (when.words === undefined || seen.words <= when.words) &&
    (!when.redirected || seen.from !== null) &&
    (!when.password || seen.password) &&
    (when.header?.some(header => hasHeader(seen, header)) ?? true) &&
    (when.host?.some(domain => ledTo(domain, seen)) ?? true) &&
    (when.path?.some(segment => seen.segments.includes(segment)) ?? true) &&
    oneIn(seen.title, when.title) &&
    oneIn(seen.text, when.text) &&
    oneIn(seen.markup, when.markup)
  )
}
