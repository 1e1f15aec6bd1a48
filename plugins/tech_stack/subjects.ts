// The texts of the evidence that are searched for patterns, each with its place.
import { parse } from 'tldts'
import type { Document, Evidence, Exchange } from '../../src/engine/plugin.ts'
import type { CluePlace } from './fingerprint.ts'
import { fileOf, packagesOf } from './packages.ts'

/**
 * How the page refers to a URL: `loaded` and run or applied; `framed`; `hint`: only announced, as by `preconnect`;
 * `linked`: another page or document.
 */
export type Relation = 'loaded' | 'framed' | 'hint' | 'linked'

/** The owner of a URL's host. */
export type SiteRelation = 'own' | 'foreign'

/** A text that is searched, and where it comes from. */
export interface ClueSubject {
  readonly place: CluePlace
  /** Name of the header or meta element; '' elsewhere. */
  readonly name: string
  readonly text: string
  /** Text without a URL belongs to the site. */
  readonly relation: Relation
  readonly site: SiteRelation
}

const at =
  (place: CluePlace, name = '') =>
  (text: string): ClueSubject => ({ place, name, text, relation: 'loaded', site: 'own' })

/** Only the name of a cookie: the text before the first `=`. */
const cookieName = (line: string): string => line.slice(0, Math.max(0, line.indexOf('='))).trim()

/** Headers and cookie names of one response. */
export function ofResponse({ headers }: Exchange): ClueSubject[] {
  return headers.map(([name, value]) =>
    name === 'set-cookie' ? at('cookie')(cookieName(value)) : at('header', name)(value),
  )
}

const LOADING = new Set([
  'stylesheet',
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'manifest',
  'preload',
  'modulepreload',
  'import',
])
const HINTING = new Set(['preconnect', 'dns-prefetch', 'prefetch', 'prerender'])

/** How a page refers to the URL of a link element with these relations. */
export function relationOf(rel: readonly string[]): Relation {
  if (rel.some(one => LOADING.has(one))) return 'loaded'
  return rel.some(one => HINTING.has(one)) ? 'hint' : 'linked'
}

interface PageReference {
  readonly url: string
  readonly relation: Relation
  readonly site: SiteRelation
}

const options = { allowPrivateDomains: true }

/**
 * Distinguishes the URLs of the page's site from those of others. The site's hosts are those of its registrable domain
 * and, unless it is a page of a platform, of the same name under another suffix (`example.net` beside `example.com`)
 * and of proxies that name its host in the path.
 */
export function siteTeller(page: string): (url: string, isPage: boolean) => SiteRelation {
  const { domain, domainWithoutSuffix: label, hostname } = parse(page, options)
  return (url, isPage) => {
    const other = parse(url, options)
    if (other.hostname === hostname || (domain !== null && other.domain === domain)) return 'own'
    if (isPage) return 'foreign'
    if (label && !other.isPrivate && other.domainWithoutSuffix === label) return 'own'
    const hosts = url.split('/').slice(3)
    return domain !== null && hosts.some(one => one === domain || one.endsWith(`.${domain}`)) ? 'own' : 'foreign'
  }
}

function references(
  { url: page, scripts, links, iframes }: Document,
  siteOf: ReturnType<typeof siteTeller>,
): PageReference[] {
  const to = (relation: Relation) => (url: string) => ({ url, relation, site: siteOf(url, relation === 'framed') })
  const sources = scripts.flatMap(({ src }) => (src === null || src === page ? [] : [src]))
  return [
    ...sources.map(to('loaded')),
    ...links.map(({ rel, href }) => to(relationOf(rel))(href)),
    ...iframes.map(to('framed')),
  ]
}

/** Loaded files also identify technologies by their file name, wherever they are hosted. */
const isFile = ({ url, relation }: PageReference): boolean =>
  relation === 'loaded' || (relation === 'hint' && !/^https?:\/\/[^/]*\/?$/.test(url))

/** Actions of forms are as written. */
export const absolute = (url: string, base: string): string => (URL.canParse(url, base) ? new URL(url, base).href : url)

/** Texts from the page's own markup. */
export function ofDocument(document: Document): ClueSubject[] {
  const siteOf = siteTeller(document.url)
  const all = references(document, siteOf)
  const files = all.filter(isFile)
  const from = (place: CluePlace, text: string, { relation, site }: Omit<PageReference, 'url'>): ClueSubject => ({
    place,
    name: '',
    text,
    relation,
    site,
  })
  const actions = document.forms.flatMap(({ action }) => action ?? [])
  const base = document.base ?? document.url
  return [
    ...document.metas.map(({ name, content }) => at('meta', name)(content)),
    ...all.map(one => from('resource', one.url, one)),
    ...files.map(one => from('file', fileOf(one.url), one)),
    ...files.flatMap(one => packagesOf(one.url).map(text => from('package', text, one))),
    ...actions.map(text => from('form', text, { relation: 'linked', site: siteOf(absolute(text, base), true) })),
    ...[...new Set(document.look?.fields.flatMap(({ name }) => name.split(' ')) ?? [])].map(at('field')),
    ...document.inline_scripts.map(at('inline')),
    ...document.classes.map(at('class')),
    ...document.ids.map(at('id')),
    ...document.attribute_names.map(at('attribute')),
    ...document.custom_elements.map(at('element')),
    ...document.comments.map(at('comment')),
  ]
}

type SpfNode = Evidence['mail_records']['spf']['root']

const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

/** Names that the SPF record refers to, directly or through names of its own zone. */
function spfNames({ record, lookups }: SpfNode, own: string): string[] {
  const domains = (record?.terms ?? []).flatMap(({ domain }) => (domain === null ? [] : [domain.toLowerCase()]))
  const children = lookups.flatMap(({ child }) => (child !== null && isWithin(child.name, own) ? [child] : []))
  return [...domains, ...children.flatMap(child => spfNames(child, own))]
}

/** The records of the zone that show services. */
export interface ZoneEvidence {
  readonly addresses: Evidence['addresses'] | null
  readonly dns: Evidence['dns'] | null
  readonly mail_records: Evidence['mail_records'] | null
  /** The registrable domain. */
  readonly own: string
}

/** Texts from the zone: aliases, name servers, mail hosts, TXT records. */
export function ofZone({ addresses, dns, mail_records, own }: ZoneEvidence): ClueSubject[] {
  const records = (answer: Evidence['dns']['ns'] | undefined) => (answer?.status === 'found' ? answer.records : [])
  return [
    ...(addresses?.cnames ?? []).map(at('cname')),
    ...records(dns?.ns).map(at('ns')),
    ...records(dns?.txt).map(at('txt')),
    ...(mail_records?.mx.hosts ?? []).map(({ exchange }) => at('mx')(exchange)),
    ...(mail_records ? spfNames(mail_records.spf.root, own) : []).map(at('spf')),
  ]
}
