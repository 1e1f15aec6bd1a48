// What a visit to a situation's site would see: the handshake, the responses, and the page parsed as it is served.

import { dialableAddresses } from '../../../../src/evidence/addresses/dialable.ts'
import type { Document } from '../../../../src/evidence/document/facts.ts'
import { createPageParser } from '../../../../src/evidence/document/page_parser.ts'
import type { GatherContext } from '../../../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../../../src/evidence/facts.ts'
import type { Page as SeenPage } from '../../../../src/evidence/page/facts.ts'
import { describeServed } from '../../../../src/evidence/served/gather.ts'
import type { Target } from '../../../../src/targets/target.ts'
import { exchangeOf } from '../../../../src/testing/page_of.ts'
import { tlsOf } from './handshake.ts'
import { PLAIN } from './pages.ts'
import type { Page, Situation } from './situation.ts'

type Gatherers = Readonly<Record<string, () => unknown>>

export function webOf(situation: Situation, target: Target, context: GatherContext): Gatherers {
  const reach = () => dialableAddresses(context)
  const page = async () => {
    const [address = ''] = await reach()
    return pageOf(situation, target, address)
  }
  const document = async () => {
    const seen = await page()
    if (seen.exchanges.length === 0) throw new NotApplicable('no_response')
    return documentOf(situation, seen)
  }
  return {
    tls: async () => tlsOf(situation, target, (await reach())[0] ?? ''),
    page,
    document,
    served: async () => describeServed(await page(), await document().catch(() => null)),
    security_txt: async () => ({
      url: `${new URL((await page()).exchanges.at(-1)?.url ?? 'https://x.example/').origin}/.well-known/security.txt`,
      status: 'missing',
      reason: null,
      content_type: null,
      text: null,
      truncated: false,
    }),
    crawl_files: async () => {
      const url = `${new URL((await page()).exchanges.at(-1)?.url ?? 'https://x.example/').origin}/robots.txt`
      return { robots: { url, status: 'missing', reason: null, text: null }, sitemaps: [] }
    },
    green_hosting: () => {
      throw new Unavailable('not_configured')
    },
  }
}

function pageOf({ page = {}, certificate }: Situation, target: Target, address: string): SeenPage {
  const nothing = { exchanges: [], stopped: null, stopped_at: null }
  if (page === 'silent') throw new Unavailable('connect_timeout')
  if (page === 'refused') return { ...nothing, failure: 'refused' }
  const [stopped = null, stopped_at = null] = page.stopped ?? []
  const hops = (page.via ?? []).map(url => ({ url, status: 301 }))
  const last = { url: page.url ?? rootOf(target, certificate), status: page.status ?? 200, headers: headersOf(page) }
  const exchanges = [...hops, last].map(response => ({ ...exchangeOf(response), address }))
  return { exchanges, failure: null, stopped, stopped_at }
}

const headersOf = ({ headers = [] }: Page): readonly string[] => ['content-type: text/html; charset=utf-8', ...headers]

const UNENCRYPTED: ReadonlySet<Situation['certificate']> = new Set(['refused', 'silent'])

function rootOf(target: Target, certificate: Situation['certificate']): string {
  const host = target.domain ?? (target.ip.includes(':') ? `[${target.ip}]` : target.ip)
  return `${UNENCRYPTED.has(certificate) ? 'http' : 'https'}://${host}/`
}

function documentOf({ page }: Situation, { exchanges }: SeenPage): Document {
  const html = typeof page === 'object' ? page.html : undefined
  const parser = createPageParser(exchanges.at(-1)?.url ?? '', 'text/html; charset=utf-8')
  parser.write(Buffer.from(html ?? PLAIN))
  return parser.end(false)
}
