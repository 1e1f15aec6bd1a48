// Targets and records as they are stored: compressed, because JSON shrinks to a fifth.
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { BulkRecord, InputLine } from '../bulk/record.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Bytes of a record or of all targets: several times the largest that is written. */
const UNPACKED_MAX = 16 * 1024 * 1024

export const packTargets = (targets: readonly InputLine[]): Promise<Buffer> =>
  deflate(JSON.stringify(targets.map(({ line, text }) => [line, text])))

export async function unpackTargets(packed: Uint8Array): Promise<readonly InputLine[]> {
  const lines = JSON.parse(await unpackRecord(packed)) as readonly (readonly [number, string])[]
  return lines.map(([line, text]) => ({ line, text }))
}

export const packRecord = (record: BulkRecord): Promise<Buffer> => deflate(JSON.stringify(record))

/** The record as one line of JSON. */
export const unpackRecord = async (packed: Uint8Array): Promise<string> =>
  (await inflate(packed, { maxOutputLength: UNPACKED_MAX })).toString()
