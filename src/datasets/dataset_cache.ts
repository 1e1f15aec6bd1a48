// The last good copy of each dataset on disk: a data file with a record beside it. Each is replaced as a whole or not at all.
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../files.ts'

/** The record of a copy. */
export interface CopyRecord {
  readonly url: string
  readonly etag: string | null
  /** As sent by the server. */
  readonly last_modified: string | null
  /** Milliseconds since the Unix epoch: when it was fetched, and when the publisher last confirmed it. */
  readonly fetched_at: number
  readonly checked_at: number
  readonly entries: number
  /** Size of the file. A record whose file has another size is ignored. */
  readonly octets: number
}

export interface DatasetCache {
  pathOf(id: string): string
  /** Null when there is no valid copy. */
  read(id: string): Promise<CopyRecord | null>
  /** A file name in the same directory, so that the file can be renamed. */
  temporary(id: string): Promise<string>
  /** Replaces the copy with a complete file. */
  commit(id: string, file: string, record: CopyRecord): Promise<void>
  saveRecord(id: string, record: CopyRecord): Promise<void>
}

/** Milliseconds after which an unfinished file counts as abandoned. */
const ABANDONED_MS = 3_600_000
const PART = '.part'

export function openDatasetCache(directory: string): DatasetCache {
  const pathOf = (id: string) => join(directory, `${id}.data`)
  const recordOf = (id: string) => join(directory, `${id}.json`)
  let unique = 0
  const temporary = async (id: string) => {
    makeDirectory(directory)
    return join(directory, `${id}.${process.pid}-${++unique}${PART}`)
  }
  const saveRecord = async (id: string, record: CopyRecord) => {
    const part = await temporary(id)
    await writeFile(part, `${JSON.stringify(record)}\n`, { flush: true })
    await rename(part, recordOf(id))
  }
  const sweeping = sweep(directory)
  return {
    pathOf,
    temporary,
    saveRecord,
    async read(id) {
      await sweeping
      const record = parseRecord(await readFile(recordOf(id), 'utf8').catch(() => ''))
      const file = await stat(pathOf(id)).catch(() => null)
      return record !== null && file?.size === record.octets ? record : null
    },
    async commit(id, file, record) {
      await flush(file)
      await rename(file, pathOf(id))
      await saveRecord(id, record)
      await flush(directory)
    },
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path)
  await file.sync().finally(() => file.close())
}

/** Removes the unfinished files of processes that ended during a download. */
async function sweep(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter(one => one.endsWith(PART))) {
    const path = join(directory, name)
    const file = await stat(path).catch(() => null)
    if (file && Date.now() - file.mtimeMs > ABANDONED_MS) await rm(path, { force: true }).catch(() => {})
  }
}

function parseRecord(text: string): CopyRecord | null {
  try {
    const record = JSON.parse(text) as CopyRecord
    const numbers = [record.fetched_at, record.checked_at, record.entries, record.octets]
    return typeof record.url === 'string' && numbers.every(Number.isFinite) ? record : null
  } catch {
    return null
  }
}
