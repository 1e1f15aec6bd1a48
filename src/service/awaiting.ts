// Evidence while the datasets that it is looked up in have not been read.
import { NOT_CONFIGURED, Unavailable } from '../evidence/facts.ts'
import type { GatherContext } from '../evidence/gatherer.ts'
import type { BuiltInEvidence, Gatherers } from '../evidence/kinds.ts'
import type { Use } from '../knowledge/datasets/dataset.ts'
import type { MissingDataset } from '../knowledge/datasets/expected.ts'

/** Evidence that is not configured without one of these. Feeds and popularity lists say in their rows what they lack. */
const neededDatasets: Partial<Record<keyof BuiltInEvidence, readonly Use[]>> = {
  location: ['city', 'asn'],
  hsts_preload: ['hsts_preload'],
  registration: ['rdap_bootstrap'],
  ip_network: ['rdap_bootstrap_ipv4', 'rdap_bootstrap_ipv6'],
}

/** Evidence without its dataset is `loading`, not `not_configured`, while that dataset is missing. */
export function awaitingDatasets(gatherers: Gatherers, missing: () => readonly MissingDataset[]): Gatherers {
  const wrappedGatherers = Object.entries(neededDatasets).map(([kind, uses]) => {
    const gather = gatherers[kind as keyof Gatherers] as (context: GatherContext<never>) => Promise<unknown>
    const isMissing = () => missing().some(({ use }) => uses.includes(use))
    const awaiting = async (context: GatherContext<never>) => {
      // Before the evidence is gathered, because the dataset may be read meanwhile.
      const was = isMissing()
      return gather(context).catch((error: unknown) => {
        throw was && error instanceof Unavailable && error.reason === NOT_CONFIGURED
          ? new Unavailable('loading')
          : error
      })
    }
    return [kind, awaiting]
  })
  return { ...gatherers, ...Object.fromEntries(wrappedGatherers) }
}
