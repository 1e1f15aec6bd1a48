// One dataset at run time: its content in memory, its source and its refreshes.

import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../base/clock.ts'
import type { Network } from '../../network/network.ts'
import { type Dataset, reasonOf, UnusableDataset, type Use } from './dataset.ts'
import { type CopyRecord, type DatasetCache, type DownloadResult, download } from './download.ts'
import type { KeptIndexes } from './kept_indexes.ts'
import { type LoadedDataset, loadDataset, openPlain, type Values } from './loaders.ts'

interface SourceParts {
  readonly network: Network
  readonly clock: Clock
  readonly cache: DatasetCache
  readonly indexes: KeptIndexes
  /** Milliseconds for one download. */
  readonly timeout_ms: number
}

interface OpenedParts extends SourceParts {
  /** Reads the copy again after its index turned out to be damaged. */
  readonly reload: () => void
}

/** `fetched`: there is new content. `unchanged`: the publisher confirmed the old content. */
export type RefreshOutcome =
  | { readonly status: 'fetched' | 'unchanged' }
  | { readonly status: 'failed'; readonly reason: string }

export interface RefreshOptions {
  readonly signal: AbortSignal
  /** Ignores what is cached, and accepts the content even when it has shrunk. */
  readonly force?: boolean
}

/** What is in memory, with its record. */
export interface HeldValue<Value> extends LoadedDataset<Value> {
  /** Milliseconds since the Unix epoch. */
  readonly fetched_at: number
  readonly checked_at: number
}

type DatasetFor<One extends Use> = Dataset & { readonly use: One }

export interface Source<One extends Use = Use> {
  readonly dataset: DatasetFor<One>
  held(): HeldValue<Values[One]> | null
  /**
   * Reads the last good copy, or the file of the operator, or joins a read under way. Rejects with `UnusableDataset` when neither
   * can be used.
   */
  load(): Promise<void>
  /** Whether `load` is under way, which may never end on a disk that hangs. */
  isReading(): boolean
  /** Never rejects. */
  refresh(options: RefreshOptions): Promise<RefreshOutcome>
  /** Loads what another process has fetched or confirmed in the meantime. Never rejects. */
  adopt(): Promise<void>
}

type OpenSource<One extends Use> = Omit<Source<One>, 'isReading'>

function localSource<One extends Use>(dataset: DatasetFor<One>, path: string, parts: OpenedParts): OpenSource<One> {
  const { clock, indexes, reload } = parts
  let loadedFile: HeldValue<Values[One]> | null = null
  /** The file that was read last, and what is wrong with its content: it is not read again until it changes. */
  let readOf: number | null = null
  let fault: UnusableDataset | null = null
  const onDamage = () => {
    loadedFile = null
    reload()
  }
  const load = async (before: typeof loadedFile, rebuild = false) => {
    readOf = await modifiedAt(path)
    try {
      const loadedDataset = await loadDataset(path, dataset, { indexes, held: before, onDamage, rebuild })
      loadedFile = { ...loadedDataset, fetched_at: clock.now(), checked_at: clock.now() }
      fault = null
    } catch (error) {
      fault = isOfContent(error) ? error : null
      throw error
    }
  }
  const refresh = async ({ force = false }: Partial<RefreshOptions>): Promise<RefreshOutcome> => {
    try {
      const isSame = !force && (await modifiedAt(path)) === readOf
      if (isSame && fault !== null) throw fault
      if (isSame && loadedFile !== null) {
        loadedFile = { ...loadedFile, checked_at: clock.now() }
        return { status: 'unchanged' }
      }
      await (force ? load(null, true) : load(loadedFile))
      return { status: 'fetched' }
    } catch (error) {
      return { status: 'failed', reason: reasonOf(error) }
    }
  }
  return {
    dataset,
    held: () => loadedFile,
    load: () => load(null),
    refresh,
    adopt: async () => void (await refresh({})),
  }
}

const NOT_READ: ReadonlySet<string> = new Set(['no_file', 'unreadable'])

const isOfContent = (error: unknown): error is UnusableDataset =>
  error instanceof UnusableDataset && !NOT_READ.has(error.reason)

/** Milliseconds; NaN, which never equals itself, when the file cannot be read. */
const modifiedAt = (path: string): Promise<number> =>
  stat(path).then(
    file => file.mtimeMs,
    () => Number.NaN,
  )

