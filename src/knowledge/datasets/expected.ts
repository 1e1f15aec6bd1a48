// Which datasets an installation should have: datasets with a configured source, datasets that the operator enabled, and datasets
// with a copy on disk. A default that was never downloaded is not expected. While an expected dataset is not in memory, results
// say so.

import type { Target } from '../../targets/target.ts'
import type { ChosenDataset } from './choose.ts'
import type { Dataset, Use } from './dataset.ts'

/** An expected dataset that is not in memory. */
export interface MissingDataset extends Pick<Dataset, 'id' | 'name' | 'use' | 'about'> {
  readonly kind: 'feed' | 'list' | 'database'
  /** The operator configured its source. */
  readonly own: boolean
}

/** Nothing in these is about an address. */
const OF_NAMES: readonly Use[] = ['popularity', 'hsts_preload', 'rdap_bootstrap']

/** Whether a check of the target would have looked in the dataset. A check of a name looks up its addresses too. */
export const concerns = ({ kind }: Pick<Target, 'kind'>, { use, about }: MissingDataset): boolean =>
  kind === 'domain' || (about !== 'names' && !OF_NAMES.includes(use))

const kinds: Readonly<Record<Use, MissingDataset['kind']>> = {
  feed: 'feed',
  popularity: 'list',
  hsts_preload: 'list',
  ct_logs: 'list',
  city: 'database',
  asn: 'database',
  rdap_bootstrap: 'database',
  rdap_bootstrap_ipv4: 'database',
  rdap_bootstrap_ipv6: 'database',
}

export const isExpected = ({ chosen_by }: ChosenDataset, hasCopy: boolean): boolean =>
  chosen_by !== 'default' || hasCopy

export const missingDataset = ({ id, name, use, about, chosen_by }: ChosenDataset): MissingDataset => ({
  id,
  name,
  use,
  about,
  kind: kinds[use],
  own: chosen_by === 'place',
})

type Listener = (missing: readonly MissingDataset[]) => void

/** Calls listeners when fewer are missing. `look` is called whenever content may have been read. */
export function watchMissing(missing: () => readonly MissingDataset[]) {
  const listeners: Listener[] = []
  let missingCount = Number.POSITIVE_INFINITY
  return {
    missing,
    onRead: (listener: Listener): void => void listeners.push(listener),
    look() {
      const lacking = missing()
      if (lacking.length >= missingCount) return
      missingCount = lacking.length
      for (const listener of listeners) listener(lacking)
    },
  }
}
