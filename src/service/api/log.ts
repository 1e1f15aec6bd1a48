// The log: one JSON object a line, without API keys, query strings and stack traces. A repeated line is counted and written
// once a minute.
import { type DestinationStream, pino } from 'pino'
import { withoutKeys } from '../../store/api_key.ts'
import type { Sender } from './client_address.ts'
import { type Context, isAnswered, type Waits } from './request_state.ts'

export type LogLevel = 'info' | 'warn' | 'error'
export type Log = Readonly<Record<LogLevel, (event: object) => void>>

/** Bytes of a line for a path or a message, and for a name or a code: no line is longer than a KiB. */
const textOctets = 256
const wordOctets = 64
/** Most bytes that JSON needs for one UTF-16 unit: `\u001b`. */
const escapeOctets = 6

/** Names the levels instead of numbering them. Every line has the members of `base`. */
export function createLog(level: string, destination: DestinationStream, base: object | null = null): Log {
  return pino({ level, base, formatters: { level: label => ({ level: label }) } }, destination)
}

/** The client's address as it is logged. */
export type ClientOf = (request: Sender) => string | undefined

/** Writes the line of a request after its response. `key` is the ID of the key. */
export function logRequest(log: Log, ctx: Context, client: string | undefined, elapsedMs: number): void {
  const { req, res, state } = ctx
  const { id, route, key, target, cache, code, error, waits } = state
  const answered = isAnswered(ctx)
  log[error ? 'error' : 'info']({
    request_id: id,
    method: req.method,
    // The pattern where there is one: links that share a result are secrets.
    path: route ?? pathOf(req.url ?? ''),
    status: answered ? res.statusCode : null,
    code: code ?? (answered ? undefined : 'client-closed'),
    cache: cache ?? undefined,
    target: target ?? undefined,
    key: key?.id,
    client,
    error,
    duration_ms: Math.round(elapsedMs * 10) / 10,
    waited_ms: waits && elapsedMs >= SLOW_MS ? waitsOf(waits) : undefined,
  })
}

/** Milliseconds of a request after which its line says what it waited for. */
const SLOW_MS = 1_000

const waitsOf = (waits: Waits): Waits =>
  Object.fromEntries(Object.entries(waits).flatMap(([resource, ms]) => (ms < 1 ? [] : [[resource, Math.round(ms)]])))

/** What may be the token of a link: a path that no route has, such as one with a slash at its end, has no pattern. */
const withoutTokens = (path: string): string => path.replace(/(?<![\w-])[\w-]{22}(?![\w-])/g, '…')

/** Without the query string, where people put keys by mistake. */
function pathOf(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return cut(withoutTokens(withoutKeys(path.slice(0, 2 * textOctets))), textOctets)
}

/** Describes an unexpected error: enough to find it, without the paths and addresses in its message. */
export function describeError(error: unknown): { name: string; code?: string | number; message?: string } {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = 'code' in error ? error.code : undefined
  return {
    name: textOf(error.name, wordOctets),
    ...(code !== undefined && { code: typeof code === 'number' ? code : textOf(code, wordOctets) }),
    message: cut(withoutPlaces(textOf(error.message, textOctets)), textOctets),
  }
}

/** A message without paths and addresses. */
export const withoutPlaces = (message: string): string =>
  message.replace(/\S*[/\\]\S*|\S*\d\.\d+\.\d\S*|\S*:\S*:\S*/g, '…')

const textOf = (value: unknown, octets: number): string =>
  typeof value === 'string' ? cut(value, octets) : typeof value

/** The beginning of a text, limited to a number of bytes in a line. */
export function cut(text: string, octets: number): string {
  if (text.length * escapeOctets <= octets) return text
  let part = text.slice(0, octets)
  while (Buffer.byteLength(JSON.stringify(part)) - '""'.length > octets) part = part.slice(0, -1)
  return part
}

const windowMs = 60_000
/** Kinds of lines that are counted apart. This bounds the memory; plugins and the service report fewer. */
const mostKinds = 256

interface RepeatedEvent {
  readonly level: LogLevel
  readonly event: object
  repeated: number
  readonly timer: NodeJS.Timeout
}

export interface FoldedLog extends Log {
  /** Writes the counts that are not written yet. */
  flush(): void
}

/**
 * Folds repeated lines: the first is written, and those of the minute after it become one line with their number. Lines of
 * requests pass unchanged.
 */
export function foldRepeats(log: Log, foldMs = windowMs, maxKinds = mostKinds): FoldedLog {
  const kinds = new Map<string, RepeatedEvent>()

  function writeOne(key: string): void {
    const kind = kinds.get(key)
    kinds.delete(key)
    clearTimeout(kind?.timer)
    if (kind && kind.repeated > 0) log[kind.level]({ ...kind.event, repeated: kind.repeated })
  }

  function count(level: LogLevel, key: string, event: object, repetitions: number): void {
    // A copy, because a text in the event may be part of a longer one.
    kinds.set(key, {
      level,
      event: JSON.parse(JSON.stringify(event)),
      repeated: repetitions,
      timer: setTimeout(writeOne, foldMs, key).unref(),
    })
  }

  const fold = (level: LogLevel) => (event: object) => {
    if ('request_id' in event) {
      log[level](event)
      return
    }
    const { target, ...common } = event as { target?: unknown }
    const key = keyOf(level, common, target)
    const entry = kinds.get(key) ?? (kinds.size < maxKinds ? undefined : kinds.get(OTHERS))
    if (entry) {
      entry.repeated += 1
    } else if (kinds.size < maxKinds) {
      count(level, key, common, 0)
      log[level](event)
    } else {
      count('error', OTHERS, { others: true }, 1)
    }
  }

  return {
    info: fold('info'),
    warn: fold('warn'),
    error: fold('error'),
    flush() {
      for (const key of [...kinds.keys()]) writeOne(key)
    },
  }
}

const OTHERS = ''

/** The same message about another target is the same kind. */
function keyOf(level: LogLevel, common: object, target: unknown): string {
  const key = JSON.stringify([level, common])
  return typeof target === 'string' ? key.replaceAll(target, '…') : key
}
