// The results are their own journal: each is one appended line, and a run that was cut off goes on after the last whole one.
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { readLines } from './lines.ts'
import { type BulkRecord, isOpen, parseRecord, recordKey } from './record.ts'

export interface Journal {
  /** Keys of what is settled, and needs no other check. */
  readonly settled: ReadonlySet<string>
  append(record: BulkRecord): Promise<void>
  close(): Promise<void>
}

/** The file is not one of results; nothing of it was changed. */
export class NotResults extends Error {
  override readonly name = 'NotResults'
}

/** Whether what is written there can be read again: a device or a pipe has no past. */
export const keepsText = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? true

/** Octets of one record: a result has at most 256 KiB, the rest is for sections of plugins. */
export const RECORD_BYTES = 4 * 1024 * 1024

/** Whole records of a file, in order, each with its place. A last line without its end is left out. */
export async function* readRecords(file: string): AsyncGenerator<{ record: BulkRecord; start: number; end: number }> {
  let number = 0
  for await (const { bytes, offset, ended, end } of readLines(createReadStream(file), RECORD_BYTES)) {
    number++
    if (!ended) return
    const record = parseRecord(bytes.toString('utf8'))
    if (record === null) throw new NotResults(`${file}: line ${number} is no result`)
    yield { record, start: offset, end }
  }
}

/**
 * Opens for appending, mends what an earlier run left. `told` gets each record that stays. Rejects with `NotResults`
 * before it changes a file of another kind.
 */
export async function openJournal(file: string, told: (record: BulkRecord) => void = () => {}): Promise<Journal> {
  const settled = new Set<string>()
  if (existsSync(file) && keepsText(file)) await mend(file, settled, told)
  const handle = await open(file, 'a')
  let last: Promise<void> = Promise.resolve()
  return {
    settled,
    append(record) {
      const line = `${JSON.stringify(record)}\n`
      last = last.then(() => handle.appendFile(line))
      return last
    },
    close: () => finish(handle, last),
  }
}

async function finish(handle: FileHandle, last: Promise<void>): Promise<void> {
  try {
    await last
    if ((await handle.stat()).isFile()) await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A torn end is cut off; records of what is to be tried again are taken out, so that a name has one record. */
async function mend(file: string, settled: Set<string>, told: (record: BulkRecord) => void): Promise<void> {
  let sound = 0
  let open = 0
  for await (const { record, end } of readRecords(file)) {
    sound = end
    if (isOpen(record)) open++
    else {
      settled.add(recordKey(record))
      told(record)
    }
  }
  if (sound === 0) await refuseOther(file)
  await truncate(file, sound)
  if (open > 0) await withoutOpen(file)
}

/** An only line without an end may be ours, torn; else it is somebody's file, not to be emptied. */
async function refuseOther(file: string): Promise<void> {
  for await (const { bytes } of readLines(createReadStream(file), 1_024)) {
    const text = bytes.toString('utf8')
    const opening = '{"input":"'
    if (!text.startsWith(opening) && !opening.startsWith(text)) throw new NotResults(`${file}: line 1 is no result`)
  }
}

/** Whole or not at all, also when it is cut off. */
async function withoutOpen(file: string): Promise<void> {
  const kept = `${file}.kept`
  await pipeline(lasting(file), createWriteStream(kept))
  await rename(kept, file)
}

async function* lasting(file: string): AsyncGenerator<string> {
  for await (const { record } of readRecords(file)) if (!isOpen(record)) yield `${JSON.stringify(record)}\n`
}
