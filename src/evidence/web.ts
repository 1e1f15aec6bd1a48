// The gatherers that visit the target's site, sharing one visit a check.
import type { ClientOptions } from '../network/fetch.ts'
import { createTrustStore } from './certificate.ts'
import { createCrawlFilesGatherer } from './crawl_files.ts'
import { createDocumentGatherer } from './document.ts'
import type { Gatherer } from './gatherer.ts'
import { createPageGatherer } from './page.ts'
import { createTlsGatherer } from './tls.ts'
import { createVisits } from './visit.ts'

export interface WebGatherers {
  readonly tls: Gatherer<'tls'>
  readonly page: Gatherer<'page'>
  readonly document: Gatherer<'document'>
  readonly crawl_files: Gatherer<'crawl_files'>
}

/** For an installation that presents itself, or trusts, otherwise than by default. */
export function createWebGatherers(client: ClientOptions): WebGatherers {
  const visits = createVisits(client)
  return {
    tls: createTlsGatherer(visits, createTrustStore(client.extra_roots)),
    page: createPageGatherer(visits),
    document: createDocumentGatherer(visits),
    crawl_files: createCrawlFilesGatherer(visits),
  }
}
