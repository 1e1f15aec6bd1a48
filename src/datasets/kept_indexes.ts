// Keeps the index of each list on disk, beside its copy, so that a start does not read the list again. An index is used for the
// file it was made of, with the secret of its hashes, and by the version of assay that made it.
import { hash, randomBytes } from 'node:crypto'
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../files.ts'
import { version } from '../package_root.ts'
import type { Dataset } from './dataset.ts'
import { type FeedIndex, filterOf, openFeedIndex, type RankIndex, rankIndexOf } from './feed/feed_index.ts'
import { keyTableOf, type Numbers, SECRET_OCTETS, shareSecret, type TableColumns } from './feed/key_table.ts'
import { type PreloadIndex, preloadIndexOf } from './feed/preload_index.ts'
import { yieldToEventLoop } from './feed/yield_to_event_loop.ts'
import { type IndexFile, openIndexFile, writeIndexFile } from './index_file.ts'

type ListUse = 'feed' | 'popularity' | 'hsts_preload'
type Index = FeedIndex | RankIndex | PreloadIndex

export interface KeptIndexes {
  /** The index of this file; null when none is kept. Never rejects. */
  read(path: string, dataset: Dataset): Promise<Index | null>
  /** Keeps the index, and returns it as it is read again: a large one stays on disk. Never rejects. */
  keep(path: string, dataset: Dataset, index: Index): Promise<Index>
}

/** What of a dataset decides how its file is read. */
const identityOf = ({ use, format, column, field, about }: Dataset) => ({ use, format, column, field, about })

/**
 * Nothing is kept where the directory cannot be written, or where `share` refuses the secret of the directory because the
 * process has tables by another.
 */
export function openKeptIndexes(directory: string, share: (secret: Uint8Array) => boolean = shareSecret): KeptIndexes {
  let unique = 0
  let sharing: Promise<string | null> | undefined
  /** The name of the secret that is shared; null without one. */
  const secretName = () => {
    sharing ??= secretIn(directory).then(
      secret => (share(secret) ? nameOf(secret) : null),
      () => null,
    )
    return sharing
  }
  const pathOf = (id: string) => join(directory, `${id}.index`)
  /** What an index of this file is made of; null when none can be kept. */
  const madeOf = async (path: string, dataset: Dataset) => {
    const secret = isList(dataset) ? await secretName() : null
    if (secret === null) return null
    const { size, mtimeMs } = await stat(path)
    return JSON.stringify({ version, secret, size, mtimeMs, ...identityOf(dataset) })
  }
  const read = async (path: string, dataset: Dataset): Promise<Index | null> => {
    const made_of = await madeOf(path, dataset)
    if (made_of === null) return null
    const file = await openIndexFile(pathOf(dataset.id))
    const meta = file?.meta as Meta | undefined
    if (!file || meta?.made_of !== made_of) return null
    return open[dataset.use as ListUse](file, meta)
  }
  return {
    read: (path, dataset) => read(path, dataset).catch(() => null),
    async keep(path, dataset, index) {
      try {
        const made_of = await madeOf(path, dataset)
        if (made_of === null) return index
        const { meta, columns } = await partsOf(index)
        const temporary = `${pathOf(dataset.id)}.${process.pid}-${++unique}.part`
        await writeIndexFile(pathOf(dataset.id), temporary, { ...meta, made_of }, columns)
        return (await read(path, dataset)) ?? index
      } catch {
        return index
      }
    },
  }
}

/** Reads every list again. */
export const rebuilding = (indexes: KeptIndexes): KeptIndexes => ({ ...indexes, read: async () => null })

const isList = ({ use }: Dataset): boolean => use in open

interface Meta {
  readonly made_of: string
  readonly size: number
  readonly lengths?: FeedIndex['parts']['lengths']
  readonly pages?: { readonly size: number; readonly shift: number }
  /** Whether a filter of its keys is kept. */
  readonly filtered?: boolean
}

const tableIn = (file: IndexFile, size: number, valued: boolean): TableColumns => ({
  size,
  keys: file.column('keys'),
  values: valued ? file.column('values') : null,
})

const open: Readonly<Record<ListUse, (file: IndexFile, meta: Meta) => Promise<Index>>> = {
  feed: (file, { size, lengths = { 4: [], 6: [] }, pages = { size: 0, shift: 0 }, filtered = false }) => {
    const [first, second, third, fourth, directory] = [
      ...[file.column('first'), file.column('second'), file.column('third')],
      ...[file.column('fourth'), file.column('directory')],
    ] as const
    const columns = { first, second, third, fourth, directory, ...pages }
    const parts = { keys: tableIn(file, size, false), pages: columns, lengths }
    const filter = filtered ? file.column('filter') : null
    return openFeedIndex(parts, yieldToEventLoop(), filter?.subarray(0, filter.length))
  },
  popularity: async (file, { size }) => rankIndexOf(keyTableOf(tableIn(file, size, true))),
  hsts_preload: async (file, { size }) => preloadIndexOf(keyTableOf(tableIn(file, size, false)), size),
}

/** A new index, whose columns are all in memory. */
async function partsOf(index: Index): Promise<{ meta: Omit<Meta, 'made_of'>; columns: Record<string, Numbers> }> {
  if (!('parts' in index)) {
    const { keys, values } = index.keys
    return {
      meta: { size: index.size },
      columns: { keys, ...(values && { values }) } as unknown as Record<string, Numbers>,
    }
  }
  const { keys, lengths, pages } = index.parts
  const { size, shift, ...columns } = pages
  const filter = await filterOf(index.parts, yieldToEventLoop())
  return {
    meta: { size: keys.size, lengths, pages: { size, shift }, filtered: filter !== null },
    columns: { keys: keys.keys, ...columns, ...(filter && { filter }) } as unknown as Record<string, Numbers>,
  }
}

/** Distinguishes secrets without disclosing them. */
const nameOf = (secret: Uint8Array): string => hash('sha256', secret, 'hex').slice(0, 16)

/** The secret of this installation, for its owner only; a new one when there is none. */
async function secretIn(directory: string): Promise<Buffer> {
  const path = join(directory, 'index.key')
  const known = await readFile(path).catch(() => null)
  if (known?.length === SECRET_OCTETS) return known
  makeDirectory(directory)
  const part = `${path}.${process.pid}.part`
  await writeFile(part, randomBytes(SECRET_OCTETS), { mode: 0o600, flush: true })
  // Another process may have made one in the meantime.
  await link(part, path).catch(() => {})
  await rm(part, { force: true })
  const made = await readFile(path)
  if (made.length !== SECRET_OCTETS) throw new Error(`${path} is damaged`)
  return made
}
