// Targets and records of jobs as they are stored.
import { pack, unpack } from '../../results/bulk/packed.ts'
import type { BulkRecord, InputLine } from '../../results/bulk/record.ts'

export const packTargets = (targets: readonly InputLine[]): Promise<Buffer> =>
  pack(targets.map(({ line, text }) => [line, text]))

export async function unpackTargets(octets: Uint8Array): Promise<readonly InputLine[]> {
  const lines = JSON.parse(await unpack(octets)) as readonly (readonly [number, string])[]
  return lines.map(([line, text]) => ({ line, text }))
}

export const packRecord = (record: BulkRecord): Promise<Buffer> => pack(record)

/** The record as one line of JSON. */
export const unpackRecord = unpack
