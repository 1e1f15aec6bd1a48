// JSON as it is stored: compressed, because it shrinks to a fifth.
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Bytes of a record or of all targets of a job: several times the largest that is written. */
const UNPACKED_MAX = 16 * 1024 * 1024

export const pack = (value: unknown): Promise<Buffer> => deflate(JSON.stringify(value))

/** The text of the JSON. */
export const unpack = async (octets: Uint8Array): Promise<string> =>
  (await inflate(octets, { maxOutputLength: UNPACKED_MAX })).toString()

/** The same at once: for a record, a fifth of the CPU of handing it to another thread. */
export const unpackNow = (octets: Uint8Array): string =>
  inflateRawSync(octets, { maxOutputLength: UNPACKED_MAX }).toString()
