// Opens MMDB files (MaxMind DB 2.0), refusing what is none before anything asks it.
import { stat } from 'node:fs/promises'
import { open, type Reader, type Response } from 'maxmind'

export interface Mmdb {
  readonly path: string
  /** As the file says, `GeoLite2-City`. */
  readonly type: string
  /** ISO 8601 in UTC. */
  readonly built_at: string
  /** The record of the longest prefix that holds the address, in the file's own layout; null when there is none. */
  lookup(address: string): unknown
}

/** The file cannot be used; the message names it and says why. */
export class UnusableDataset extends Error {
  override readonly name = 'UnusableDataset'
}

/** Octets. The file is held in memory whole; the largest free city databases have a quarter of this. */
const largestFile = 512 * 1024 * 1024
const cachedRecords = 5_000
/** Zeros between the search tree and the data. */
const separatorOctets = 16

/** Rejects with `UnusableDataset`. */
export async function openMmdb(path: string): Promise<Mmdb> {
  const unusable = (reason: string) => new UnusableDataset(`${path}: ${reason}`)
  const file = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unusable(error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`)
  })
  if (!file.isFile()) throw unusable('is not a file')
  if (file.size > largestFile) throw unusable(`is larger than ${largestFile} octets`)
  const reader = await open<Response>(path, { cache: { max: cachedRecords } }).catch(() => {
    throw unusable('is not an MMDB file')
  })
  const fault = structureFault(reader, file.size)
  if (fault !== null) throw unusable(fault)
  const { databaseType, buildEpoch, ipVersion } = reader.metadata
  return {
    path,
    type: String(databaseType),
    built_at: buildEpoch.toISOString(),
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

/** Which files to open, as the configuration names them; one that has everything may stand in both places. */
export interface GeoPaths {
  readonly city: string | null
  readonly asn: string | null
}

export interface GeoDatasets {
  readonly databases: readonly Pick<Mmdb, 'lookup'>[]
  /** What an operator should read once at start. */
  readonly notices: readonly string[]
}

/** Rejects with `UnusableDataset`, whose message names every file that cannot be used. */
export async function openGeo({ city, asn }: GeoPaths): Promise<GeoDatasets> {
  const paths = [...new Set([city, asn])].filter(path => path !== null)
  const opened = await Promise.allSettled(paths.map(openMmdb))
  const faults = opened.flatMap(result => (result.status === 'rejected' ? [String(result.reason.message)] : []))
  if (faults.length > 0) throw new UnusableDataset(faults.join('\n'))
  const databases = opened.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  return { databases, notices: geoNotices({ city, asn }) }
}

function geoNotices({ city, asn }: GeoPaths): string[] {
  if (city === null && asn === null) return ['no dataset in datasets.city or datasets.asn: geo_location is unavailable']
  return [
    ...(city === null ? ['no dataset in datasets.city: geo_location may not know places'] : []),
    ...(asn === null ? ['no dataset in datasets.asn: geo_location may not know networks'] : []),
  ]
}
