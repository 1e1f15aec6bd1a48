// The built-in gatherers, one for each kind of evidence.
import { gatherAddresses } from './addresses.ts'
import { gatherDns } from './dns.ts'
import { gatherEntrances } from './entrances.ts'
import type { BuiltInEvidence } from './evidence.ts'
import type { Gatherer } from './gatherer.ts'
import { gatherMailRecords } from './mail_records.ts'
import { gatherReverseNames } from './reverse_names.ts'
import { gatherServed } from './served.ts'
import type { WebGatherers } from './web.ts'

export type Gatherers = { readonly [Name in keyof BuiltInEvidence]: Gatherer<Name> }

/** Gatherers that depend on how this installation is set up; the composition root makes them. */
export type ConfiguredGatherers = WebGatherers &
  Pick<
    Gatherers,
    'location' | 'green_hosting' | 'listings' | 'feeds' | 'popularity' | 'registration' | 'ip_network' | 'name_score'
  >

/** All built-in gatherers; an extension's earlier `stage` pre-empts any of them. */
export const builtInGatherers = (configured: ConfiguredGatherers): Gatherers => ({
  addresses: gatherAddresses,
  dns: gatherDns,
  mail_records: gatherMailRecords,
  served: gatherServed,
  entrances: gatherEntrances,
  reverse_names: gatherReverseNames,
  ...configured,
})
