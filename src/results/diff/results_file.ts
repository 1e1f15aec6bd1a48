// A file of results, read by target: one result as JSON, an array of results, or one result per line.
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { RECORD_BYTES } from '../bulk/journal.ts'
import { readLines } from '../bulk/lines.ts'
import type { Result } from './known.ts'

export interface ResultsFile {
  /** Targets in the order of the file. If a target occurs twice, its last result counts. */
  readonly targets: readonly string[]
  read(target: string): Promise<Result | null>
  close(): Promise<void>
}

/** The file holds no results. */
export class NotAResult extends Error {
  override readonly name = 'NotAResult'
}

export const targetOf = ({ domain, ip, url }: Result): string => String(url ?? domain ?? ip)

const isResult = (value: unknown): value is Result => {
  const { verdict, coverage } = (value ?? {}) as Result
  return typeof verdict === 'string' && coverage !== null && typeof coverage === 'object'
}

/** A line of bulk results for a target without a result. */
const isFailure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'error' in value && 'input' in value

interface ByteRange {
  readonly start: number
  readonly length: number
}

/** For a file with one result per line, only the offsets are held in memory. Rejects with `NotAResult`. */
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

/** A source that can be read more than once. */
interface Octets {
  all(): AsyncIterable<Buffer>
  at(place: ByteRange): Promise<Buffer>
  close(): Promise<void>
}

const onDisk = (file: string, handle: FileHandle): Octets => ({
  all: () => createReadStream(file),
  at: async ({ start, length }) => (await handle.read(Buffer.alloc(length), 0, length, start)).buffer,
  close: () => handle.close(),
})

/** A pipe can be read only once, so its content is kept. */
const inMemory = (octets: Buffer): Octets => ({
  async *all() {
    yield octets
  },
  at: async ({ start, length }) => octets.subarray(start, start + length),
  close: async () => {},
})

/** Null when the first line is not a complete JSON value; the file as a whole may be one. */
async function placesIn(file: string, octets: AsyncIterable<Buffer>): Promise<Map<string, ByteRange> | null> {
  const places = new Map<string, ByteRange>()
  let number = 0
  for await (const { bytes, offset, ended } of readLines(octets, RECORD_BYTES)) {
    number++
    const value = parseJson(bytes.toString('utf8'))
    if (isResult(value)) places.set(targetOf(value), { start: offset, length: bytes.length })
    else if (number === 1 && (value === undefined || Array.isArray(value))) return null
    else if (!isFailure(value) && (ended ? bytes.length > 0 : value !== undefined)) {
      // A last line without a line end may be incomplete, but not if it is valid JSON.
      throw new NotAResult(`${file}: line ${number} is not a check result`)
    }
  }
  return places
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function resultsIn(file: string, text: string): ResultsFile {
  const value = parseJson(text)
  const all = (Array.isArray(value) ? value : [value]) as readonly unknown[]
  if (!all.every(isResult)) throw new NotAResult(`${file}: is not a check result or an array of check results`)
  const results = new Map(all.map(result => [targetOf(result), result]))
  return { targets: [...results.keys()], read: async target => results.get(target) ?? null, close: async () => {} }
}
