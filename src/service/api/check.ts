// The check operation over HTTP: authenticate, parse the target, get the answer, respond.
import type { Clock } from '../../base/clock.ts'
import { type ExchangeOptions, exchanged } from '../../results/exchange/formats.ts'
import { finishBody } from '../../store/result_cache.ts'
import { isPair } from '../../targets/target.ts'
import { type Answers, resultOf } from './answers.ts'
import type { Callers } from './callers.ts'
import { answerForm } from './negotiation.ts'
import { reportEvent, resultEvent } from './progress.ts'
import type { Context, EventStream } from './request_state.ts'
import { openStream, sendExchanged, sendResult } from './respond.ts'

export interface CheckOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly answers: Answers
  /** Makes the report of a result; without it every answer is the result. */
  readonly reportOf?: ReportOf | undefined
  /** For results in other formats. */
  readonly exchange: ExchangeOptions
  readonly clock: Clock
}

/** The report of a parsed result, as an object to send. */
export type ReportOf = (result: Readonly<Record<string, unknown>>) => Promise<object>

export function createCheck({ callers, answers, reportOf, exchange, clock }: CheckOptions) {
  return async (ctx: Context): Promise<void> => {
    const key = await callers.authenticate(ctx)
    const requested = answers.read(queryOf(ctx))
    ctx.state.target = requested.label
    const form = answerForm(ctx.req.headers.accept, requested.format)
    const stream = form === 'events' ? openEvents(ctx, clock) : null
    const { bytes, origin, usage, waits } = await answers.answer({
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
    ctx.state.waits = waits
    const elapsed = Math.round(clock.monotonic() - ctx.state.began)
    if (form === 'stix' || form === 'misp') {
      const asked = { ...exchange, is_pair: isPair(requested.target) }
      const body = exchanged(form, resultOf({ bytes, origin }, elapsed), asked)
      return sendExchanged(ctx, form, body, clock.now())
    }
    const body = finishBody(bytes, elapsed, origin !== 'MISS', origin === 'STALE')
    const report = requested.format === 'report' && reportOf ? await reported(reportOf, body) : null
    if (stream === null) sendResult(ctx, report ?? body, clock.now())
    else stream.end(report === null ? resultEvent(body) : reportEvent(report) + resultEvent(body), 'latin1')
  }
}

/** Takes and returns JSON as bytes, each a character. */
async function reported(reportOf: ReportOf, body: string): Promise<string> {
  const report = await reportOf(JSON.parse(Buffer.from(body, 'latin1').toString()))
  return Buffer.from(JSON.stringify(report)).toString('latin1')
}

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

/** Opens the stream that the client requested, and notes it in the request state. */
function openEvents(ctx: Context, { now }: Clock): EventStream {
  const stream = openStream(ctx, now)
  ctx.state.stream = stream
  return stream
}
