// Results kept in a file, found by target: one result as JSON, several in an array, or one a line, however many.
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { RECORD_BYTES } from '../bulk/journal.ts'
import { readLines } from '../bulk/lines.ts'
import type { Result } from './known.ts'

export interface ResultsFile {
  /** Targets in the order of the file; a target that is there twice counts with its last result. */
  readonly targets: readonly string[]
  read(target: string): Promise<Result | null>
  close(): Promise<void>
}

/** The file holds no results. */
export class NotAResult extends Error {
  override readonly name = 'NotAResult'
}

export const targetOf = ({ domain, ip }: Result): string => String(domain ?? ip)

const isResult = (value: unknown): value is Result => {
  const { verdict, coverage } = (value ?? {}) as Result
  return typeof verdict === 'string' && coverage !== null && typeof coverage === 'object'
}

/** What a line of bulk results says of a target that has no result. */
const isFailure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'error' in value && 'input' in value

interface Place {
  readonly start: number
  readonly length: number
}

/** Keeps no results in memory but where they stand, when a file has one a line. Rejects with `NotAResult`. */
export async function openResults(file: string): Promise<ResultsFile> {
  const octets = (await stat(file)).isFile() ? onDisk(file, await open(file)) : inMemory(await readFile(file))
  try {
    const places = await placesIn(file, octets.all())
    if (places === null) {
      const all = resultsIn(file, await text(octets.all()))
      await octets.close()
      return all
    }
    return {
      targets: [...places.keys()],
      async read(target) {
        const place = places.get(target)
        return place === undefined ? null : (JSON.parse((await octets.at(place)).toString('utf8')) as Result)
      },
      close: octets.close,
    }
  } catch (error) {
    await octets.close()
    throw error
  }
}

/** Read more than once. */
interface Octets {
  all(): AsyncIterable<Buffer>
  at(place: Place): Promise<Buffer>
  close(): Promise<void>
}

const onDisk = (file: string, handle: FileHandle): Octets => ({
  all: () => createReadStream(file),
  at: async ({ start, length }) => (await handle.read(Buffer.alloc(length), 0, length, start)).buffer,
  close: () => handle.close(),
})

/** What a pipe gave is not there a second time. */
const inMemory = (octets: Buffer): Octets => ({
  async *all() {
    yield octets
  },
  at: async ({ start, length }) => octets.subarray(start, start + length),
  close: async () => {},
})

/** Null when the first line is no JSON value of its own: then the file as a whole may be. */
async function placesIn(file: string, octets: AsyncIterable<Buffer>): Promise<Map<string, Place> | null> {
  const places = new Map<string, Place>()
  let number = 0
  for await (const { bytes, offset, ended } of readLines(octets, RECORD_BYTES)) {
    number++
    const value = parsed(bytes.toString('utf8'))
    if (isResult(value)) places.set(targetOf(value), { start: offset, length: bytes.length })
    else if (number === 1 && (value === undefined || Array.isArray(value))) return null
    else if (!isFailure(value) && (ended ? bytes.length > 0 : value !== undefined)) {
      // A last line without its end may be torn off; what is JSON is whole.
      throw new NotAResult(`${file}: line ${number} is no result of a check`)
    }
  }
  return places
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function resultsIn(file: string, text: string): ResultsFile {
  const value = parsed(text)
  const all = (Array.isArray(value) ? value : [value]) as readonly unknown[]
  if (!all.every(isResult)) throw new NotAResult(`${file}: is no result of a check, nor several`)
  const results = new Map(all.map(result => [targetOf(result), result]))
  return { targets: [...results.keys()], read: async target => results.get(target) ?? null, close: async () => {} }
}
