// One dataset as it lives: loaded from its last good copy, fetched, verified, and swapped as a whole.

import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../clock.ts'
import type { Network } from '../network/network.ts'
import type { Copies, CopyRecord } from './copies.ts'
import type { Dataset, Use } from './dataset.ts'
import { download } from './download.ts'
import { type Loaded, loadDataset, type Values } from './loaders.ts'
import { openPlain } from './plain_stream.ts'
import { UnusableDataset } from './unusable.ts'

export interface SourceParts {
  readonly network: Network
  readonly clock: Clock
  readonly copies: Copies
  /** Milliseconds for one download. */
  readonly timeout_ms: number
}

/** `fetched` has new content, `unchanged` the publisher's word that there is none, `failed` why neither. */
export type Refreshed =
  | { readonly status: 'fetched' | 'unchanged' }
  | { readonly status: 'failed'; readonly reason: string }

export interface RefreshOptions {
  readonly signal: AbortSignal
  /** Fetches whatever the publisher thinks we have, and takes it also when it shrank. */
  readonly force?: boolean
}

/** What is in memory, and what is known of it. */
export interface Held<Value> extends Loaded<Value> {
  /** Milliseconds since the Unix epoch. */
  readonly fetched_at: number
  readonly checked_at: number
}

export interface Source<One extends Use = Use> {
  readonly dataset: Dataset & { readonly use: One }
  held(): Held<Values[One]> | null
  /** Reads the last good copy, or the path. Rejects with `UnusableDataset` when there is none that can be used. */
  load(): Promise<void>
  /** Never rejects. */
  refresh(options: RefreshOptions): Promise<Refreshed>
}

/** A list that lost more than this part of its entries is more likely broken than better. */
const MOST_LOST = 0.5

export function createSource<One extends Use>(
  dataset: Dataset & { readonly use: One },
  parts: SourceParts,
): Source<One> {
  return dataset.path === null ? remote(dataset, parts) : local(dataset, dataset.path, parts)
}

/** A file of the operator's: read again when it was replaced. */
function local<One extends Use>(dataset: Source<One>['dataset'], path: string, { clock }: SourceParts): Source<One> {
  let held: Held<Values[One]> | null = null
  let seen = Number.NaN
  const load = async () => {
    const modified = await stat(path).then(
      file => file.mtimeMs,
      () => Number.NaN,
    )
    const loaded = await loadDataset(path, dataset)
    seen = modified
    held = { ...loaded, fetched_at: clock.now(), checked_at: clock.now() }
  }
  return {
    dataset,
    held: () => held,
    load,
    refresh: options =>
      attempt(async () => {
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }))
        if (held !== null && mtimeMs === seen && options.force !== true) {
          held = { ...held, checked_at: clock.now() }
          return { status: 'unchanged' }
        }
        await load()
        return { status: 'fetched' }
      }),
  }
}

function remote<One extends Use>(dataset: Source<One>['dataset'], parts: SourceParts): Source<One> {
  const { clock, copies, network, timeout_ms } = parts
  const { id } = dataset
  let held: (Held<Values[One]> & { readonly record: CopyRecord }) | null = null
  const hold = (loaded: Loaded<Values[One]>, record: CopyRecord) => {
    held = { ...loaded, record, fetched_at: record.fetched_at, checked_at: record.checked_at }
  }
  const load = async () => {
    const record = await copies.read(id)
    if (record === null) throw new UnusableDataset(`${id}: there is no copy on disk`, 'not_loaded')
    hold(await loadDataset(copies.pathOf(id), dataset), record)
  }

  /** Takes what another process fetched meanwhile. */
  const adopt = async () => {
    const record = await copies.read(id)
    if (record === null || (held !== null && record.fetched_at <= held.fetched_at)) return
    hold(await loadDataset(copies.pathOf(id), dataset), record)
  }

  const fetchInto = async (file: string, { signal, force = false }: RefreshOptions): Promise<Refreshed> => {
    const url = urlAt(dataset.url ?? '', clock.now())
    const known = force || held?.record.url !== url ? null : held.record
    const { max_bytes } = dataset
    const answer = await download(network, clock, { url, max_bytes, timeout_ms, known, file, signal })
    if (answer.status === 'failed') return answer
    const now = clock.now()
    if (answer.status === 'unchanged') {
      if (held === null) return { status: 'failed', reason: 'unasked_304' }
      const record = { ...held.record, checked_at: now }
      hold(held, record)
      await copies.note(id, record)
      return answer
    }
    if (dataset.format === 'mmdb') await decompress(file, max_bytes)
    const loaded = await loadDataset(file, dataset)
    const least = held === null || force ? 0 : held.entries * (1 - MOST_LOST)
    if (loaded.entries < least) return { status: 'failed', reason: 'shrunk' }
    const { etag, last_modified } = answer
    const { size: octets } = await stat(file)
    const record = { url, etag, last_modified, fetched_at: now, checked_at: now, entries: loaded.entries, octets }
    await copies.commit(id, file, record)
    hold(loaded, record)
    return { status: 'fetched' }
  }

  return {
    dataset,
    held: () => held,
    load,
    refresh: options =>
      attempt(async () => {
        await adopt().catch(() => {})
        const file = await copies.temporary(id)
        return await fetchInto(file, options).finally(() => rm(file, { force: true }).catch(() => {}))
      }),
  }
}

async function attempt(refresh: () => Promise<Refreshed>): Promise<Refreshed> {
  try {
    return await refresh()
  } catch (error) {
    return { status: 'failed', reason: error instanceof UnusableDataset ? error.reason : 'disk' }
  }
}

/** Publishers of monthly editions name them by date. */
export function urlAt(template: string, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-')
  return template.replace('{year}', year).replace('{month}', month)
}

/** Databases are read where they lie, and so must lie there as they are. */
async function decompress(file: string, max_bytes: number): Promise<void> {
  const plain = `${file}.plain`
  try {
    await pipeline(await openPlain(file, max_bytes), createWriteStream(plain))
    await rename(plain, file)
  } finally {
    await rm(plain, { force: true }).catch(() => {})
  }
}
