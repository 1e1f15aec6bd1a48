// Answers that were given while Redis was down, or whose count it may have missed: written to disk before they are given,
// and counted when Redis is back. Instances may share a data directory, so each locks a directory of its own in it.
import { existsSync, readdirSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeDirectory } from '../../files.ts'
import { isServed, lockDirectory, whyUnusable } from '../embedded/file.ts'
import type { PeriodKind } from '../quota_rule.ts'
import { StoreError } from '../store.ts'

/** A batch of answers that Redis must count once, however often it is reported. */
export interface Given {
  readonly instance: string
  readonly sequence: number
  readonly account: string
  /** Of the plan at the time. Redis remembers under this period that the batch is counted. */
  readonly period: PeriodKind
  /** First millisecond of that period. */
  readonly start: number
  readonly count: number
  /** When they were given, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** Bytes; far more than the answers that all known keys may be given in an outage. */
const journal_max = 64 * 1024 * 1024

export interface Journal {
  /** Entries of earlier processes. */
  readonly left: readonly Given[]
  /** Resolves when the entry is durable. Rejects with a StoreError if it is not: the answers must not be given. */
  add(given: Given): Promise<void>
  /** Whether the last entry could not be written. */
  readonly failing: boolean
  /** Redis has counted every entry. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Instances on one data directory. More would be a mistake. */
const instances_max = 64
const directory_form = /^instance-\d{1,2}$/

interface InstanceDirectory {
  readonly directory: string
  release(): void
}

/** Opens the journal of this process together with those of processes that have ended. Rejects with a StoreError. */
export async function openJournals(data: string): Promise<Journal> {
  const own = firstFree(data)
  const others = readdirSync(data).filter(name => directory_form.test(name) && join(data, name) !== own.directory)
  const orphans = others.flatMap(name => tryLock(join(data, name)) ?? [])
  const journal = await openJournal(join(own.directory, 'journal'))
  const left = await Promise.all(orphans.map(({ directory }) => openJournal(join(directory, 'journal'))))
  const all = [journal, ...left]
  return {
    add: journal.add,
    get failing() {
      return journal.failing
    },
    left: all.flatMap(({ left }) => left),
    // All entries are counted together, or stay for the next start.
    clear: async () => void (await Promise.all(all.map(one => one.clear()))),
    async close() {
      await Promise.all(all.map(one => one.close()))
      for (const { release } of [own, ...orphans]) release()
    },
  }
}

/** Whether a service with a store in Redis runs on the data directory. Changes nothing. */
export const isInstanceRunning = (data: string): boolean =>
  existsSync(data) && readdirSync(data).some(name => directory_form.test(name) && isServed(join(data, name)))

function firstFree(data: string): InstanceDirectory {
  for (let n = 0; n < instances_max; n++) {
    const free = tryLock(join(data, `instance-${n}`))
    if (free !== null) return free
  }
  throw new StoreError('store_in_use', `${instances_max} processes already serve from ${data}`)
}

function tryLock(directory: string): InstanceDirectory | null {
  try {
    makeDirectory(directory, 0o700)
  } catch (cause) {
    throw new StoreError('store_unavailable', `cannot use ${directory} for data: ${whyUnusable(cause)}`, cause)
  }
  try {
    return { directory, ...lockDirectory(directory) }
  } catch (fault) {
    if (fault instanceof StoreError && fault.code === 'store_in_use') return null
    throw fault
  }
}

/** Each line is a CRC-32 and JSON. A torn last line was never acknowledged; any other damage is refused with a StoreError. */
export async function openJournal(path: string): Promise<Journal> {
  const { left, sound } = read(await readFile(path).catch(absent), path)
  const file = await open(path, 'a', 0o600)
  await file.truncate(sound)
  const inOrder = serialised()
  let size = sound
  let failing = false
  return {
    left,
    get failing() {
      return failing
    },
    add: given =>
      inOrder(async () => {
        const line = lineOf(given)
        failing = size + line.length > journal_max
        if (failing) throw failed('the journal is full')
        await append(file, line, size).catch(fault => {
          failing = true
          throw fault
        })
        size += line.length
      }),
    clear: () =>
      inOrder(async () => {
        if (size === 0) return
        await file.truncate(0)
        size = 0
      }),
    close: () => inOrder(() => file.close()),
  }
}

/** A line that is not durable is removed, so that it is not counted for an answer that was not given. */
async function append(file: FileHandle, line: string, size: number): Promise<void> {
  try {
    await file.writeFile(line)
    await file.datasync()
  } catch (cause) {
    await file.truncate(size).catch(() => {})
    throw failed('the journal cannot be written', cause)
  }
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')

function lineOf(given: Given): string {
  const text = JSON.stringify(given)
  return `${checksum(text)} ${text}\n`
}

function read(bytes: Buffer, path: string): { left: Given[]; sound: number } {
  const left: Given[] = []
  let sound = 0
  while (sound < bytes.length) {
    const end = bytes.indexOf(10, sound)
    if (end === -1) break
    const line = bytes.toString('utf8', sound, end)
    const text = line.slice(9)
    if (line.slice(0, 9) !== `${checksum(text)} `) {
      const message = `${path} is damaged at byte ${sound}: it holds answers that Redis has not counted`
      throw new StoreError('store_damaged', message)
    }
    const given = JSON.parse(text) as Omit<Given, 'at'> & Partial<Given>
    // Earlier releases wrote the period without the time.
    left.push({ at: given.start, ...given })
    sound = end + 1
  }
  return { left, sound }
}

function absent(fault: NodeJS.ErrnoException): Buffer {
  if (fault.code === 'ENOENT') return Buffer.alloc(0)
  throw new StoreError('store_unavailable', `cannot read the journal: ${fault.code}`, fault)
}

/** Runs one piece of work after the other, whether or not the earlier ones fail. */
function serialised(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

const failed = (message: string, cause?: unknown) => new StoreError('quota_store_error', message, cause)
