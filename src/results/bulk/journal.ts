// The results are their own journal: each result is one appended line, and an interrupted run continues after the last complete one.
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { readLines } from './lines.ts'
import { type BulkRecord, isOpen, parseRecord, recordKey } from './record.ts'

/** The file contains something else than results and was not changed. */
export class NotResults extends Error {
  override readonly name = 'NotResults'
}

/** Whether the file can be read again after writing, unlike a device or a pipe. */
export const keepsText = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? true

/** Octets of one record: a result has at most 256 KiB, the rest is for sections of plugins. */
export const RECORD_BYTES = 4 * 1024 * 1024

/** The complete records of a file in order, each with its position. Leaves out a last line without a line feed. */
export async function* readRecords(file: string): AsyncGenerator<{ record: BulkRecord; start: number; end: number }> {
  let number = 0
  for await (const { bytes, offset, ended, end } of readLines(createReadStream(file), RECORD_BYTES)) {
    number++
    if (!ended) return
    const record = parseRecord(bytes.toString('utf8'))
    if (record === null) throw new NotResults(`${file}: line ${number} is not a result`)
    yield { record, start: offset, end }
  }
}

/**
 * Opens the file for appending and repairs what an interrupted run left. Calls `onKept` with each record that stays. Rejects
 * with `NotResults` before it changes a file of another kind.
 */
export async function openJournal(file: string, onKept: (record: BulkRecord) => void = () => {}) {
  /** Keys of targets that need no further check. */
  const settledTargets = new Set<string>()
  if (existsSync(file) && keepsText(file)) await mend(file, settledTargets, onKept)
  const handle = await open(file, 'a')
  let last: Promise<void> = Promise.resolve()
  /** Lines of the write that waits for the one under way. */
  let lines: string[] = []
  return {
    settled: settledTargets,
    append(record: BulkRecord) {
      lines.push(`${JSON.stringify(record)}\n`)
      if (lines.length > 1) return last
      last = last.then(() => {
        const text = lines.join('')
        lines = []
        return handle.appendFile(text)
      })
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

/** Cuts off an incomplete last line and removes records that will be retried, so that each target has one record. */
async function mend(file: string, settledTargets: Set<string>, onKept: (record: BulkRecord) => void): Promise<void> {
  let sound = 0
  let open = 0
  for await (const { record, end } of readRecords(file)) {
    sound = end
    if (isOpen(record)) open++
    else {
      settledTargets.add(recordKey(record))
      onKept(record)
    }
  }
  if (sound === 0) await refuseOther(file)
  await truncate(file, sound)
  if (open > 0) await withoutOpen(file)
}

/** A single incomplete line may be ours. Any other content belongs to somebody else and must not be erased. */
async function refuseOther(file: string): Promise<void> {
  for await (const { bytes } of readLines(createReadStream(file), 1_024)) {
    const text = bytes.toString('utf8')
    const opening = '{"input":"'
    if (!text.startsWith(opening) && !opening.startsWith(text)) throw new NotResults(`${file}: line 1 is not a result`)
  }
}

/** Replaces the file as a whole or not at all. */
async function withoutOpen(file: string): Promise<void> {
  const compactedFile = `${file}.kept`
  await pipeline(lasting(file), createWriteStream(compactedFile))
  await rename(compactedFile, file)
}

async function* lasting(file: string): AsyncGenerator<string> {
  for await (const { record } of readRecords(file)) if (!isOpen(record)) yield `${JSON.stringify(record)}\n`
}
