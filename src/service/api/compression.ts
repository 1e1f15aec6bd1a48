// Compressed answers (RFC 9110 section 8.4). @koa/compress does not fit: it replaces `ctx.body`, which handlers here do not use, and
// compresses a cached result again for each answer.
//
// A result that is cached is compressed once, without the members that differ by answer. These are appended uncompressed, which both
// formats allow: 60 octets that cost no work.
import {
  type BrotliOptions,
  brotliCompressSync,
  constants,
  crc32,
  deflateRawSync,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib'
import Negotiator from 'negotiator'

export type Coding = 'br' | 'gzip'

/** Octets below which an answer fits one packet in any case. */
export const LEAST_OCTETS = 1_024

/** Some 0.3 ms for a result of 20 KB, which become 4 KB. The highest levels take ten times as long for a tenth less. */
const GZIP: ZlibOptions = { level: 6 }
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Headers of common clients, which need no parsing. */
const USUAL: Readonly<Record<string, Coding | null>> = {
  '': null,
  identity: null,
  gzip: 'gzip',
  br: 'br',
  'gzip, deflate': 'gzip',
  'br, gzip, deflate': 'br',
  'gzip, deflate, br': 'br',
  'deflate, gzip, br, zstd': 'br',
  'gzip, deflate, br, zstd': 'br',
}

/** Longest header that is parsed, in characters; a longer one is ignored. */
const HEADER_LENGTH = 256

/** What its types do not say. */
interface Preferring {
  encoding(available: string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/** The coding that a client prefers; Brotli where it has no preference. Null when it takes none. */
export function codingOf(acceptEncoding: string | undefined = ''): Coding | null {
  const usual = Object.hasOwn(USUAL, acceptEncoding) ? USUAL[acceptEncoding] : undefined
  if (usual !== undefined) return usual
  if (acceptEncoding.length > HEADER_LENGTH) return null
  const codings = ['br', 'gzip', 'identity']
  const negotiator: Preferring = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const coding = negotiator.encoding(codings, { preferred: codings })
  return coding === 'br' || coding === 'gzip' ? coding : null
}

export const compressBody = (body: Buffer, coding: Coding): Buffer =>
  coding === 'gzip' ? gzipSync(body, GZIP) : brotliCompressSync(body, BROTLI)

const wholes: Readonly<Record<Coding, WeakMap<Buffer, Buffer>>> = { br: new WeakMap(), gzip: new WeakMap() }

/** The same of a body that is answered again and again: compressed once. */
export function compressedOnce(body: Buffer, coding: Coding): Buffer {
  const whole = wholes[coding].get(body) ?? compressBody(body, coding)
  wholes[coding].set(body, whole)
  return whole
}

/** The beginning of a body, compressed up to the boundary of an octet, so that more can follow. */
type Beginning = ReturnType<typeof beginningOf>

/** The beginnings of bodies that are answered again and again, as long as these live. */
const beginnings: Readonly<Record<Coding, WeakMap<Buffer, Beginning>>> = { br: new WeakMap(), gzip: new WeakMap() }

/**
 * The compressed body of `{`, `members`, and `own`, which is short. What was made of `members` is kept for the next answer when they are
 * `isKept` themselves.
 */
export function compressedResult(members: Buffer, own: string, coding: Coding, isKept: boolean): Buffer {
  const cachedBeginning = beginnings[coding].get(members)
  const beginning = cachedBeginning ?? beginningOf(members, coding)
  if (isKept && cachedBeginning === undefined) beginnings[coding].set(members, beginning)
  return coding === 'gzip' ? endGzip(beginning, Buffer.from(own)) : endBrotli(beginning, Buffer.from(own))
}

const BRACE = Buffer.from('{')

function beginningOf(members: Buffer, coding: Coding) {
  const text = Buffer.concat([BRACE, members])
  const octets =
    coding === 'gzip'
      ? deflateRawSync(text, { ...GZIP, finishFlush: constants.Z_FULL_FLUSH })
      : brotliCompressSync(text, { ...BROTLI, finishFlush: constants.BROTLI_OPERATION_FLUSH })
  return { octets, length: text.length, crc: coding === 'gzip' ? crc32(text) : 0 }
}

/** RFC 1952 section 2.3: deflate, no flags, no time, no operating system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

/** Ends with a stored block (RFC 1951 section 3.2.4), the last one, and the trailer. */
function endGzip({ octets, length, crc }: Beginning, own: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt8(1, 0)
  header.writeUInt16LE(own.length, 1)
  header.writeUInt16LE(~own.length & 0xffff, 3)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(own, crc), 0)
  trailer.writeUInt32LE(length + own.length, 4)
  return Buffer.concat([GZIP_HEADER, octets, header, own, trailer])
}

/** Ends with an uncompressed meta-block and an empty one, the last (RFC 7932 section 9.2). */
function endBrotli({ octets }: Beginning, own: Buffer): Buffer {
  const header = Buffer.alloc(3)
  header.writeUIntLE(((own.length - 1) << 3) | (1 << 19), 0, 3)
  return Buffer.concat([octets, header, own, Buffer.from([3])])
}
