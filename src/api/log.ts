// The log: one JSON object a line, written behind the answers and never in their way; no keys, no queries, no stacks.
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Clock } from '../clock.ts'
import { withoutKeys } from '../store/api_key.ts'
import { type Context, type Next, openVisit } from './visit.ts'

export type Log = Pick<Logger, 'info' | 'warn' | 'error'>

/** Octets gathered for one write, and milliseconds that a line may wait for others: a write a line costs more than the line. */
const batchBytes = 64 * 1024
const batchMs = 200
/** Octets kept for a reader of the log that does not read; what comes on top is dropped rather than held in memory. */
const unwrittenBytes = 4 * 1024 * 1024
/** Characters of a path or a message that a line has room for. */
const textLength = 256

/** Levels as pino names them. Writes to the standard output unless told otherwise; what is left is written at exit. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Log {
  return pino({ level, base: null, formatters: { level: label => ({ level: label }) } }, destination)
}

/** Lines are copied at once to where they are written from: kept as strings, they would keep the garbage collector busy. */
function standardOutput(): DestinationStream {
  const output = openOutput()
  let batch = Buffer.allocUnsafeSlow(batchBytes)
  let length = 0
  const flush = () => {
    if (length === 0) return
    output.write(batch.subarray(0, length))
    batch = Buffer.allocUnsafeSlow(batchBytes)
    length = 0
  }
  setInterval(flush, batchMs).unref()
  process.once('exit', () => {
    flush()
    output.flushSync()
  })
  return {
    write(line) {
      const octets = Buffer.byteLength(line)
      if (length + octets > batchBytes) flush()
      if (octets > batchBytes) output.write(Buffer.from(line))
      else length += batch.write(line, length)
    },
  }
}

interface Output {
  write(octets: Buffer): boolean
  flushSync(): void
}

/** That it takes octets when told to is not in its types. */
const openOutput = () =>
  pino.destination({ dest: 1, sync: false, maxLength: unwrittenBytes, contentMode: 'buffer' }) as unknown as Output

/** Opens each request's record, and writes its line when the answer has been handed over. `key` is the key's id. */
export const logVisits = (log: Log, clock: Clock) => async (ctx: Context, next: Next) => {
  ctx.state = openVisit(ctx, clock)
  await next()
  const { id, stream, began, key, target, cache, code, error } = ctx.state
  const answered = stream?.begun ? stream.ended : ctx.res.headersSent
  log[error ? 'error' : 'info']({
    request_id: id,
    method: ctx.req.method,
    path: pathOf(ctx.req.url ?? ''),
    status: answered ? ctx.res.statusCode : null,
    code: code ?? (answered ? undefined : 'client-closed'),
    cache: cache ?? undefined,
    target: target ?? undefined,
    key: key?.id,
    error,
    duration_ms: Math.round((clock.monotonic() - began) * 10) / 10,
  })
}

/** Without the query, where people put keys by mistake. */
function pathOf(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return withoutKeys(path.slice(0, 2 * textLength)).slice(0, textLength)
}

/** What is said of an unexpected error: enough to find it, without the paths and addresses its message may hold. */
export function describeError(error: unknown): { name: string; code?: unknown; message?: string } {
  if (!(error instanceof Error)) return { name: typeof error }
  const message = error.message.slice(0, textLength).replace(/\S*[/\\]\S*|\S*\d\.\d+\.\d\S*|\S*:\S*:\S*/g, '…')
  return { name: error.name, ...('code' in error && { code: error.code }), message }
}
