// The input of the page model: facts of a page, computed once for all features.
import type { Document } from '../../../src/engine/plugin.ts'
import type { Sights } from '../brand_sights.ts'
import { isHttp, resolveUrl, siteOf } from '../text.ts'
import { asksOf, type PageAsks } from './asks.ts'

/** All that the page model and the lures read of a page. */
export interface PageFacts {
  readonly document: Document
  readonly asks: PageAsks
  readonly sights: Sights
  readonly words: number
  readonly shown: string
  readonly title: string
  readonly scripts: string
  readonly anchors: AnchorFacts
  readonly resources: ResourceFacts
  readonly forms: FormFacts
  readonly elements: Readonly<Record<string, number>>
  /** Values of metas by name. */
  readonly metas: ReadonlyMap<string, string>
  readonly rels: ReadonlySet<string>
}

/** Numbers of links by where they lead. */
export interface AnchorFacts {
  readonly total: number
  readonly dead: number
  readonly relative: number
  readonly ownTargets: number
  readonly foreign: number
  readonly foreignSites: number
  readonly toScripts: number
  /** Links to legal pages, and how many of them lead nowhere. */
  readonly legal: number
}

/** Numbers of the page’s files by where they come from. */
export interface ResourceFacts {
  readonly total: number
  readonly relative: number
  readonly rooted: number
  readonly foreign: number
  /** Maximum number from one other site. */
  readonly oneForeign: number
  /** Files that a browser or copier saved with the page: `Sign in_files/`. */
  readonly saved: number
}

/** Numbers of forms by where they submit to. */
export interface FormFacts {
  readonly total: number
  readonly post: number
  /** To a script in the page's own folder, as kits are unpacked. */
  readonly localScript: number
  /** Absolute, to a script of the page's site. */
  readonly ownScript: number
  /** To a PHP file: kits are written in PHP. */
  readonly php: number
  readonly empty: number
  readonly foreign: number
  readonly suspiciousName: number
}

const SCRIPT_FILE = /\.(?:php\d?|phtml|asp|aspx|cgi|pl)(?:$|[?#])/i
const PHP_FILE = /\.(?:php\d?|phtml)(?:$|[?#])/i
const TELLING_FILE =
  /(?:login|post|next|send|process|action|verify|check|submit|log|mail|index\d|step|data|save|connect|auth|finish|done|result|need|email|snd|rez|xx|success|validate|update)[\w-]{0,12}\.php/i
const LEGAL =
  /privacy|terms|legal|imprint|impressum|datenschutz|cookie|conditions|mentions|condiciones|privacidad|contact|about|careers|help/i

const count = <Item>(list: readonly Item[], is: (item: Item) => boolean): number => {
  let sum = 0
  for (const item of list) if (is(item)) sum += 1
  return sum
}

function anchorsOf(document: Document, page: URL): AnchorFacts {
  const own = new Set<string>()
  const foreignSites = new Set<string>()
  const sites = new Map<string, string>()
  let [foreign, toScripts, legal] = [0, 0, 0]
  const site = siteOf(page)
  const against = resolveUrl(document.base ?? '', page.href)?.href ?? page.href
  const targets = document.look?.targets ?? document.anchors.map(({ href }) => href)
  for (const { text } of document.anchors.slice(-60)) if (LEGAL.test(text)) legal += 1
  for (const href of targets) {
    const url = resolveUrl(href, against)
    if (url === null || !isHttp(url)) continue
    const owner = sites.get(url.hostname) ?? siteOf(url)
    sites.set(url.hostname, owner)
    if (owner === site) {
      const goal = url.pathname + url.search
      if (href.startsWith('#')) continue
      if (url.pathname !== page.pathname || (url.search !== '' && url.search !== page.search)) own.add(goal)
      if (SCRIPT_FILE.test(url.pathname)) toScripts += 1
    } else {
      foreign += 1
      foreignSites.add(owner)
    }
  }
  const anchors = document.look?.anchors ?? { relative: 0, rooted: 0, absolute: 0, dead: 0, other: 0 }
  const total = anchors.relative + anchors.rooted + anchors.absolute + anchors.dead + anchors.other
  return {
    total,
    dead: anchors.dead,
    relative: anchors.relative,
    ownTargets: own.size,
    foreign,
    foreignSites: foreignSites.size,
    toScripts,
    legal,
  }
}

function resourcesOf(document: Document, page: URL): ResourceFacts {
  const site = siteOf(page)
  const bySite = new Map<string, number>()
  const sites = new Map<string, string>()
  let [foreign, saved] = [0, 0]
  const addresses = [
    ...document.scripts.flatMap(({ src }) => (src === null ? [] : [src])),
    ...document.links.filter(({ rel }) => rel.includes('stylesheet') || rel.includes('icon')).map(({ href }) => href),
    ...(document.look?.images ?? []).map(({ src }) => src),
  ]
  for (const address of addresses) {
    if (/_files\/|_fichiers\/|index_archivos/i.test(address)) saved += 1
    if (!/^(?:https?:)?\/\//i.test(address)) continue
    const url = resolveUrl(address, page.href)
    if (url === null || !isHttp(url)) continue
    const owner = sites.get(url.hostname) ?? siteOf(url)
    sites.set(url.hostname, owner)
    if (owner === site) continue
    foreign += 1
    bySite.set(owner, (bySite.get(owner) ?? 0) + 1)
  }
  const resources = document.look?.resources ?? { relative: 0, rooted: 0, absolute: 0, dead: 0, other: 0 }
  const total = resources.relative + resources.rooted + resources.absolute + resources.dead + resources.other
  return {
    total,
    relative: resources.relative,
    rooted: resources.rooted,
    foreign,
    oneForeign: Math.max(0, ...bySite.values()),
    saved,
  }
}

function formsOf(document: Document, page: URL): FormFacts {
  const site = siteOf(page)
  const actions = document.look?.actions ?? document.forms.map(({ action }) => action ?? '')
  const isRelative = (action: string) => action !== '' && !/^(?:[a-z]+:|\/|#|\?)/i.test(action)
  const urls = actions.map(action => resolveUrl(action, page.href))
  return {
    total: actions.length,
    post: count(document.forms, ({ method }) => method === 'post'),
    localScript: count(actions, action => isRelative(action) && SCRIPT_FILE.test(action)),
    ownScript: count(
      urls,
      url => url !== null && isHttp(url) && siteOf(url) === site && SCRIPT_FILE.test(url.pathname),
    ),
    php: count(actions, action => PHP_FILE.test(action)),
    empty: count(actions, action => action === '' || action === '#' || /^javascript:/i.test(action)),
    foreign: count(urls, url => url !== null && isHttp(url) && siteOf(url) !== site),
    suspiciousName: count(actions, action => TELLING_FILE.test(action)),
  }
}

/** The facts of a parsed page at its URL. */
export function factsOf(document: Document, page: URL, sights: Sights): PageFacts {
  return {
    document,
    asks: asksOf(document),
    sights,
    words: document.look?.shown_words ?? document.word_count,
    shown: (document.look?.shown ?? document.text).slice(0, 16_384),
    title: document.title ?? '',
    scripts: document.inline_scripts.join('\n').slice(0, 65_536),
    anchors: anchorsOf(document, page),
    resources: resourcesOf(document, page),
    forms: formsOf(document, page),
    elements: document.look?.elements ?? {},
    metas: new Map(document.metas.map(({ name, content }) => [name, content])),
    rels: new Set(document.links.flatMap(({ rel }) => rel)),
  }
}
