// Answers given while Redis is out, or whose count it may not have heard: on disk before they are given, counted when it is back.
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { PeriodKind } from '../store.ts'
import { StoreError } from '../store.ts'

/** A batch of answers that Redis is to count once, however often it is told. */
export interface Given {
  readonly instance: string
  readonly sequence: number
  readonly account: string
  readonly period: PeriodKind
  /** First millisecond of the period they were given in. */
  readonly start: number
  readonly count: number
}

/** Octets; far more than the answers that all known keys may be given in an outage. */
const journal_max = 64 * 1024 * 1024

export interface Journal {
  /** What an earlier process left. */
  readonly left: readonly Given[]
  /** Resolves when it is durable; rejects with a StoreError when it is not, and the answers must not be given. */
  add(given: Given): Promise<void>
  /** Redis has counted all of it. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Lines of CRC-32 and JSON. A last line that is torn was never acknowledged; any other damage is refused with a StoreError. */
export async function openJournal(path: string): Promise<Journal> {
  const { left, sound } = read(await readFile(path).catch(absent), path)
  const file = await open(path, 'a', 0o600)
  await file.truncate(sound)
  const writes = serialised()
  let size = sound
  return {
    left,
    add: given =>
      writes(async () => {
        const line = lineOf(given)
        if (size + line.length > journal_max) throw lost('the journal is full')
        await append(file, line, size)
        size += line.length
      }),
    clear: () =>
      writes(async () => {
        if (size === 0) return
        await file.truncate(0)
        size = 0
      }),
    close: () => writes(() => file.close()),
  }
}

/** What cannot be made durable is taken back, so that it is not counted for an answer that was not given. */
async function append(file: FileHandle, line: string, size: number): Promise<void> {
  try {
    await file.writeFile(line)
    await file.datasync()
  } catch (cause) {
    await file.truncate(size).catch(() => {})
    throw lost('the journal cannot be written', cause)
  }
}

function lineOf(given: Given): string {
  const text = JSON.stringify(given)
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
}

function read(bytes: Buffer, path: string): { left: Given[]; sound: number } {
  const left: Given[] = []
  let sound = 0
  while (sound < bytes.length) {
    const end = bytes.indexOf(10, sound)
    if (end === -1) break
    const line = bytes.toString('utf8', sound, end)
    const text = line.slice(9)
    if (line.slice(0, 9) !== `${crc32(text).toString(16).padStart(8, '0')} `) {
      throw new StoreError(
        'store_damaged',
        `${path} is damaged at octet ${sound}: it holds counts that are not told yet`,
      )
    }
    left.push(JSON.parse(text) as Given)
    sound = end + 1
  }
  return { left, sound }
}

function absent(fault: NodeJS.ErrnoException): Buffer {
  if (fault.code === 'ENOENT') return Buffer.alloc(0)
  throw new StoreError('store_unavailable', `cannot read the journal: ${fault.code}`, fault)
}

/** One after the other, whatever becomes of those before. */
function serialised(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

const lost = (message: string, cause?: unknown) => new StoreError('quota_store_error', message, cause)
