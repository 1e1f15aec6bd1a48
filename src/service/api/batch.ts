// Many checks in one request: each result is a line of the answer, sent as soon as it is there and counted one by one. A client
// that prefers not to wait gets a job instead.
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import { createMemoryOverflow } from '../../results/bulk/overflow.ts'
import { createRunQueue, type Politeness } from '../../results/bulk/politeness.ts'
import {
  type BulkRecord,
  INTERNAL,
  type InputLine,
  type RecordedError,
  type Result,
  type Task,
  UNAVAILABLE,
} from '../../results/bulk/record.ts'
import { type BulkAnswer, runBulk } from '../../results/bulk/run.ts'
import { type Key, StoreError } from '../../store/store.ts'
import { parseTarget, requestFor, type Target, type Vetting } from '../../targets/target.ts'
import { URL_CHARACTERS } from '../../targets/url.ts'
import { type Answers, resultOf } from './answers.ts'
import type { Callers } from './callers.ts'
import { answerWithJob, type Jobbing, type JobRequest, VARYING } from './jobs.ts'
import { describeError, type Log } from './log.ts'
import { prefersAsync } from './prefer.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { privateHeaders } from './respond.ts'
import type { Route } from './routes.ts'

export interface BatchOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly answers: Answers
  readonly vetting: Vetting
  /** The limits for one registrable domain. */
  readonly politeness: Politeness
  /** Null when jobs are disabled: then every batch is answered at once. */
  readonly jobbing: Jobbing | null
  readonly log: Pick<Log, 'error'>
  readonly clock: Clock
}

/** Targets of one request. */
export const BATCH_TARGETS = 1_000
/** Bytes of a request: so many links of the greatest length, and their quotes. */
const BODY_OCTETS = BATCH_TARGETS * (URL_CHARACTERS + 8)
/** Concurrent checks of one request: fewer than one key may run, so that its other requests go on. */
const CONCURRENCY = 8
/** Characters of an unknown member in a message. */
const NAME_LENGTH = 40
/** Attempts at a target for which there is no room at the moment, and the longest pause between two of them in milliseconds. */
const ATTEMPTS = 8
const LONGEST_PAUSE_MS = 5_000

export const batchRoute = (options: BatchOptions): Route => ({
  method: 'POST',
  path: '/api/v1/checks',
  body_octets: BODY_OCTETS,
  async handle(ctx) {
    const { callers, jobbing, vetting, clock } = options
    const key = await callers.authenticate(ctx)
    const batch = readBatch(await text(ctx.req))
    await callers.account(ctx)
    if (jobbing !== null && prefersAsync(ctx.get('Prefer')))
      return answerWithJob(ctx, { jobbing, vetting, clock }, key, batch)
    const stop = new AbortController()
    ctx.res.once('close', () => stop.abort())
    const type = ['Content-Type', 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering', 'no']
    ctx.res.writeHead(200, [...privateHeaders(ctx.state, clock.now()), ...VARYING, ...type])
    ctx.res.flushHeaders()
    await run(options, ctx, key, batch, stop.signal)
    ctx.res.end()
  },
})

/** `{"targets": ["example.com", "192.0.2.1", "https://example.com/path"], "visit": false}`. Throws a 400. */
function readBatch(body: string): JobRequest {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new Problem('invalid-body', 'The request body is not JSON.')
  }
  const { targets, visit = true, ...others } = Object(parsed) as Readonly<Record<string, unknown>>
  const [other] = Object.keys(others)
  if (other !== undefined && !Array.isArray(parsed))
    throw new Problem('invalid-body', `The request body has an unknown member, ${printable(other, NAME_LENGTH)}.`)
  if (typeof visit !== 'boolean') throw new Problem('invalid-body', 'The member visit is not true or false.')
  if (!Array.isArray(targets) || !targets.every(one => typeof one === 'string'))
    throw new Problem('invalid-body', 'The request body is not {"targets": [...]} with a list of strings.')
  if (targets.length === 0 || targets.length > BATCH_TARGETS)
    throw new Problem('invalid-body', `A request has 1 to ${BATCH_TARGETS} targets.`)
  return { targets, visit }
}

async function run(options: BatchOptions, ctx: Context, key: Key, { targets, visit }: JobRequest, stop: AbortSignal) {
  const { clock, vetting } = options
  await runBulk({
    async *input(): AsyncIterable<InputLine> {
      for (const [at, target] of targets.entries()) yield { line: at + 1, text: target }
    },
    parse: target => parseTarget({ ...requestFor(target), visit }, vetting),
    settled: new Set(),
    queue: createRunQueue(options.politeness, CONCURRENCY, clock.monotonic),
    overflow: createMemoryOverflow<Task>(),
    check: (target, over) => checkOne(options, key, target, over),
    write: record => write(ctx, record, stop),
    stop,
  })
}

async function write({ res }: Context, record: BulkRecord, stop: AbortSignal): Promise<void> {
  if (res.destroyed || res.write(`${JSON.stringify(record)}\n`)) return
  // A slow reader slows the checks down.
  await once(res, 'drain', { signal: stop }).catch(() => {})
}

/** Codes of refusals that end by themselves. */
export const PASSING: ReadonlySet<string> = new Set(['overloaded', 'target-busy', 'rate-limited'])

/** Waits for room. Resolves with null when the client is gone. */
async function checkOne(options: BatchOptions, key: Key, target: Target, over: AbortSignal): Promise<BulkAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { ok: true, result: await answerTo(options, key, target, over) }
    } catch (error) {
      if (over.aborted) return null
      if (!isPassing(error) || attempt === ATTEMPTS) return { ok: false, error: refusal(options.log, error) }
      const seconds = Number(error.headers['Retry-After'] ?? 1)
      await pause(Math.min(seconds * 1_000, LONGEST_PAUSE_MS), undefined, { signal: over }).catch(() => {})
    }
  }
}

const isPassing = (error: unknown): error is Problem => error instanceof Problem && PASSING.has(error.code)

/** Why a target has no result, as its record says. Logs what nobody expected. */
export function refusal(log: Pick<Log, 'error'>, error: unknown): RecordedError {
  if (error instanceof Problem) return { code: error.code, detail: error.message }
  if (error instanceof AnalysisUnavailable) return { code: UNAVAILABLE, detail: error.detail ?? error.reason }
  if (error instanceof StoreError)
    return { code: 'store-unavailable', detail: 'The answer cannot be counted at present.' }
  log.error({ error: describeError(error) })
  return { code: INTERNAL, detail: 'Internal error.' }
}

async function answerTo(
  { answers, clock }: BatchOptions,
  key: Key,
  target: Target,
  over: AbortSignal,
): Promise<Result> {
  const began = clock.monotonic()
  const answered = await answers.answer({
    ...{ key, requested: answers.named(target), began, listener: null },
    until: work => work(over),
    gone: () => over.aborted,
  })
  return resultOf(answered, Math.round(clock.monotonic() - began))
}
