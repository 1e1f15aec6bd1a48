// Undoes content codings (RFC 9110 section 8.4) as the octets stream in, and stops at a cap. Done here because undici's
// dispatch API does not decode, and zlib alone bounds neither the output nor stacked codings.
import { PassThrough, type Transform } from 'node:stream'
import { finished } from 'node:stream/promises'
import { constants, createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib'

/** `too_large`: the cap was reached. `bad_encoding`: a coding is not supported, or the octets do not match it. */
export type CodingFault = 'too_large' | 'bad_encoding'

export type Decoder = ReturnType<typeof createDecoder>

export interface DecoderOptions {
  /** Octets of output at every stage; more is cut. */
  readonly max_bytes: number
  receive(chunk: Buffer): void
  /** Called once, as soon as no more output will come. */
  fault?(fault: CodingFault): void
}

type Stage = (first: Buffer) => Transform

/**
 * Octets of output per step: large enough that a page takes few steps, small enough that a bomb costs little beyond the
 * cap.
 */
const CHUNK_BYTES = 64 * 1024
/** A truncated stream yields what it holds instead of an error. */
const inflating = { chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { chunkSize: CHUNK_BYTES, finishFlush: constants.BROTLI_OPERATION_FLUSH }

/**
 * "deflate" is zlib (RFC 9110 section 8.4.1.2), but some servers send raw deflate; the compression method (RFC 1950
 * section 2.2) tells which.
 */
const inflate: Stage = first =>
  ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(inflating) : createInflateRaw(inflating)

/** Raw inflate after the gzip header: Node's own decoder loses the page when trailing data is not gzip. */
const gunzip: Stage = () => createInflateRaw(inflating)

const stages: Readonly<Record<string, Stage>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: () => createBrotliDecompress(brotli),
}

/** Registered codings (RFC 9110 section 16.6.1) that are not supported. */
const UNSUPPORTED_CODINGS: ReadonlySet<string> = new Set([
  'aes128gcm',
  'compress',
  'dcb',
  'dcz',
  'exi',
  'pack200-gzip',
  'x-compress',
  'zstd',
])

/**
 * The codings to undo, the last applied first; null when one is not supported, or there are more than `max`. When a
 * word is not a coding at all, such as `utf-8` or `none`, the list is empty: browsers then show the octets as they are.
 */
export function contentCodings(fields: readonly string[], max: number): readonly string[] | null {
  const codings = fields
    .join(',')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  if (!codings.every(coding => isSupported(coding) || UNSUPPORTED_CODINGS.has(coding))) return []
  return codings.length <= max && codings.every(isSupported) ? codings.reverse() : null
}

const isSupported = (coding: string): boolean => Object.hasOwn(stages, coding)

interface Sink {
  write(chunk: Buffer): void
  end(): Promise<void>
}

/**
 * A decoder for the codings, in the order to undo them. Every stage has the cap, because intermediate output may be a
 * bomb too.
 */
export function createDecoder(codings: readonly string[], { max_bytes, receive, fault }: DecoderOptions) {
  const streams: Transform[] = []
  let isPaused = false
  let foundFault: CodingFault | null = null
  /** Stops at once and frees everything. */
  const destroy = () => {
    for (const stream of streams) stream.destroy()
  }
  const fail = (reason: CodingFault) => {
    if (foundFault !== null) return
    foundFault = reason
    destroy()
    fault?.(reason)
  }
  const pass = (next: (chunk: Buffer) => void) => limitOctets(max_bytes, next, () => fail('too_large'))

  const stage = (next: Sink, coding: string): Sink => {
    let stream: Transform | undefined
    const open = (first: Buffer): Transform => {
      const stage = stages[coding]?.(first) ?? new PassThrough()
      streams.push(stage)
      stage.on('data', pass(next.write)).on('error', () => fail('bad_encoding'))
      return isPaused ? stage.pause() : stage
    }
    const write = (chunk: Buffer) => {
      if (foundFault !== null) return
      stream ??= open(chunk)
      stream.write(chunk)
    }
    return {
      write: stages[coding] === gunzip ? behindHeader(write, () => fail('bad_encoding')) : write,
      async end() {
        // Data after the compressed stream is ignored, as browsers do, so the writing side may not finish.
        if (stream) await finished(stream.end(), { writable: false }).catch(() => {})
        await next.end()
      },
    }
  }

  const first = codings.reduceRight<Sink>(stage, { write: pass(receive), end: async () => {} })
  return {
    write: first.write,
    destroy,
    /** Decodes no further; one chunk may still come. Input that is written is held as it is. */
    pause() {
      isPaused = true
      for (const stream of streams) stream.pause()
    },
    resume() {
      isPaused = false
      for (const stream of streams) stream.resume()
    },
    /** Ends the input. Resolves after the decoders have been flushed, which they are not while paused. */
    async end() {
      await first.end()
      destroy()
      return foundFault
    },
  }
}

/** Passes on the data after the header of a gzip member. */
function behindHeader(next: (chunk: Buffer) => void, onMalformed: () => void): (chunk: Buffer) => void {
  let pendingHeader: Buffer | null = Buffer.alloc(0)
  return chunk => {
    if (pendingHeader === null) return next(chunk)
    pendingHeader = Buffer.concat([pendingHeader, chunk])
    const length = gzipHeader(pendingHeader)
    if (length === 'malformed') return onMalformed()
    if (length === 'incomplete') return
    const data = pendingHeader.subarray(length)
    pendingHeader = null
    if (data.length > 0) next(data)
  }
}

/** Passes chunks on up to the cap, and calls `full` for the first octet beyond it. */
function limitOctets(max: number, next: (chunk: Buffer) => void, full: () => void): (chunk: Buffer) => void {
  let roomLeft = max
  return chunk => {
    const part = chunk.length > roomLeft ? chunk.subarray(0, roomLeft) : chunk
    roomLeft -= part.length
    if (part.length > 0) next(part)
    if (part.length < chunk.length) full()
  }
}

/** Bits of FLG (RFC 1952 section 2.3.1); the reserved bits must be zero. */
const flags = { hcrc: 0x02, extra: 0x04, name: 0x08, comment: 0x10, reserved: 0xe0 } as const

/** Maximum octets of a gzip header: a response needs no file name or comment. */
const MAX_HEADER_BYTES = 8 * 1024

/**
 * The length of the header of a gzip member (RFC 1952 section 2.3); `incomplete` when it continues, `malformed` when it
 * is invalid or too long.
 */
export function gzipHeader(octets: Buffer): number | 'incomplete' | 'malformed' {
  const length = headerLength(octets)
  if (length === 'malformed' || (length ?? octets.length) > MAX_HEADER_BYTES) return 'malformed'
  return length === null || length > octets.length ? 'incomplete' : length
}

/** The length as far as it is known from these octets; null when it is not. */
function headerLength(octets: Buffer): number | 'malformed' | null {
  const [first = 0x1f, second = 0x8b, method = 8, flag = 0] = octets
  if (first !== 0x1f || second !== 0x8b || method !== 8 || (flag & flags.reserved) !== 0) return 'malformed'
  let at = 10
  if (flag & flags.extra) {
    if (octets.length < at + 2) return null
    at += 2 + octets.readUInt16LE(at)
  }
  for (const text of [flags.name, flags.comment]) {
    const end = flag & text ? octets.indexOf(0, at) : at - 1
    if (end === -1) return null
    at = end + 1
  }
  return flag & flags.hcrc ? at + 2 : at
}
