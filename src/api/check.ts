// The check operation over HTTP: authenticate, parse the target, get the answer, respond.
import Negotiator from 'negotiator'
import type { Clock } from '../clock.ts'
import { finishBody } from '../store/result_cache.ts'
import type { Answers } from './answers.ts'
import type { Callers } from './callers.ts'
import { Problem } from './problem.ts'
import { reportEvent, resultEvent } from './progress.ts'
import type { Context, EventStream } from './request_state.ts'
import { openStream, sendResult } from './respond.ts'

export interface CheckOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly answers: Answers
  /** Makes the report of a result; without it every answer is the result. */
  readonly reportOf?: ReportOf | undefined
  readonly clock: Clock
}

/** The report of a parsed result, as an object to send. */
export type ReportOf = (result: Readonly<Record<string, unknown>>) => object

export function createCheck({ callers, answers, reportOf, clock }: CheckOptions) {
  return async (ctx: Context): Promise<void> => {
    const key = await callers.authenticate(ctx)
    const stream = streamFor(ctx, clock)
    const requested = answers.read(queryOf(ctx))
    ctx.state.target = requested.label
    const { bytes, origin, usage } = await answers.answer({
      key,
      requested,
      began: ctx.state.began,
      listener: stream?.emit ?? null,
      exceeded(usage) {
        ctx.state.usage = usage
      },
      noted(origin) {
        ctx.state.cache = origin
        return stream !== null && origin === 'MISS' ? callers.account(ctx) : undefined
      },
      until: work => untilClosed(ctx, work),
      gone: () => ctx.res.destroyed,
    })
    ctx.state.cache = origin
    ctx.state.usage = usage
    const elapsed = Math.round(clock.monotonic() - ctx.state.began)
    const body = finishBody(bytes, elapsed, origin !== 'MISS', origin === 'STALE')
    const report = requested.format === 'report' && reportOf ? reported(reportOf, body) : null
    if (stream === null) sendResult(ctx, report ?? body, clock.now())
    else stream.end(report === null ? resultEvent(body) : reportEvent(report) + resultEvent(body), 'latin1')
  }
}

/** Takes and returns JSON as bytes, each a character. */
const reported = (reportOf: ReportOf, body: string): string =>
  Buffer.from(JSON.stringify(reportOf(JSON.parse(Buffer.from(body, 'latin1').toString())))).toString('latin1')

function queryOf({ req: { url = '' } }: Context): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Runs `work` with a signal that aborts when the client disconnects. */
async function untilClosed<T>({ res }: Context, work: (left: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController()
  const leave = () => left.abort()
  if (res.destroyed) leave()
  res.once('close', leave)
  try {
    return await work(left.signal)
  } finally {
    res.off('close', leave)
  }
}

/** Opens the stream when the client requested events, and notes it in the request state. Throws a 406. */
function streamFor(ctx: Context, { now }: Clock): EventStream | null {
  const { accept } = ctx.req.headers
  if (wantsEvents(accept)) ctx.state.stream = openStream(ctx, now)
  else if (!acceptsJson(accept)) throw new Problem('not-acceptable')
  return ctx.state.stream
}

/** Common values, which need no parsing (RFC 9110 section 12.5.1). */
const usual = new Set(['', '*/*', 'application/json', 'application/json, text/plain, */*'])

/** Parameters matter when types are compared; a response satisfies both of these. */
const offered = ['application/json', 'application/json; charset=utf-8']

const events = 'text/event-stream'

/** Longest header that is parsed, in characters: several times what browsers send. A longer one is ignored. */
const headerLength = 1_024

/** Whether this `Accept` header names event streams, with at least the weight of JSON. Wildcards do not name them. */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined || usual.has(accept) || accept.length > headerLength) return false
  if (!/\btext\/event-stream\b/i.test(accept)) return false
  return new Negotiator({ headers: { accept } }).mediaType([...offered, events]) === events
}

/** Whether this `Accept` header allows `application/json`. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || usual.has(accept)) return true
  return accept.length <= headerLength && new Negotiator({ headers: { accept } }).mediaType(offered) !== undefined
}
