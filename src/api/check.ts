// The check operation, step by step: who asks, what for, is there quota, the result, its price, the answer.
import type { Clock } from '../clock.ts'
import type { CheckResult } from '../engine/engine.ts'
import type { Target } from '../engine/target.ts'
import { finishBody, prepareBody } from '../store/result_body.ts'
import type { ResultCache } from '../store/result_cache.ts'
import type { SingleFlight } from '../store/single_flight.ts'
import { acceptsJson } from './accept.ts'
import type { Callers } from './callers.ts'
import type { Gate } from './limits.ts'
import { Problem } from './problem.ts'
import { sendResult } from './respond.ts'
import { createTargetReader } from './target_reader.ts'
import type { Context } from './visit.ts'

/** The engine as the interface sees it. Rejects with `AnalysisUnavailable`, or when `signal` aborts. */
export interface Checker {
  check(target: Target, options: { signal: AbortSignal; left_ms?: number }): Promise<CheckResult>
}

export interface CheckOptions {
  readonly callers: Callers
  readonly checker: Checker
  readonly cache: ResultCache
  /** Analyses under way, shared by all who ask for the same target; they yield prepared bytes. */
  readonly flights: SingleFlight<Buffer>
  /** Lets uncached checks in, when there is room. */
  readonly gate: Gate
  /** Milliseconds from a request to its answer, waiting included; what is left of them when a check begins is its own. */
  readonly deadline_ms: number
  /** Names the weights in force: results under another policy are other results. */
  readonly policy: string
  /** Why an address may not be checked, or null. */
  readonly refuse: (address: string) => string | null
  readonly clock: Clock
}

export function createCheck(options: CheckOptions) {
  const { callers, cache, clock } = options
  const readTarget = createTargetReader(options.refuse, options.policy)
  return async (ctx: Context): Promise<void> => {
    const key = await callers.authenticate(ctx)
    if (!acceptsJson(ctx.req.headers.accept)) throw new Problem('not-acceptable')
    const { target, name, label } = readTarget(queryOf(ctx))
    ctx.state.target = label
    const grant = await callers.reserve(ctx, key)
    try {
      const found = cache.get(name)
      const kept = found instanceof Promise ? await found : found
      ctx.state.cache = kept ? 'HIT' : 'MISS'
      const prepared =
        kept?.bytes ?? (await untilClosed(ctx, left => analyse(options, ctx.state.began, key.id, target, name, left)))
      ctx.state.usage = await grant.commit()
      const elapsed = Math.round(clock.monotonic() - ctx.state.began)
      sendResult(ctx, finishBody(prepared, elapsed, kept !== null), clock.now())
    } catch (error) {
      // Whoever leaves while the work is done pays for it: asking and leaving must not be free.
      if (ctx.res.destroyed) await grant.commit()
      throw error
    } finally {
      const released = grant.release()
      if (released instanceof Promise) await released
    }
  }
}

function queryOf({ req: { url = '' } }: Context): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Runs `work` with a signal that aborts when the client closes the connection. */
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

/** Joins the analysis of this target or begins it, when there is room; what it yields is kept. */
function analyse(
  { checker, cache, flights, gate, deadline_ms }: CheckOptions,
  began: number,
  key: string,
  target: Target,
  name: string,
  left: AbortSignal,
): Promise<Buffer> {
  const begin = async (signal: AbortSignal) => {
    const check = (left_ms: number) => checker.check(target, { signal, left_ms })
    const { result, class: kind } = await gate.run({ key, target, due: began + deadline_ms }, check, signal)
    const bytes = prepareBody(result)
    await cache.put(name, bytes, kind)
    return bytes
  }
  return flights.run(name, begin, left)
}
