// The state of one request while it is served, for the headers of its response and its line in the log.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ParameterizedContext } from 'koa'
import type { Clock } from '../../base/clock.ts'
import type { Usage } from '../../config/quota_rule.ts'
import { withoutKeys } from '../../store/api_key.ts'
import type { Key } from '../../store/store.ts'

/** Source of a result. `STALE` is an expired cached result, served because nothing can be checked now. */
export type Origin = 'HIT' | 'MISS' | 'STALE'

/** Milliseconds that a check has waited, by resource. */
export type Waits = Record<string, number>

/** A response that is a stream of events. */
export interface EventStream {
  /** Whether the status and the headers are sent. */
  readonly begun: boolean
  readonly ended: boolean
  emit(event: string): void
  /** `event` is UTF-8 text, or bytes as Latin-1. */
  end(event: string, encoding?: 'utf8' | 'latin1'): void
}

export interface RequestState {
  readonly id: string
  /** The path of the route that answers, with names for its parameters; null until there is one. */
  route: string | null
  /** The response, when events were requested. */
  stream: EventStream | null
  /** On the monotonic clock, in milliseconds. */
  readonly began: number
  /** Undefined until authentication; null when there is no valid key. */
  key: Key | null | undefined
  /** The account's quota for the response headers, once known. */
  usage: Usage | null
  /** Canonical, once parsed. */
  target: string | null
  cache: Origin | null
  /** What the check waited for. */
  waits: Waits | undefined
  /** Code of the problem that ended the request. */
  code: string | null
  /** CORS headers, as flat pairs. */
  readonly cors: readonly string[]
  /** An unexpected error, described for the log. */
  error: object | undefined
}

export type Context = ParameterizedContext<RequestState>
export type Next = () => Promise<unknown>

/** Whether the whole response was handed over. False when the client disconnected. */
export const isAnswered = ({ state: { stream }, res }: Context): boolean =>
  stream?.begun ? stream.ended : res.headersSent

export const createRequestState = (
  { headers }: IncomingMessage,
  clock: Clock,
  cors: readonly string[],
): RequestState => ({
  id: requestId(headers['x-request-id']),
  route: null,
  stream: null,
  began: clock.monotonic(),
  key: undefined,
  usage: null,
  target: null,
  cache: null,
  waits: undefined,
  code: null,
  cors,
  error: undefined,
})

const acceptable = /^[A-Za-z0-9_-]{1,64}$/

/** The client's X-Request-Id when it is harmless and holds no API key, since it is logged; otherwise a new ID. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptable.test(header) && withoutKeys(header) === header ? header : randomUUID()
}
