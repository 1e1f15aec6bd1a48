// The log: one JSON object a line, written behind the answers and never in their way; no keys, no queries, no stacks.
import { type DestinationStream, pino } from 'pino'
import type { Clock } from '../clock.ts'
import { withoutKeys } from '../store/api_key.ts'
import { type Context, isAnswered, type Next, openVisit } from './visit.ts'

export type Level = 'info' | 'warn' | 'error'
export type Log = Readonly<Record<Level, (event: object) => void>>

/** Octets that a line has room for, of a path or a message and of a name or a code: so that none is longer than a KiB. */
const textOctets = 256
const wordOctets = 64
/** Octets that JSON makes of one UTF-16 unit at most: `\u001b`. */
const escapeOctets = 6

/** Levels as pino names them. */
export function createLog(level: string, destination: DestinationStream): Log {
  return pino({ level, base: null, formatters: { level: label => ({ level: label }) } }, destination)
}

/** Opens each request's record, and writes its line when the answer has been handed over. `key` is the key's id. */
export const logVisits = (log: Log, clock: Clock) => async (ctx: Context, next: Next) => {
  ctx.state = openVisit(ctx, clock)
  await next()
  const { id, began, key, target, cache, code, error } = ctx.state
  const answered = isAnswered(ctx)
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
  return cut(withoutKeys(path.slice(0, 2 * textOctets)), textOctets)
}

/** What is said of an unexpected error: enough to find it, without the paths and addresses its message may hold. */
export function describeError(error: unknown): { name: string; code?: string | number; message?: string } {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = 'code' in error ? error.code : undefined
  return {
    name: textOf(error.name, wordOctets),
    ...(code !== undefined && { code: typeof code === 'number' ? code : textOf(code, wordOctets) }),
    message: cut(withoutPlaces(textOf(error.message, textOctets)), textOctets),
  }
}

/** A message without the paths and addresses in it. */
export const withoutPlaces = (message: string): string =>
  message.replace(/\S*[/\\]\S*|\S*\d\.\d+\.\d\S*|\S*:\S*:\S*/g, '…')

const textOf = (value: unknown, octets: number): string =>
  typeof value === 'string' ? cut(value, octets) : typeof value

/** The beginning of a text that takes at most so many octets in a line. */
export function cut(text: string, octets: number): string {
  if (text.length * escapeOctets <= octets) return text
  let part = text.slice(0, octets)
  while (Buffer.byteLength(JSON.stringify(part)) - '""'.length > octets) part = part.slice(0, -1)
  return part
}
