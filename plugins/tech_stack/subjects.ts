// The texts of the evidence that are searched for patterns, each with its place.
import { getDomain } from 'tldts'
import type { Document, Evidence, Exchange } from '../../src/engine/plugin.ts'
import type { Place } from './fingerprint.ts'
import { fileOf, packagesOf } from './packages.ts'

export interface Subject {
  readonly place: Place
  /** Name of the header or meta element; '' elsewhere. */
  readonly name: string
  readonly text: string
  /** The URL belongs to a page of another site: its host is evidence for this site, its path is not. */
  readonly foreign?: boolean
}

const at =
  (place: Place, name = '') =>
  (text: string): Subject => ({ place, name, text })

/** Only the name of a cookie: the text before the first `=`. */
const cookieName = (line: string): string => line.slice(0, Math.max(0, line.indexOf('='))).trim()

/** Headers and cookie names of one response. */
export function ofResponse({ headers }: Exchange): Subject[] {
  return headers.map(([name, value]) =>
    name === 'set-cookie' ? at('cookie')(cookieName(value)) : at('header', name)(value),
  )
}

/** Links to other pages, as opposed to resources of this page. */
const LEADING = new Set(['alternate', 'amphtml', 'author', 'canonical', 'license', 'me', 'next', 'prev', 'shortlink'])

const siteOf = (url: string): string => getDomain(url, { allowPrivateDomains: true }) ?? url

function resources({ url, scripts, links, iframes }: Document): { loaded: string[]; framed: string[] } {
  const own = siteOf(url)
  const isOwn = (src: string) => siteOf(src) === own
  return {
    loaded: [
      ...scripts.flatMap(({ src }) => (src === null ? [] : [src])),
      ...links.filter(({ rel }) => !rel.some(one => LEADING.has(one))).map(({ href }) => href),
      ...iframes.filter(isOwn),
    ],
    framed: iframes.filter(src => !isOwn(src)),
  }
}

/** Texts from the page's own markup. */
export function ofDocument(document: Document): Subject[] {
  const { loaded, framed } = resources(document)
  return [
    ...document.metas.map(({ name, content }) => at('meta', name)(content)),
    ...loaded.map(at('resource')),
    ...framed.map(src => ({ ...at('resource')(src), foreign: true })),
    ...loaded.map(fileOf).map(at('file')),
    ...loaded.flatMap(packagesOf).map(at('package')),
    ...document.forms.flatMap(({ action }) => (action === null ? [] : [at('form')(action)])),
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
  const named = (record?.terms ?? []).flatMap(({ domain }) => (domain === null ? [] : [domain.toLowerCase()]))
  const children = lookups.flatMap(({ child }) => (child !== null && isWithin(child.name, own) ? [child] : []))
  return [...named, ...children.flatMap(child => spfNames(child, own))]
}

export interface Zone {
  readonly addresses: Evidence['addresses'] | null
  readonly dns: Evidence['dns'] | null
  readonly mail_records: Evidence['mail_records'] | null
  /** The registrable domain. */
  readonly own: string
}

/** Texts from the zone: aliases, name servers, mail hosts, TXT records. */
export function ofZone({ addresses, dns, mail_records, own }: Zone): Subject[] {
  const records = (answer: Evidence['dns']['ns'] | undefined) => (answer?.status === 'found' ? answer.records : [])
  return [
    ...(addresses?.cnames ?? []).map(at('cname')),
    ...records(dns?.ns).map(at('ns')),
    ...records(dns?.txt).map(at('txt')),
    ...(mail_records?.mx.hosts ?? []).map(({ exchange }) => at('mx')(exchange)),
    ...(mail_records ? spfNames(mail_records.spf.root, own) : []).map(at('spf')),
  ]
}