type NewCopy = Extract<DownloadResult, { readonly status: 'fetched' }>

function remoteSource<One extends Use>(dataset: DatasetFor<One>, parts: OpenedParts): OpenSource<One> {
  const { clock, cache, indexes, network, timeout_ms, reload } = parts
  const { id, max_bytes } = dataset
  let loadedCopy: (HeldValue<Values[One]> & { readonly record: CopyRecord }) | null = null

  const hold = (loadedDataset: LoadedDataset<Values[One]>, record: CopyRecord) => {
    loadedCopy = { ...loadedDataset, record, fetched_at: record.fetched_at, checked_at: record.checked_at }
  }

  const onDamage = () => {
    loadedCopy = null
    reload()
  }

  const load = async () => {
    const record = await cache.read(id)
    if (record === null) throw new UnusableDataset(`${id}: no copy on disk`, 'not_loaded')
    hold(await loadDataset(cache.pathOf(id), dataset, { indexes, held: null, onDamage }), record)
  }

  const adopt = async () => {
    const record = await cache.read(id).catch(() => null)
    if (record === null) return
    if (loadedCopy === null || record.fetched_at > loadedCopy.fetched_at) await load().catch(() => {})
    else if (record.fetched_at === loadedCopy.fetched_at && record.checked_at > loadedCopy.checked_at)
      hold(loadedCopy, record)
  }

  const confirm = async (): Promise<RefreshOutcome> => {
    if (loadedCopy === null) return { status: 'failed', reason: 'http_304' }
    const record = { ...loadedCopy.record, checked_at: clock.now() }
    hold(loadedCopy, record)
    await cache.saveRecord(id, record)
    return { status: 'unchanged' }
  }

  const replace = async (file: string, url: string, { etag, last_modified }: NewCopy, force: boolean) => {
    if (dataset.format === 'mmdb') await decompress(file, max_bytes)
    const loadedDataset = await loadDataset(file, dataset, {
      indexes,
      held: force ? null : loadedCopy,
      onDamage,
      rebuild: force,
    })
    const { size: octets } = await stat(file)
    const now = clock.now()
    const record = {
      url,
      etag,
      last_modified,
      fetched_at: now,
      checked_at: now,
      entries: loadedDataset.entries,
      octets,
    }
    await cache.commit(id, file, record)
    hold(loadedDataset, record)
    return { status: 'fetched' } as const
  }

  const renew = async (file: string, { signal, force = false }: RefreshOptions): Promise<RefreshOutcome> => {
    const url = urlAt(dataset.url ?? '', clock.now())
    const knownRecord = force || loadedCopy?.record.url !== url ? null : loadedCopy.record
    const answer = await download(network, clock, { url, max_bytes, timeout_ms, validators: knownRecord, file, signal })
    if (answer.status === 'failed') return answer
    return answer.status === 'unchanged' ? confirm() : replace(file, url, answer, force)
  }

  return {
    dataset,
    held: () => loadedCopy,
    load,
    adopt,
    async refresh(options) {
      try {
        await adopt()
        const file = await cache.temporary(id)
        return await renew(file, options).finally(() => rm(file, { force: true }).catch(() => {}))
      } catch (error) {
        return { status: 'failed', reason: reasonOf(error) }
      }
    },
  }
}

/** Monthly editions have their date in the URL. */
function urlAt(template: string, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-')
  return template.replace('{year}', year).replace('{month}', month)
}

/** Databases are opened as files, so the file on disk must be decompressed. */
async function decompress(file: string, maxBytes: number): Promise<void> {
  const plain = `${file}.plain`
  try {
    await pipeline(await openPlain(file, maxBytes), createWriteStream(plain))
    await rename(plain, file)
  } finally {
    await rm(plain, { force: true }).catch(() => {})
  }
}

export function createSource<One extends Use>(dataset: DatasetFor<One>, parts: SourceParts): Source<One> {
  let reading: Promise<void> | null = null
  const load = () => {
    reading ??= source.load().finally(() => {
      reading = null
    })
    return reading
  }
  const openedParts = { ...parts, reload: () => void load().catch(() => {}) }
  const source =
    dataset.path === null ? remoteSource(dataset, openedParts) : localSource(dataset, dataset.path, openedParts)
  return { ...source, load, isReading: () => reading !== null }
}
