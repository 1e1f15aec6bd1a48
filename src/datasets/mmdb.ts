// Opens MMDB files (MaxMind DB 2.0), refusing what is none before anything asks it.
import { stat } from 'node:fs/promises'
import { open, type Reader, type Response } from 'maxmind'
import { UnusableDataset } from './unusable.ts'

export interface Mmdb {
  readonly path: string
  /** As the file says, `GeoLite2-City`. */
  readonly type: string
  /** ISO 8601 in UTC. */
  readonly built_at: string
  /** Of its search tree: how much is in it, and comparable from one edition to the next. */
  readonly nodes: number
  /** Octets, held whole. */
  readonly bytes: number
  /** The record of the longest prefix that holds the address, in the file's own layout; null when there is none. */
  lookup(address: string): unknown
}

/** Octets. The file is held in memory whole; the largest free city databases have a quarter of this. */
const largestFile = 512 * 1024 * 1024
const cachedRecords = 5_000
/** Zeros between the search tree and the data. */
const separatorOctets = 16

/** Rejects with `UnusableDataset`. */
export async function openMmdb(path: string): Promise<Mmdb> {
  const unusable = (why: string, reason = 'wrong_format') => new UnusableDataset(`${path}: ${why}`, reason)
  const file = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw unusable('no such file', 'no_file')
    throw unusable(`cannot be read (${error.code})`, 'unreadable')
  })
  if (!file.isFile()) throw unusable('is not a file')
  if (file.size > largestFile) throw unusable(`is larger than ${largestFile} octets`, 'too_large')
  const reader = await open<Response>(path, { cache: { max: cachedRecords } }).catch(() => {
    throw unusable('is not an MMDB file')
  })
  const fault = structureFault(reader, file.size)
  if (fault !== null) throw unusable(fault)
  const { databaseType, buildEpoch, ipVersion, nodeCount } = reader.metadata
  return {
    path,
    type: String(databaseType),
    built_at: buildEpoch.toISOString(),
    nodes: nodeCount,
    bytes: file.size,
    // The reader would take an IPv6 address through a tree of IPv4 and find something.
    lookup: address => (ipVersion === 4 && address.includes(':') ? null : reader.get(address)),
  }
}

/** A cut or patched file opens well enough, for its metadata stand at the end. */
function structureFault({ metadata }: Reader<Response>, size: number): string | null {
  const { binaryFormatMajorVersion, ipVersion, nodeCount, searchTreeSize, buildEpoch } = metadata
  if (binaryFormatMajorVersion !== 2) return `has format version ${binaryFormatMajorVersion}, not 2`
  if (ipVersion !== 4 && ipVersion !== 6) return 'is for no version of IP'
  if (!Number.isSafeInteger(nodeCount) || nodeCount < 1 || searchTreeSize + separatorOctets >= size)
    return 'is cut short'
  if (Number.isNaN(buildEpoch.getTime())) return 'has no date'
  return null
}
