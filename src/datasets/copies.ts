// Last good copies on disk: one file a dataset and a record beside it, each replaced as a whole or not at all.
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What is known of a copy. */
export interface CopyRecord {
  readonly url: string
  readonly etag: string | null
  /** As the server wrote it. */
  readonly last_modified: string | null
  /** Milliseconds since the Unix epoch: when it was fetched, and when its publisher last confirmed it. */
  readonly fetched_at: number
  readonly checked_at: number
  readonly entries: number
  /** Of the file: a record that does not fit its file is not believed. */
  readonly octets: number
}

export interface Copies {
  pathOf(id: string): string
  /** Null when there is no copy that can be believed. */
  read(id: string): Promise<CopyRecord | null>
  /** A name in the same directory, so that it can be renamed. */
  temporary(id: string): Promise<string>
  /** Puts a complete file in the copy's place. */
  commit(id: string, file: string, record: CopyRecord): Promise<void>
  note(id: string, record: CopyRecord): Promise<void>
}

/** Milliseconds after which an unfinished file is nobody's any more. */
const ABANDONED_MS = 3_600_000
const PART = '.part'

export function openCopies(directory: string): Copies {
  const pathOf = (id: string) => join(directory, `${id}.data`)
  const recordOf = (id: string) => join(directory, `${id}.json`)
  let unique = 0
  const temporary = async (id: string) => {
    await mkdir(directory, { recursive: true })
    return join(directory, `${id}.${process.pid}-${++unique}${PART}`)
  }
  const note = async (id: string, record: CopyRecord) => {
    const part = await temporary(id)
    await writeFile(part, `${JSON.stringify(record)}\n`, { flush: true })
    await rename(part, recordOf(id))
  }
  const swept = sweep(directory)
  return {
    pathOf,
    temporary,
    note,
    async read(id) {
      await swept
      const record = parseRecord(await readFile(recordOf(id), 'utf8').catch(() => ''))
      const file = await stat(pathOf(id)).catch(() => null)
      return record !== null && file?.size === record.octets ? record : null
    },
    async commit(id, file, record) {
      await flushed(file)
      await rename(file, pathOf(id))
      await note(id, record)
      await flushed(directory)
    },
  }
}

async function flushed(path: string): Promise<void> {
  const file = await open(path)
  await file.sync().finally(() => file.close())
}

/** Removes what a process left that ended in the middle of a download. */
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
