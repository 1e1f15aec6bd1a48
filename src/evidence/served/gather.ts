// Which response the web sections speak of, and what it is: the site's own page, or something in its place. Without I/O.

import type { Document } from '../document/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Page } from '../page/facts.ts'
import type { Served } from './facts.ts'
import { recognise, type Sight } from './recognise.ts'

/** `document` is null when the body could not be had: status and headers decide alone then. */
export function describeServed(page: Page, document: Document | null): Served {
  const hops = page.exchanges.map(({ url, status, address }) => ({ url, status, address }))
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
    cut: document?.is_html ? last.truncated : null,
  }
}

/** Asks for nothing of its own: page and document are shared with everyone. */
export const gatherServed: Gatherer<Served, { page: Page; document: Document }> = async context => {
  const [page, document] = await Promise.all([context.gather('page'), context.gather('document').catch(() => null)])
  return describeServed(page, document)
}

export default () => gatherServed
