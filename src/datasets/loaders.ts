// From a dataset's file to what look-ups need: one loader for each use.
import { type Bootstrap, blockEntry, domainEntry, type EntryKey } from '../evidence/registration/bootstrap.ts'
import type { Dataset, Use } from './dataset.ts'
import { buildFeedIndex, type FeedIndex } from './feed/feed_index.ts'
import { buildRankIndex, type RankIndex } from './feed/rank_index.ts'
import { type Mmdb, openMmdb } from './mmdb.ts'
import { openBootstrap } from './rdap_bootstrap.ts'
import { readList } from './read_list.ts'
import { UnusableDataset } from './unusable.ts'

export interface Values {
  feed: FeedIndex
  popularity: RankIndex
  city: Mmdb
  asn: Mmdb
  rdap_bootstrap: Bootstrap
  rdap_bootstrap_ipv4: Bootstrap
  rdap_bootstrap_ipv6: Bootstrap
}

export interface Loaded<Value> {
  readonly value: Value
  readonly entries: number
  /** Octets in memory, as far as they can be told. */
  readonly bytes: number
}

type Loader<Value> = (path: string, dataset: Dataset) => Promise<Loaded<Value>>

const list = <Index extends { size: number; bytes: number }>(value: Index): Loaded<Index> => ({
  value,
  entries: value.size,
  bytes: value.bytes,
})

const database: Loader<Mmdb> = async path => {
  const value = await openMmdb(path)
  return { value, entries: value.nodes, bytes: value.bytes }
}

const bootstrap =
  (keyOf: EntryKey): Loader<Bootstrap> =>
  async path => {
    const value = await openBootstrap(path, keyOf)
    return { value, entries: value.services.size, bytes: 0 }
  }

const loaders: { readonly [One in Use]: Loader<Values[One]> } = {
  feed: async (path, dataset) => list(await readList(path, dataset, buildFeedIndex())),
  popularity: async (path, dataset) => list(await readList(path, dataset, buildRankIndex())),
  city: database,
  asn: database,
  rdap_bootstrap: bootstrap(domainEntry),
  rdap_bootstrap_ipv4: bootstrap(blockEntry(4)),
  rdap_bootstrap_ipv6: bootstrap(blockEntry(6)),
}

/** Rejects with `UnusableDataset` when the file is not what the dataset says it is, or has too little in it. */
export async function loadDataset<One extends Use>(
  path: string,
  dataset: Dataset & { readonly use: One },
): Promise<Loaded<Values[One]>> {
  const loaded = await (loaders[dataset.use] as Loader<Values[One]>)(path, dataset)
  if (loaded.entries >= dataset.min_entries) return loaded
  throw new UnusableDataset(`${path}: has only ${loaded.entries} entries`, 'too_few_entries')
}

/** A list that lost more than this part of its entries is more likely broken than better. */
const MOST_LOST = 0.5

/** The same of what is to take the place of what is held; rejects also when it lost too much. */
export async function loadSuccessor<One extends Use>(
  path: string,
  dataset: Dataset & { readonly use: One },
  held: Pick<Loaded<unknown>, 'entries'> | null,
): Promise<Loaded<Values[One]>> {
  const loaded = await loadDataset(path, dataset)
  if (held === null || loaded.entries >= held.entries * (1 - MOST_LOST)) return loaded
  throw new UnusableDataset(`${dataset.id}: has only ${loaded.entries} entries left`, 'shrunk')
}
