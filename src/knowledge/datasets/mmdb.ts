// Opens MMDB files (MaxMind DB 2.0) and rejects other files before the first look-up.
import { stat } from 'node:fs/promises'
import { open, type Reader, type Response } from 'maxmind'
import { UnusableDataset } from './dataset.ts'

export type Mmdb = Awaited<ReturnType<typeof openMmdb>>

/** Octets. The whole file is kept in memory; the largest free city databases take a quarter of this. */
const MAX_FILE_BYTES = 512 * 1024 * 1024
const CACHED_RECORDS = 5_000
/** Zero octets between the search tree and the data. */
const SEPARATOR_BYTES = 16

/** Rejects with `UnusableDataset`. */
export async function openMmdb(path: string) {
  const unusable = (why: string, reason = 'wrong_format') => new UnusableDataset(`${path}: ${why}`, reason)
  const file = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw unusable('no such file', 'no_file')
    throw unusable(`cannot be read (${error.code})`, 'unreadable')
  })
  if (!file.isFile()) throw unusable('is not a file')
  if (file.size > MAX_FILE_BYTES) throw unusable(`is larger than ${MAX_FILE_BYTES} octets`, 'too_large')
  const reader = await open<Response>(path, { cache: { max: CACHED_RECORDS } }).catch(() => {
    throw unusable('is not an MMDB file')
  })
  const fault = structureFault(reader, file.size)
  if (fault !== null) throw unusable(fault)
  const { databaseType, buildEpoch, ipVersion, nodeCount } = reader.metadata
  return {
    path,
    /** As the file states it, such as `GeoLite2-City`. */
    type: String(databaseType),
    /** ISO 8601 in UTC. */
    built_at: buildEpoch.toISOString(),
    /** Nodes of the search tree: comparable from one edition to the next. */
    nodes: nodeCount,
    /**
     * The record of the longest prefix that contains the address, in the layout of the file; null if no prefix contains it. The reader
     * would look an IPv6 address up in an IPv4 tree and find something.
     */
    lookup: (address: string): unknown => (ipVersion === 4 && address.includes(':') ? null : reader.get(address)),
  }
}

/** A truncated or patched file still opens, because its metadata are at the end. */
function structureFault({ metadata }: Reader<Response>, size: number): string | null {
  const { binaryFormatMajorVersion, ipVersion, nodeCount, searchTreeSize, buildEpoch } = metadata
  if (binaryFormatMajorVersion !== 2) return `has format version ${binaryFormatMajorVersion}, not 2`
  if (ipVersion !== 4 && ipVersion !== 6) return 'has an invalid IP version'
  if (!Number.isSafeInteger(nodeCount) || nodeCount < 1 || searchTreeSize + SEPARATOR_BYTES >= size)
    return 'is truncated'
  if (Number.isNaN(buildEpoch.getTime())) return 'has no build date'
  return null
}
