// The check operation, step by step: who asks, what for, is there quota, the result, its price, the answer.
import type { Clock } from '../clock.ts'
import type { Analysis } from '../engine/analysis.ts'
import type { CheckResult } from '../engine/engine.ts'
import { AnalysisUnavailable } from '../engine/outcome.ts'
import type { SingleFlight } from '../single_flight.ts'
import { finishBody, prepareBody } from '../store/result_body.ts'
import type { ResultCache } from '../store/result_cache.ts'
import type { Target } from '../target/target.ts'
import { acceptsJson, wantsEvents } from './accept.ts'
import { overloaded } from './admission.ts'
import type { Callers } from './callers.ts'
import type { EventStream } from './event_stream.ts'
import type { Gate } from './limits.ts'
import { Problem } from './problem.ts'
import { type Channels, createChannels, type Hear, type SectionWatch } from './progress.ts'
import { resultEvent } from './progress_events.ts'
import { openStream } from './progress_stream.ts'
import { sendResult } from './respond.ts'
import { createTargetReader } from './target_reader.ts'
import type { Context, Origin } from './visit.ts'

interface CheckerOptions {
  readonly signal: AbortSignal
  readonly left_ms?: number
  readonly observe?: (analysis: Analysis) => void
}

/** The engine as the interface sees it. Rejects with `AnalysisUnavailable`, or when `signal` aborts. */
export interface Checker {
  check(target: Target, options: CheckerOptions): Promise<CheckResult>
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
  /** Tells of an analysis as it goes on; without it only results are told. */
  readonly watch?: SectionWatch['watch']
  readonly clock: Clock
}

export function createCheck(options: CheckOptions) {
  const { callers, cache, clock } = options
  const readTarget = createTargetReader(options.refuse, options.policy)
  const channels = createChannels()
  return async (ctx: Context): Promise<void> => {
    const key = await callers.authenticate(ctx)
    const stream = streamFor(ctx, clock)
    const { target, name, label } = readTarget(queryOf(ctx))
    ctx.state.target = label
    const grant = await callers.reserve(ctx, key)
    try {
      const found = cache.get(name)
      const kept = found instanceof Promise ? await found : found
      ctx.state.cache = kept ? 'HIT' : 'MISS'
      if (kept === null && !options.flights.has(name) && options.gate.full(key.id)) throw overloaded()
      if (stream !== null && kept === null) await callers.account(ctx)
      const asked = { target, name, key: key.id, began: ctx.state.began, hear: stream?.tell ?? null }
      const { bytes, origin } = kept
        ? { bytes: kept.bytes, origin: 'HIT' as const }
        : await untilClosed(ctx, left => look(options, channels, asked, left))
      ctx.state.cache = origin
      ctx.state.usage = await grant.commit()
      const elapsed = Math.round(clock.monotonic() - ctx.state.began)
      const body = finishBody(bytes, elapsed, origin !== 'MISS', origin === 'STALE')
      if (stream === null) sendResult(ctx, body, clock.now())
      else stream.end(resultEvent(body), 'latin1')
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

/** The stream this answer will be, when events are asked for; the visit knows it from then on. Throws a 406. */
function streamFor(ctx: Context, { now }: Clock): EventStream | null {
  const { accept } = ctx.req.headers
  if (wantsEvents(accept)) ctx.state.stream = openStream(ctx, now)
  else if (!acceptsJson(accept)) throw new Problem('not-acceptable')
  return ctx.state.stream
}

interface Asked {
  readonly target: Target
  /** Of its result in the cache. */
  readonly name: string
  /** The key's id. */
  readonly key: string
  /** When, on the monotonic clock. */
  readonly began: number
  readonly hear: Hear | null
}

interface Served {
  readonly bytes: Buffer
  readonly origin: Origin
}

/** What is seen of the target now; or, when nothing can be looked at, what was last seen of it whole. */
async function look(options: CheckOptions, channels: Channels, asked: Asked, left: AbortSignal): Promise<Served> {
  try {
    return { bytes: await analyse(options, channels, asked, left), origin: 'MISS' }
  } catch (error) {
    const last = error instanceof AnalysisUnavailable ? await options.cache.getStale(asked.name) : null
    if (last === null) throw error
    return { bytes: last.bytes, origin: 'STALE' }
  }
}

/** Joins the analysis of this target or begins it, when there is room; what it yields is kept. */
async function analyse(
  { checker, cache, flights, gate, deadline_ms, watch }: CheckOptions,
  channels: Channels,
  { target, name, key, began, hear }: Asked,
  left: AbortSignal,
): Promise<Buffer> {
  const channel = channels.join(name, hear)
  const observe = (analysis: Analysis) => watch?.(analysis, channel.tell)
  let isOwn = false
  const begin = async (signal: AbortSignal) => {
    isOwn = true
    const check = (left_ms: number) => checker.check(target, { signal, left_ms, observe })
    const { result, class: kind } = await gate.run({ key, target, due: began + deadline_ms }, check, signal)
    const bytes = prepareBody(result)
    await cache.put(name, bytes, kind)
    return bytes
  }
  try {
    return await flights.run(name, begin, left).catch(error => {
      // Whoever began it was refused for what else that key asks for: this one may have room.
      if (isOwn || !isOfKey(error) || gate.full(key)) throw error
      return flights.run(name, begin, left)
    })
  } finally {
    channel.leave()
  }
}

const isOfKey = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'rate-limited' || error.code === 'overloaded')
