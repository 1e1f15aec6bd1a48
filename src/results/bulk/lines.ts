// Lines of a stream, one at a time and of bounded length, each with its position; and the lines of the input that name targets.
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { INPUT_LINE_BYTES, type InputLine } from './record.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

export interface Line {
  /** Octets before it in the stream. */
  readonly offset: number
  /** Without the line ending; cut at `max_bytes`. */
  readonly bytes: Buffer
  /** The line was longer than `bytes`. */
  readonly cut: boolean
  /** Whether a line feed ends it; false for a last line that may be incomplete. */
  readonly ended: boolean
  /** Octets of the stream up to and with its line feed. */
  readonly end: number
}

/** Splits at line feeds; octets of a line beyond `max_bytes` are skipped and not kept. */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let pieces: Buffer[] = []
  let length = 0
  let offset = 0
  let at = 0
  const keep = (part: Buffer) => {
    const room = maxBytes - Math.min(length, maxBytes)
    if (room > 0 && part.length > 0) pieces.push(part.subarray(0, room))
    length += part.length
  }
  const finish = (hasEnded: boolean, end: number): Line => {
    const line = { offset, bytes: withoutReturn(Buffer.concat(pieces)), cut: length > maxBytes, ended: hasEnded, end }
    pieces = []
    length = 0
    offset = end
    return line
  }
  for await (const chunk of stream) {
    let from = 0
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      keep(chunk.subarray(from, to))
      yield finish(true, at + to + 1)
      from = to + 1
    }
    keep(chunk.subarray(from))
    at += chunk.length
  }
  if (length > 0) yield finish(false, at)
}

const withoutReturn = (bytes: Buffer) => (bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes)

const BYTE_ORDER_MARK = '\ufeff'

/** Lines that are neither empty nor a comment (`#`). Ends early, without an error, when the signal aborts. */
export async function* readInput(stream: Readable, over: AbortSignal): AsyncGenerator<InputLine> {
  const end = () => stream.destroy()
  over.addEventListener('abort', end)
  try {
    let number = 0
    for await (const { bytes, cut } of readLines(stream, INPUT_LINE_BYTES)) {
      number++
      const inputText = bytes.toString('utf8')
      const text = (number === 1 && inputText.startsWith(BYTE_ORDER_MARK) ? inputText.slice(1) : inputText).trim()
      if (text !== '' && !text.startsWith('#')) yield { line: number, text: cut ? `${text}…` : text }
    }
  } catch (error) {
    if (!over.aborted) throw error
  } finally {
    over.removeEventListener('abort', end)
  }
}

/** Counts those lines of a file, which is read once for this. */
export async function countLines(file: string, over: AbortSignal): Promise<number> {
  let count = 0
  for await (const _ of readInput(createReadStream(file), over)) count++
  return count
}
