// The built-in gatherers, one for each kind of evidence.
import type { Gatherer } from '../engine/gather.ts'
import type { Extension } from '../engine/plugin.ts'
import { gatherAddresses } from './addresses.ts'
import { gatherDns } from './dns.ts'
import { gatherEntrances } from './entrances.ts'
import type { BuiltInEvidence } from './evidence.ts'
import { gatherMailRecords } from './mail_records.ts'
import { gatherReverseNames } from './reverse_names.ts'
import { gatherServed } from './served.ts'
import type { WebGatherers } from './web.ts'

type Gatherers = { readonly [Name in keyof BuiltInEvidence]: Gatherer<Name> }

/** Gatherers that depend on how this installation is set up; the composition root makes them. */
export type ConfiguredGatherers = WebGatherers &
  Pick<Gatherers, 'location' | 'green_hosting' | 'listings' | 'feeds' | 'popularity' | 'registration' | 'name_score'>

/** All built-in gatherers as one extension; an earlier `stage` pre-empts any of them. */
export function builtInGatherers(configured: ConfiguredGatherers): Extension {
  const gatherers: Gatherers = {
    addresses: gatherAddresses,
    dns: gatherDns,
    mail_records: gatherMailRecords,
    served: gatherServed,
    entrances: gatherEntrances,
    reverse_names: gatherReverseNames,
    ...configured,
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
