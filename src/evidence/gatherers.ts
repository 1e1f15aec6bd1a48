// The built-in gatherers, one for each kind of evidence.
import type { Gatherer } from '../engine/gather.ts'
import type { Extension } from '../engine/plugin.ts'
import { gatherAddresses } from './addresses.ts'
import { gatherCrawlFiles } from './crawl_files.ts'
import { gatherDns } from './dns.ts'
import { gatherDocument } from './document.ts'
import type { Evidence } from './evidence.ts'
import { gatherMailRecords } from './mail_records.ts'
import { gatherPage } from './page.ts'
import { gatherTls } from './tls.ts'

/** Gatherers that look things up in datasets, which the composition root opens. */
export type DatasetGatherers = { readonly location: Gatherer<'location'> }

type Gatherers = { readonly [Name in keyof Evidence]: Gatherer<Name> }

/** All built-in gatherers as one extension; an earlier `stage` pre-empts any of them. */
export function builtInGatherers(datasets: DatasetGatherers): Extension {
  const gatherers: Gatherers = {
    addresses: gatherAddresses,
    dns: gatherDns,
    mail_records: gatherMailRecords,
    tls: gatherTls,
    page: gatherPage,
    document: gatherDocument,
    crawl_files: gatherCrawlFiles,
    ...datasets,
  }
  return {
    name: 'gatherers',
    description: 'Sees what there is to see of a target: DNS, mail, TLS, the page, its place.',
    apply(hooks) {
      for (const [name, gather] of Object.entries(gatherers)) {
        hooks.gather.for(name).tapPromise('gatherers', gather)
      }
    },
  }
}
