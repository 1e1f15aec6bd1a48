// Where pages are served in `--paths`: kits under the path they were found at, honest pages under their own URL.
import { parse } from 'tldts'
import type { JudgedPage } from '../../src/testing/check_page.ts'
import type { PageRecord } from './records.ts'

export interface Place {
  readonly host_kind: string
  readonly url: string
  /** The URL is the target; otherwise its host is. */
  readonly as_link: boolean
  /** Null unless front pages and paths are compared. */
  readonly place: string | null
}

const FRONT = 'front page'
const DEPLOYED_PATH = 'path on the site it was found on'
const ARCHIVE_PATH = 'path in its archive'
const OWN = 'own URL'

/** The front page of every host of a record. */
export const frontPages = ({ hosts }: PageRecord): Place[] =>
  Object.entries(hosts).flatMap(([hostKind, host]) =>
    host === null ? [] : [{ host_kind: hostKind, url: `https://${host}/`, as_link: false, place: null }],
  )

/** The front page of a compromised host, and the link to the kit there. Empty if the kit's path is not known. */
export function kitPlaces(record: PageRecord): Place[] {
  const host = record.hosts['compromised'] ?? null
  const kitPath = pathOf(record)
  if (host === null || kitPath === null) return []
  const place = kitPath.deployed ? DEPLOYED_PATH : ARCHIVE_PATH
  const front = {
    host_kind: 'compromised',
    url: `https://${host}/`,
    as_link: false,
    place: `${FRONT}, kits with a ${place}`,
  }
  return [front, { ...front, url: `https://${host}${kitPath.path}`, as_link: true, place }]
}

/** The front page of an honest page's host. */
export const honestFront = ({ hosts }: PageRecord): Place[] => {
  const host = hosts['real'] ?? null
  return host === null ? [] : [{ host_kind: 'real', url: `https://${host}/`, as_link: false, place: FRONT }]
}

/** The URL that an honest page gives as its canonical one; null if that is a front page or of another site. */
export function ownPlace({ url: front }: Place, { seo_health }: JudgedPage): Place | null {
  const { canonical } = (seo_health ?? {}) as { readonly canonical?: { readonly url?: string | null } | null }
  const url = canonical?.url ?? null
  if (url === null || !URL.canParse(url)) return null
  const own = new URL(url)
  const domain = (text: string) => parse(text).domain
  if (own.pathname === '/' || own.username !== '' || domain(url) !== domain(front)) return null
  return { host_kind: 'real', url, as_link: true, place: OWN }
}

interface KitPath {
  readonly path: string
  /** The site it was found on is known, so the path is whole; otherwise it is that within the kit. */
  readonly deployed: boolean
}

/**
 * The `path` of a record, or what its source says: folders below a folder that is named after the site, and the path in the
 * archive. Null for pages of a collection whose folders are not those of any site.
 */
export function pathOf({ path, source }: PageRecord): KitPath | null {
  if (typeof path === 'string') return { path: encodePath(path.split('/')), deployed: true }
  const folders = (source.path ?? '').split('/')
  const file = folders.pop() ?? ''
  const site = folders.findIndex(isHost)
  const kit = typeof source.inner === 'string' ? source.inner.split('/') : null
  if (site >= 0) return { path: encodePath([...folders.slice(site + 1), ...(kit ?? [file])]), deployed: true }
  return kit === null ? null : { path: encodePath(kit), deployed: false }
}

function isHost(folder: string): boolean {
  const { domain, isIcann, isIp } = parse(folder)
  return isIp === true || (domain !== null && isIcann === true && !folder.endsWith('.zip'))
}

const encodePath = (segments: readonly string[]): string =>
  `/${segments
    .filter(segment => segment !== '')
    .map(encodeURIComponent)
    .join('/')}`
