// Writes the log to the standard output without delaying responses. Up to 4 MiB of log lines are buffered; the rest is dropped
// and counted.
import { fstatSync, write as writeFile, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Bytes of one write, and milliseconds that a line may wait for others: a write for each line would cost more than the line.
 */
const batchBytes = 64 * 1024
const batchMs = 200
/** Bytes buffered for a slow reader or a full disk. */
const unwrittenBytes = 4 * 1024 * 1024
/** Milliseconds between a failed write and the next: a disk may get space again, a named pipe a new reader. */
const retryMs = 1_000

export interface LogOutputOptions {
  readonly sink?: LogSink
  /** Whether a person reads it: by default where the standard output is a terminal. */
  readonly readable?: boolean
  readonly unwritten_bytes?: number
  readonly retry_ms?: number
  /** Called with the number of dropped lines, once everything buffered is written. */
  readonly onResume?: (lineCount: number) => void
}

/** Accepts bytes without blocking. */
export interface LogSink {
  /** One write at a time. Calls back with the number of accepted bytes, or with an error. */
  write(octets: Buffer, callback: (error: Error | null, length?: number) => void): void
  /** Accepts what it can at once; may throw. */
  end(octets: Buffer): void
}

interface LogBatch {
  readonly octets: Buffer
  readonly lines: number
}

/** Lines are copied to the write buffer at once: kept as strings, they would keep the garbage collector busy. */
export class LogOutput {
  readonly #sink: LogSink
  readonly #readable: boolean
  readonly #unwritten_bytes: number
  readonly #retry_ms: number
  readonly #onResume: LogOutputOptions['onResume']
  readonly #flushes: NodeJS.Timeout
  /** Lines that are not kept yet. */
  #batch = Buffer.allocUnsafeSlow(batchBytes)
  #length = 0
  #lines = 0
  /** Complete batches; the first is being written. */
  readonly #kept: LogBatch[] = []
  #kept_bytes = 0
  #isWriting = false
  #dropped = 0
  #unreported = 0
  #idle = () => {}

  constructor({
    sink = standardOutput(),
    readable = isatty(1),
    unwritten_bytes = unwrittenBytes,
    retry_ms = retryMs,
    onResume,
  }: LogOutputOptions) {
    this.#sink = sink
    this.#readable = readable
    this.#unwritten_bytes = unwritten_bytes
    this.#retry_ms = retry_ms
    this.#onResume = onResume
    this.#flushes = setInterval(() => this.#flush(), batchMs).unref()
  }

  write(json: string): void {
    const line = this.#readable ? readableLine(json) : json
    const octets = Buffer.byteLength(line)
    if (this.#length + octets > batchBytes) this.#flush()
    if (octets > batchBytes) this.#keep(Buffer.from(line), 1)
    else {
      this.#length += this.#batch.write(line, this.#length)
      this.#lines += 1
    }
  }

  /** Writes this many complete lines of another process. */
  append(octets: Buffer, lines: number): void {
    this.#flush()
    this.#keep(this.#readable ? readableLines(octets) : octets, lines)
  }

  /** Lines dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** Resolves when everything is written, at the latest after this many milliseconds. */
  async written(withinMs: number): Promise<void> {
    this.#flush()
    if (this.#kept.length === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#idle = resolve
      timer = setTimeout(resolve, withinMs)
    })
    clearTimeout(timer)
  }

  /** Writes what can be written without waiting, when the process ends. */
  end(): void {
    clearInterval(this.#flushes)
    const backlog = this.#kept.slice(this.#isWriting ? 1 : 0).map(({ octets }) => octets)
    try {
      this.#sink.end(Buffer.concat([...backlog, this.#batch.subarray(0, this.#length)]))
    } catch {
      // Nobody is left to report this to.
    }
  }

  #flush(): void {
    if (this.#length === 0) return
    const [octets, lines] = [this.#batch.subarray(0, this.#length), this.#lines]
    this.#batch = Buffer.allocUnsafeSlow(batchBytes)
    this.#length = 0
    this.#lines = 0
    this.#keep(octets, lines)
  }

  #keep(octets: Buffer, lines: number): void {
    if (this.#kept_bytes + octets.length > this.#unwritten_bytes) {
      this.#dropped += lines
      this.#unreported += lines
      return
    }
    this.#kept.push({ octets, lines })
    this.#kept_bytes += octets.length
    if (!this.#isWriting) this.#writeFirst()
  }

  #writeFirst(): void {
    const [first] = this.#kept
    if (first === undefined) return void this.#idle()
    this.#isWriting = true
    this.#sink.write(first.octets, (error, length = first.octets.length) => {
      if (error) {
        setTimeout(() => this.#writeFirst(), this.#retry_ms).unref()
        return
      }
      this.#isWriting = false
      this.#kept_bytes -= length
      if (length < first.octets.length) this.#kept[0] = { ...first, octets: first.octets.subarray(length) }
      else this.#kept.shift()
      this.#reportDropped()
      this.#writeFirst()
    })
  }

  #reportDropped(): void {
    if (this.#unreported === 0 || this.#kept.length > 0) return
    const count = this.#unreported
    this.#unreported = 0
    this.#onResume?.(count)
  }
}

/**
 * A pipe or a socket is written through the process's own stream, which waits by events: a thread that blocks in `write` would
 * keep the process from ending. A file is written by a thread, because its disk may be slow.
 */
function standardOutput(): LogSink {
  const kind = fstatSync(1)
  return kind.isFIFO() || kind.isSocket() ? pipe(process.stdout) : file(1)
}

function pipe(stream: NodeJS.WriteStream): LogSink {
  // Each write reports its own failure; without a listener, the event would end the process.
  stream.on('error', () => {})
  return {
    write: (octets, done) => void stream.write(octets, error => done(error ?? null)),
    end: octets => void stream.write(octets),
  }
}

const file = (descriptor: number): LogSink => ({
  write: (octets, done) => writeFile(descriptor, octets, done),
  end: octets => void writeSync(descriptor, octets),
})

// A line of the log as a person reads it on a terminal. Everything else that reads the log gets JSON.

const LEVEL_WIDTH = 5
/** What needs no quotes. */
const BARE = /^[\w./:@…-]+$/

const valueText = (value: unknown): string =>
  typeof value === 'string' && BARE.test(value) ? value : JSON.stringify(value)

/** A request by its method, path and status; other lines by their members. What is no JSON stays as it is. */
export function readableLine(line: string): string {
  try {
    const { level, time, method, path, status, duration_ms, request_id: _, ...rest } = JSON.parse(line)
    const request = method === undefined ? [] : [method, path, status ?? 'no answer', `${duration_ms} ms`]
    const members = Object.entries(rest).map(([name, value]) => `${name}=${valueText(value)}`)
    const at = new Date(time).toISOString().slice(11, 19)
    return `${[at, String(level).padEnd(LEVEL_WIDTH), ...request, ...members].join(' ')}\n`
  } catch {
    return line
  }
}

/** The same of complete lines. */
export const readableLines = (octets: Buffer): Buffer =>
  Buffer.from(octets.toString('utf8').replace(/[^\n]*\n/g, readableLine))
