// A dataset by URL: fetched, verified, kept on disk, and then put in the place of the one in memory.
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { CopyRecord } from './copies.ts'
import type { Use } from './dataset.ts'
import { type Downloaded, download } from './download.ts'
import { type Loaded, loadDataset, loadSuccessor, type Values } from './loaders.ts'
import { openPlain } from './plain_stream.ts'
import type { DatasetFor, Held, Refreshed, RefreshOptions, Source, SourceParts } from './source.ts'
import { reasonOf, UnusableDataset } from './unusable.ts'

type Fetched = Extract<Downloaded, { readonly status: 'fetched' }>

export function remoteSource<One extends Use>(dataset: DatasetFor<One>, parts: SourceParts): Source<One> {
  const { clock, copies, network, timeout_ms } = parts
  const { id, max_bytes } = dataset
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
    if (record !== null && record.fetched_at > (held?.fetched_at ?? 0)) await load()
  }

  const confirm = async (): Promise<Refreshed> => {
    if (held === null) return { status: 'failed', reason: 'http_304' }
    const record = { ...held.record, checked_at: clock.now() }
    hold(held, record)
    await copies.note(id, record)
    return { status: 'unchanged' }
  }

  const replace = async (file: string, url: string, { etag, last_modified }: Fetched, force: boolean) => {
    if (dataset.format === 'mmdb') await decompress(file, max_bytes)
    const loaded = await loadSuccessor(file, dataset, force ? null : held)
    const { size: octets } = await stat(file)
    const now = clock.now()
    const record = { url, etag, last_modified, fetched_at: now, checked_at: now, entries: loaded.entries, octets }
    await copies.commit(id, file, record)
    hold(loaded, record)
    return { status: 'fetched' } as const
  }

  const renew = async (file: string, { signal, force = false }: RefreshOptions): Promise<Refreshed> => {
    const url = urlAt(dataset.url ?? '', clock.now())
    const known = force || held?.record.url !== url ? null : held.record
    const answer = await download(network, clock, { url, max_bytes, timeout_ms, known, file, signal })
    if (answer.status === 'failed') return answer
    return answer.status === 'unchanged' ? confirm() : replace(file, url, answer, force)
  }

  return {
    dataset,
    held: () => held,
    load,
    async refresh(options) {
      try {
        await adopt().catch(() => {})
        const file = await copies.temporary(id)
        return await renew(file, options).finally(() => rm(file, { force: true }).catch(() => {}))
      } catch (error) {
        return { status: 'failed', reason: reasonOf(error) }
      }
    },
  }
}

/** Publishers of monthly editions name them by date. */
function urlAt(template: string, now: number): string {
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
