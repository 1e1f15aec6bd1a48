// Which datasets an installation should have: those whose place the operator named, those that the operator turned on, and those
// with a copy on disk. One that was never downloaded by default is not expected. While an expected one is not in memory, checks
// say so.

import type { MissingSource } from '../../engine/scoring/missing.ts'
import { NOT_CONFIGURED, Unavailable } from '../../evidence/facts.ts'
import type { GatherContext } from '../../evidence/gatherer.ts'
import type { BuiltInEvidence, Gatherers } from '../../evidence/kinds.ts'
import type { Target } from '../../targets/target.ts'
import type { Chosen } from './choose.ts'
import type { Dataset, Use } from './dataset.ts'

/** An expected dataset that is not in memory. */
export interface MissingDataset extends MissingSource, Pick<Dataset, 'use' | 'about'> {}

/** Nothing in these is about an address. */
const OF_NAMES: readonly Use[] = ['popularity', 'hsts_preload', 'rdap_bootstrap']

/** Whether a check of the target would have looked in the dataset. A check of a name looks up its addresses too. */
export const concerns = ({ kind }: Pick<Target, 'kind'>, { use, about }: MissingDataset): boolean =>
  kind === 'domain' || (about !== 'names' && !OF_NAMES.includes(use))

const kinds: Readonly<Record<Use, MissingSource['kind']>> = {
  feed: 'feed',
  popularity: 'list',
  hsts_preload: 'list',
  city: 'database',
  asn: 'database',
  rdap_bootstrap: 'database',
  rdap_bootstrap_ipv4: 'database',
  rdap_bootstrap_ipv6: 'database',
}

export const isExpected = ({ chosen_by }: Chosen, has_copy: boolean): boolean => chosen_by !== 'default' || has_copy

export const missingDataset = ({ id, name, use, about, chosen_by }: Chosen): MissingDataset => ({
  ...{ id, name, use, about },
  kind: kinds[use],
  own: chosen_by === 'place',
})

type Listener = (missing: readonly MissingDataset[]) => void

/** Calls listeners when fewer are missing. `look` is called whenever content may have been read. */
export function watchMissing(missing: () => readonly MissingDataset[]) {
  const listeners: Listener[] = []
  let lacked = Number.POSITIVE_INFINITY
  return {
    missing,
    onRead: (listener: Listener): void => void listeners.push(listener),
    look() {
      const lacking = missing()
      if (lacking.length >= lacked) return
      lacked = lacking.length
      for (const listener of listeners) listener(lacking)
    },
  }
}

/** Evidence that is not configured without one of these. Feeds and popularity lists say in their rows what they lack. */
const needed: Partial<Record<keyof BuiltInEvidence, readonly Use[]>> = {
  location: ['city', 'asn'],
  hsts_preload: ['hsts_preload'],
  registration: ['rdap_bootstrap'],
  ip_network: ['rdap_bootstrap_ipv4', 'rdap_bootstrap_ipv6'],
}

/** Evidence without its dataset is `loading`, not `not_configured`, while that dataset is missing. */
export function awaitingDatasets(gatherers: Gatherers, missing: () => readonly MissingDataset[]): Gatherers {
  const wrapped = Object.entries(needed).map(([kind, uses]) => {
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
  return { ...gatherers, ...Object.fromEntries(wrapped) }
}
