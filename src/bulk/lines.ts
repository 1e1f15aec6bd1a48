// Lines of a stream, one at a time and of bounded length, with where each of them stands in the file.

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

export interface Line {
  /** Octets before it in the stream. */
  readonly offset: number
  /** Without its line ending; cut at `max_bytes`. */
  readonly bytes: Buffer
  /** It was longer than `bytes`. */
  readonly cut: boolean
  /** A line feed ends it: false for a last line that was perhaps not written to its end. */
  readonly ended: boolean
  /** Octets of the stream up to and with its line feed. */
  readonly end: number
}

/** Splits at line feeds; what a line has beyond `max_bytes` is passed over without being kept. */
export async function* readLines(stream: AsyncIterable<Buffer>, max_bytes: number): AsyncGenerator<Line> {
  let kept: Buffer[] = []
  let length = 0
  let offset = 0
  let at = 0
  const keep = (part: Buffer) => {
    const room = max_bytes - Math.min(length, max_bytes)
    if (room > 0 && part.length > 0) kept.push(part.subarray(0, room))
    length += part.length
  }
  const finish = (ended: boolean, end: number): Line => {
    const line = { offset, bytes: withoutReturn(Buffer.concat(kept)), cut: length > max_bytes, ended, end }
    kept = []
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
