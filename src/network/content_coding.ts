// Undoes content codings (RFC 9110 section 8.4) as the octets stream in, and stops at a cap.
import { PassThrough, type Transform } from 'node:stream'
import { finished } from 'node:stream/promises'
import { constants, createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib'

/** `too_large` when the cap cut it, `bad_encoding` when the codings are not ours or not what the octets are. */
export type CodingFault = 'too_large' | 'bad_encoding'

export interface Decoder {
  write(chunk: Buffer): void
  /** No more input; what is still in the decoders is given out before it resolves. */
  end(): Promise<CodingFault | null>
  /** Gives up at once; frees everything. */
  destroy(): void
}

export interface DecoderOptions {
  /** Octets of output, at every stage: what is over is cut. */
  readonly max_bytes: number
  receive(chunk: Buffer): void
  /** Told once, as soon as it is known that nothing more will come out. */
  fault?(fault: CodingFault): void
}

type Stage = (first: Buffer) => Transform

/** Output a step: large enough that a page takes few steps, small enough that a bomb costs little beyond the cap. */
const chunkSize = 64 * 1024
/** What a truncated stream holds is given out instead of an error. */
const inflating = { chunkSize, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { chunkSize, finishFlush: constants.BROTLI_OPERATION_FLUSH }

/** RFC 9110 section 8.4.1.2: "deflate" is zlib, but some send the bare format; the compression method (RFC 1950 section 2.2) tells. */
const inflate: Stage = first =>
  ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(inflating) : createInflateRaw(inflating)

/** Behind its header, since the runtime's own decoder loses the page when anything but gzip follows it. */
const gunzip: Stage = () => createInflateRaw(inflating)

const stages: Readonly<Record<string, Stage>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: () => createBrotliDecompress(brotli),
}

/** Codings that are registered (RFC 9110 section 16.6.1) and not ours to undo. */
const others: ReadonlySet<string> = new Set([
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
 * The codings to undo, the last applied first; null when one is not ours, or there are more than `most`. Where a word is
 * no coding at all, such as `utf-8` or `none`, there are none: browsers show the octets as they are.
 */
export function contentCodings(fields: readonly string[], most: number): readonly string[] | null {
  const named = fields
    .join(',')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  if (!named.every(coding => isOurs(coding) || others.has(coding))) return []
  return named.length <= most && named.every(isOurs) ? named.reverse() : null
}

const isOurs = (coding: string): boolean => Object.hasOwn(stages, coding)

interface Sink {
  write(chunk: Buffer): void
  end(): Promise<void>
}

/** A decoder for the codings, in the order to undo them. Every stage has the cap: what goes in between may be a bomb too. */
export function createDecoder(codings: readonly string[], { max_bytes, receive, fault }: DecoderOptions): Decoder {
  const streams: Transform[] = []
  let found: CodingFault | null = null
  const destroy = () => {
    for (const stream of streams) stream.destroy()
  }
  const fail = (reason: CodingFault) => {
    if (found !== null) return
    found = reason
    destroy()
    fault?.(reason)
  }
  const pass = (next: (chunk: Buffer) => void) => capped(max_bytes, next, () => fail('too_large'))

  const stage = (next: Sink, coding: string): Sink => {
    let stream: Transform | undefined
    const open = (first: Buffer): Transform => {
      const opened = stages[coding]?.(first) ?? new PassThrough()
      streams.push(opened)
      return opened.on('data', pass(next.write)).on('error', () => fail('bad_encoding'))
    }
    const write = (chunk: Buffer) => {
      if (found !== null) return
      stream ??= open(chunk)
      stream.write(chunk)
    }
    return {
      write: stages[coding] === gunzip ? behindHeader(write, () => fail('bad_encoding')) : write,
      async end() {
        // What follows the compressed data is ignored, as browsers do, so the writing side may not finish.
        if (stream) await finished(stream.end(), { writable: false }).catch(() => {})
        await next.end()
      },
    }
  }

  const first = codings.reduceRight<Sink>(stage, { write: pass(receive), end: async () => {} })
  return {
    write: first.write,
    destroy,
    async end() {
      await first.end()
      destroy()
      return found
    },
  }
}

/** Passes on what follows the header of a gzip member. */
function behindHeader(next: (chunk: Buffer) => void, malformed: () => void): (chunk: Buffer) => void {
  let held: Buffer | null = Buffer.alloc(0)
  return chunk => {
    if (held === null) return next(chunk)
    held = Buffer.concat([held, chunk])
    const length = gzipHeader(held)
    if (length === 'malformed') return malformed()
    if (length === 'incomplete') return
    const data = held.subarray(length)
    held = null
    if (data.length > 0) next(data)
  }
}

/** Passes chunks on until the cap; what is over is told once. */
function capped(max: number, next: (chunk: Buffer) => void, full: () => void): (chunk: Buffer) => void {
  let left = max
  return chunk => {
    const taken = chunk.length > left ? chunk.subarray(0, left) : chunk
    left -= taken.length
    if (taken.length > 0) next(taken)
    if (taken.length < chunk.length) full()
  }
}

/** FLG.FHCRC, FEXTRA, FNAME, FCOMMENT; the other bits are reserved and must be zero. */
const flags = { hcrc: 0x02, extra: 0x04, name: 0x08, comment: 0x10, reserved: 0xe0 } as const

/** Octets of a header: names and comments of files have no place in a response. */
const longest = 8 * 1024

/** Octets before the data; `incomplete` when the header goes on, `malformed` when these octets begin none, or one too long. */
export function gzipHeader(octets: Buffer): number | 'incomplete' | 'malformed' {
  const length = headerLength(octets)
  if (length === 'malformed' || (length ?? octets.length) > longest) return 'malformed'
  return length === null || length > octets.length ? 'incomplete' : length
}

/** As far as can be told; null when not even that. */
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
