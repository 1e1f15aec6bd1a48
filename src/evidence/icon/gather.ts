// Gathers the icon of the site. The file where it probably is, that of the last check or /favicon.ico, is requested beside the
// page; a page that declares another one costs one more request, which the result does not wait for.
import { createHash } from 'node:crypto'
import { createCache } from '../../base/cache/cache.ts'
import { createCollector } from '../../network/http.ts'
import { ownerAt } from '../../targets/identity.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Document } from '../document/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { answeredRequests } from '../page/facts.ts'
import { hostOf, portOf, type SiteFile, type SiteSetup, wholeFileStatus } from '../site_session/session.ts'
import { type Icon, isImage } from './facts.ts'

const PATH = '/favicon.ico'

const fileAt = (path: string) =>
  ({
    path,
    accept: 'image/*',
    max_bytes: 256 * 1024,
    timeout_ms: 2_000,
    redirects: 2,
    // Over HTTP/1.1 it must not delay the other files.
    deferrable: true,
    createReader: createCollector,
  }) satisfies SiteFile

/** Where a document cuts URLs: what is longer is not whole. */
const URL_LENGTH = 2_048

/** Rejects when the page does, and when nothing answered. */
export default ({ sites }: SiteSetup): Gatherer<Icon, { addresses: Addresses }> => {
  /** Paths of declared icons by site. */
  const iconCache = createCache<string>('icons')
  return context =>
    sites.use(context, async site => {
      const { target } = context
      const key = `${hostOf(target)}:${portOf(target, 'https')}`
      const probable = fileAt(iconCache.get(key) ?? PATH)
      site.want(probable)
      const origin = await site.origin()
      const { document } = await site.page()
      const url = declaredIcon(document) ?? new URL(PATH, origin)
      if (url.protocol === 'data:') return inPage(url)
      if (ownerAt(url.href) !== ownerAt(origin)) return icon(url, { status: 'unknown', reason: 'other_site' }, null)
      const path = pathOf(url)
      if (url.origin === origin && path !== probable.path) iconCache.set(key, path)
      const file = path === probable.path ? probable : fileAt(path)
      const { navigation, reader } = await site.fetch(file, url, context.rest?.('icon'))
      const requests = answeredRequests(navigation.exchanges, 'icon')
      const last = navigation.exchanges.at(-1)
      const state =
        last?.truncated === 'too_large'
          ? ({ status: 'unknown', reason: 'too_large' } as const)
          : wholeFileStatus(navigation)
      return { ...icon(url, state, state.status === 'found' ? reader.bytes() : null), requests }
    })
}

const pathOf = ({ pathname, search }: URL): string => `${pathname}${search}`

function icon(url: URL | null, state: Pick<Icon, 'status' | 'reason'>, octets: Buffer | null): Icon {
  const whose = { url: url?.href.slice(0, URL_LENGTH) ?? null, requests: [] }
  if (octets === null) return { ...whose, ...state, sha256: null }
  if (!isImage(octets)) return { ...whose, status: 'missing', reason: 'not_an_image', sha256: null }
  return { ...whose, ...state, sha256: createHash('sha256').update(octets).digest('hex') }
}

/** The first that a browser can take; null when the page declares none. */
function declaredIcon(document: Document | null): URL | null {
  for (const { rel, href } of document?.links ?? []) {
    if (!rel.includes('icon') || href.length >= URL_LENGTH) continue
    const base = document?.base ?? document?.url
    if (URL.canParse(href.trim(), base) && /^(?:https?|data):/.test(new URL(href.trim(), base).protocol))
      return new URL(href.trim(), base)
  }
  return null
}

/** RFC 2397. */
function inPage({ pathname }: URL): Icon {
  const comma = pathname.indexOf(',')
  const body = pathname.slice(comma + 1)
  const isBase64 = /;base64$/i.test(pathname.slice(0, Math.max(0, comma)))
  const octets = isBase64 ? Buffer.from(body, 'base64') : Buffer.from(percentDecoded(body))
  return icon(null, { status: 'found', reason: null }, octets)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
