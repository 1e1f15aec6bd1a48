// What is known of one request while it is served: for the headers of its answer and for its line in the log.
import type { ParameterizedContext } from 'koa'
import type { Clock } from '../clock.ts'
import type { Key, Usage } from '../store/store.ts'
import type { EventStream } from './event_stream.ts'
import { requestId } from './request_id.ts'

/** Where a result is from. `STALE` was kept and has ended, but nothing can be looked at now. */
export type Origin = 'HIT' | 'MISS' | 'STALE'

export interface Visit {
  readonly id: string
  /** The answer, when events were asked for. */
  stream: EventStream | null
  /** On the monotonic clock, in milliseconds. */
  readonly began: number
  /** Undefined until asked for; null when there is no valid one. */
  key: Key | null | undefined
  /** The account's quota as the answer tells it, once known. */
  usage: Usage | null
  /** Canonical, once parsed. */
  target: string | null
  cache: Origin | null
  /** The problem's code when the request ended in one. */
  code: string | null
  /** What was not foreseen, described for the log. */
  error: object | undefined
}

export type Context = ParameterizedContext<Visit>
export type Next = () => Promise<unknown>

/** Whether the answer was handed over to its end; a client that left has none. */
export const isAnswered = ({ state: { stream }, res }: Context): boolean =>
  stream?.begun ? stream.ended : res.headersSent

export const openVisit = (ctx: Context, clock: Clock): Visit => ({
  id: requestId(ctx.req.headers['x-request-id']),
  stream: null,
  began: clock.monotonic(),
  key: undefined,
  usage: null,
  target: null,
  cache: null,
  code: null,
  error: undefined,
})
