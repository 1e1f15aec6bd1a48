// Writes the log to the standard output without delaying responses. Up to 4 MiB of log lines are buffered; the rest is dropped
// and counted.
import { fstatSync, write as writeFile, writeSync } from 'node:fs'

/**
 * Bytes of one write, and milliseconds that a line may wait for others: a write for each line would cost more than the line.
 */
const batchBytes = 64 * 1024
const batchMs = 200
/** Bytes buffered for a slow reader or a full disk. */
const unwrittenBytes = 4 * 1024 * 1024
/** Milliseconds between a failed write and the next: a disk may get space again, a named pipe a new reader. */
const retryMs = 1_000

export interface LogOutput {
  write(line: string): void
  /** Writes this many complete lines of another process. */
  append(octets: Buffer, lines: number): void
  /** Lines dropped so far. */
  readonly dropped: number
  /** Resolves when everything is written, at the latest after this many milliseconds. */
  written(within_ms: number): Promise<void>
  /** Writes what can be written without waiting, when the process ends. */
  end(): void
}

export interface LogOutputOptions {
  readonly sink?: Sink
  readonly unwritten_bytes?: number
  readonly retry_ms?: number
  /** Called with the number of dropped lines, once everything buffered is written. */
  readonly resumed?: (dropped: number) => void
}

/** Accepts bytes without blocking. */
export interface Sink {
  /** One write at a time. Calls back with the number of accepted bytes, or with an error. */
  write(octets: Buffer, done: (error: Error | null, taken?: number) => void): void
  /** Accepts what it can at once; may throw. */
  end(octets: Buffer): void
}

interface Batch {
  readonly octets: Buffer
  readonly lines: number
}

/** Lines are copied to the write buffer at once: kept as strings, they would keep the garbage collector busy. */
export function createLogOutput(options: LogOutputOptions = {}): LogOutput {
  const { sink = standardOutput(), unwritten_bytes = unwrittenBytes, retry_ms = retryMs, resumed } = options
  let batch = Buffer.allocUnsafeSlow(batchBytes)
  let length = 0
  let lines = 0
  const kept: Batch[] = []
  let kept_bytes = 0
  let writing = false
  let dropped = 0
  let unreported = 0
  let idle = () => {}

  function keep(octets: Buffer, lines: number): void {
    if (kept_bytes + octets.length > unwritten_bytes) {
      dropped += lines
      unreported += lines
      return
    }
    kept.push({ octets, lines })
    kept_bytes += octets.length
    if (!writing) writeFirst()
  }

  function writeFirst(): void {
    const [first] = kept
    if (first === undefined) {
      idle()
      return
    }
    writing = true
    sink.write(first.octets, (error, taken = first.octets.length) => {
      if (error) {
        setTimeout(writeFirst, retry_ms).unref()
        return
      }
      writing = false
      kept_bytes -= taken
      if (taken < first.octets.length) kept[0] = { ...first, octets: first.octets.subarray(taken) }
      else kept.shift()
      reportDropped()
      writeFirst()
    })
  }

  function reportDropped(): void {
    if (unreported === 0 || kept.length > 0) return
    const count = unreported
    unreported = 0
    resumed?.(count)
  }

  function flush(): void {
    if (length === 0) return
    const [octets, count] = [batch.subarray(0, length), lines]
    batch = Buffer.allocUnsafeSlow(batchBytes)
    length = 0
    lines = 0
    keep(octets, count)
  }
  const flushes = setInterval(flush, batchMs).unref()

  return {
    write(line) {
      const octets = Buffer.byteLength(line)
      if (length + octets > batchBytes) flush()
      if (octets > batchBytes) keep(Buffer.from(line), 1)
      else {
        length += batch.write(line, length)
        lines += 1
      }
    },
    append(octets, lines) {
      flush()
      keep(octets, lines)
    },
    get dropped() {
      return dropped
    },
    async written(within_ms) {
      flush()
      if (kept.length === 0) return
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>(resolve => {
        idle = resolve
        timer = setTimeout(resolve, within_ms)
      })
      clearTimeout(timer)
    },
    end() {
      clearInterval(flushes)
      const left = kept.slice(writing ? 1 : 0).map(({ octets }) => octets)
      try {
        sink.end(Buffer.concat([...left, batch.subarray(0, length)]))
      } catch {
        // Nobody is left to report this to.
      }
    },
  }
}

/**
 * A pipe or a socket is written through the process's own stream, which waits by events: a thread that blocks in `write` would
 * keep the process from ending. A file is written by a thread, because its disk may be slow.
 */
function standardOutput(): Sink {
  const kind = fstatSync(1)
  return kind.isFIFO() || kind.isSocket() ? pipe(process.stdout) : file(1)
}

function pipe(stream: NodeJS.WriteStream): Sink {
  // Each write reports its own failure; without a listener, the event would end the process.
  stream.on('error', () => {})
  return {
    write: (octets, done) => void stream.write(octets, error => done(error ?? null)),
    end: octets => void stream.write(octets),
  }
}

const file = (descriptor: number): Sink => ({
  write: (octets, done) => writeFile(descriptor, octets, done),
  end: octets => void writeSync(descriptor, octets),
})
