// Which response the web sections speak of, and what it is: the site's own page, or something in its place. Without I/O.
import type { Document } from './document.ts'
import type { Gatherer } from './gatherer.ts'
import type { Page } from './page.ts'
import { recognise, type Sight } from './served/recognise.ts'
import type { RecognisedKind } from './served/rule.ts'

/**
 * `page` and `error` are the site's own answers, of status 2xx and any other. `block`, `challenge`, `parking`,
 * `login_wall` and `soft_404` stand where its page should be. `none`: no response came.
 */
export type ServedKind = 'page' | 'error' | 'none' | RecognisedKind

/** A response that redirected, and the address it came from. */
export interface RedirectHop {
  readonly url: string
  readonly status: number
  readonly address: string
}

export interface Served {
  /** Of the last response; null when none came. */
  readonly url: string | null
  readonly status: number | null
  /** The redirects that led there, in order; all there was when `kind` is `none`. */
  readonly chain: readonly RedirectHop[]
  readonly kind: ServedKind
  /** Id of the rule that recognised it; null for `page`, `error` and `none`. */
  readonly rule: string | null
  /** Why no response came, as the page says it; null when one did. */
  readonly failure: string | null
}

/** `document` is null when the body could not be had: status and headers decide alone then. */
export function describeServed(page: Page, document: Document | null): Served {
  const hops = page.exchanges.map(({ url, status, address }) => ({ url, status, address }))
  const last = page.exchanges.at(-1)
  if (page.failure !== null || last === undefined) {
    return { url: null, status: null, chain: hops, kind: 'none', rule: null, failure: page.failure ?? 'no_response' }
  }
  const sight: Sight = { exchange: last, from: hops.length > 1 ? (hops[0]?.url ?? null) : null, document }
  const rule = recognise(sight)
  const own = last.status >= 200 && last.status < 300 ? 'page' : 'error'
  return {
    url: last.url,
    status: last.status,
    chain: hops.slice(0, -1),
    kind: rule?.kind ?? own,
    rule: rule?.id ?? null,
    failure: null,
  }
}

/** Asks for nothing of its own: page and document are shared with everyone. */
export const gatherServed: Gatherer<'served'> = async context => {
  const [page, document] = await Promise.all([context.gather('page'), context.gather('document').catch(() => null)])
  return describeServed(page, document)
}
