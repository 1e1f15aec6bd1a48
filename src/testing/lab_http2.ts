// HTTP/2 frames as octets (RFC 9113 section 4), for servers that break the protocol: Node's own server cannot.
import type { Socket } from 'node:net'
import type { Step } from './lab_script.ts'

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rst_stream: 3,
  settings: 4,
  push_promise: 5,
  ping: 6,
  goaway: 7,
  window_update: 8,
  continuation: 9,
} as const

export const FLAG = { end_stream: 0x1, ack: 0x1, end_headers: 0x4, padded: 0x8 } as const

const END = FLAG.end_headers | FLAG.end_stream

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const uint32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4)
  octets.writeUInt32BE(value >>> 0)
  return octets
}

export const settings = (values: readonly (readonly [id: number, value: number])[] = []): Buffer =>
  frame(
    FRAME.settings,
    0,
    0,
    Buffer.concat(values.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id & 255]), uint32(value)]))),
  )

export const settingsAck = (): Buffer => frame(FRAME.settings, FLAG.ack, 0)
export const ping = (): Buffer => frame(FRAME.ping, 0, 0, Buffer.alloc(8))
export const goaway = (last: number, code: number): Buffer =>
  frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(last), uint32(code)]))
export const rstStream = (stream: number, code: number): Buffer => frame(FRAME.rst_stream, 0, stream, uint32(code))
export const windowUpdate = (stream: number, octets: number): Buffer =>
  frame(FRAME.window_update, 0, stream, uint32(octets))

/** An integer with a prefix of so many bits (RFC 7541 section 5.1); `pattern` fills the octet's other bits. */
function integer(value: number, bits: number, pattern: number): Buffer {
  const most = 2 ** bits - 1
  if (value < most) return Buffer.from([pattern | value])
  const octets = [pattern | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) octets.push((rest % 128) | 128)
  return Buffer.from([...octets, rest])
}

const text = (octets: string): Buffer => {
  const bytes = Buffer.from(octets, 'latin1')
  return Buffer.concat([integer(bytes.length, 7, 0), bytes])
}

export type LabField = readonly [name: string, value: string]

/** Literal fields that are not indexed and not compressed (RFC 7541 section 6.2.2): any octets at all. */
export const fieldBlock = (fields: readonly LabField[]): Buffer =>
  Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])))

/** A literal field that is added to the dynamic table (RFC 7541 section 6.2.1), where it has index 62. */
export const indexedField = ([name, value]: LabField): Buffer =>
  Buffer.concat([Buffer.from([0x40]), text(name), text(value)])

/** A field of the static or dynamic table (RFC 7541 section 6.1). */
export const tableField = (index: number): Buffer => integer(index, 7, 0x80)

/** A response head of any size: continued in as many frames as it needs. */
export function headers(stream: number, block: Buffer, { end = false } = {}): Buffer {
  const parts = Array.from({ length: Math.max(1, Math.ceil(block.length / MOST)) }, (_, at) =>
    block.subarray(at * MOST, (at + 1) * MOST),
  )
  return Buffer.concat(
    parts.map((part, at) => {
      const flags = (at === parts.length - 1 ? FLAG.end_headers : 0) | (at === 0 && end ? FLAG.end_stream : 0)
      return frame(at === 0 ? FRAME.headers : FRAME.continuation, flags, stream, part)
    }),
  )
}

/** Octets of a frame that every peer accepts (RFC 9113 section 4.2). */
const MOST = 16_384

export const head = (stream: number, fields: readonly LabField[] = [], status = '200'): Buffer =>
  headers(stream, fieldBlock([[':status', status], ...fields]))

export const data = (stream: number, body: string | Buffer, { end = true } = {}): Buffer =>
  frame(FRAME.data, end ? FLAG.end_stream : 0, stream, Buffer.from(body))

/** One octet of data and as much padding as fits (RFC 9113 section 6.1). */
export const paddedData = (stream: number, octet: string): Buffer =>
  frame(FRAME.data, FLAG.padded, stream, Buffer.concat([Buffer.from([255]), Buffer.from(octet), Buffer.alloc(255)]))

export const trailers = (stream: number, fields: readonly LabField[]): Buffer =>
  frame(FRAME.headers, END, stream, fieldBlock(fields))

export const pushPromise = (stream: number, promisedStream: number, fields: readonly LabField[]): Buffer =>
  frame(FRAME.push_promise, FLAG.end_headers, stream, Buffer.concat([uint32(promisedStream), fieldBlock(fields)]))

/** From now on, calls back with the stream of every request. */
export const streams =
  (answer: (stream: number, socket: Socket) => void): Step =>
  socket => {
    let buffer = Buffer.alloc(0)
    let isPrefaced = false
    socket.on('data', (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk])
      if (!isPrefaced && buffer.length < PREFACE) return
      if (!isPrefaced) buffer = buffer.subarray(PREFACE)
      isPrefaced = true
      for (let length = frameLength(buffer); buffer.length >= length; length = frameLength(buffer)) {
        const [type, stream] = [buffer.readUInt8(3), buffer.readUInt32BE(5)]
        buffer = buffer.subarray(length)
        if (type === FRAME.headers && socket.writable) answer(stream, socket)
      }
    })
  }

/** Octets of the client's connection preface before its first frame (RFC 9113 section 3.4). */
const PREFACE = 24

const frameLength = (octets: Buffer): number =>
  octets.length < 9 ? Number.POSITIVE_INFINITY : 9 + octets.readUIntBE(0, 3)
