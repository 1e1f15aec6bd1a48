// Many checks in one request: each result is a line of the answer, sent as soon as it is there and counted one by one. A client
// that prefers not to wait gets a job instead.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { Select, Selector } from '../../engine/selection.ts'
import { createMemoryOverflow } from '../../results/bulk/overflow.ts'
import { createRunQueue, type Politeness } from '../../results/bulk/politeness.ts'
import {
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
import { closed } from '../shapes.ts'
import { type Answers, resultOf } from './answers.ts'
import type { Callers } from './callers.ts'
import { readBody } from './input.ts'
import { answerWithJob, type Jobbing, type JobRequest, lookAgainHeader, ShownJob, VARYING } from './jobs.ts'
import { describeError, type Log } from './log.ts'
import { selectedRecord, selectOf } from './negotiation.ts'
import { prefersAsync } from './prefer.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { privateHeaders } from './respond.ts'
import { type Handlers, LINES, type Operations } from './routes.ts'

export interface BatchOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly answers: Answers
  readonly vetting: Vetting
  /** Knows the fields of results. */
  readonly selector: Selector
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
/** Attempts at a target for which there is no room at the moment, and the longest pause between two of them in milliseconds. */
const ATTEMPTS = 8
const LONGEST_PAUSE_MS = 5_000

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 64, description }))

const selectionMembers = {
  fields: names(
    'Returns only these members of each result, and `input` and `line`; like the parameter of a single check.',
  ),
  sections: names('Returns only these sections of each result; like the parameter of a single check.'),
}

const BatchRequest = Type.Object(
  {
    targets: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: BATCH_TARGETS,
      description: 'Domain names, IP addresses and URLs, in any mix.',
    }),
    visit: Type.Optional(
      Type.Boolean({ default: true, description: 'false contacts no site, like the parameter of a single check.' }),
    ),
    render: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'true opens every page in a browser, like the parameter of a single check, at the same cost for each.',
      }),
    ),
    ...selectionMembers,
  },
  closed,
)

export const batchOperations = {
  checkMany: {
    method: 'POST',
    path: '/api/v1/checks',
    body_octets: BODY_OCTETS,
    summary: `Check up to ${BATCH_TARGETS} targets in one request`,
    description: `Each line of the answer is a result with the members input and line, or {input, line, domain, ip, url, error: {code, detail}} \
for a target that is invalid or could not be checked. Lines come as soon as checks end. Each result counts against the quota, \
one by one; errors do not. The checks of one domain wait for each other. When the connection ends, no further check \
begins: send the targets that have no line again. With Prefer: respond-async the answer is a job, whose progress and results \
are fetched later.`,
    headers: Type.Object({
      Prefer: Type.Optional(
        Type.String({
          description: 'respond-async (RFC 7240) answers at once with a job (202), unless jobs are disabled.',
        }),
      ),
    }),
    body: BatchRequest,
    answer: {
      status: 200,
      description: 'One line (JSON) for each target, in the order in which the checks end.',
      schema: LINES,
    },
    later: {
      status: 202,
      description: 'A job, which continues without a connection.',
      schema: ShownJob,
      headers: Type.Object({
        Location: Type.String({ description: 'The path of the job.' }),
        'Preference-Applied': Type.String({ description: 'respond-async.' }),
        ...lookAgainHeader,
      }),
    },
    problems: ['invalid-body', 'job-limit', 'jobs-unavailable'],
  },
} as const satisfies Operations

export const batchHandlers = (options: BatchOptions): Handlers<typeof batchOperations> => ({
  async checkMany(ctx) {
    const { callers, jobbing, vetting, selector, clock } = options
    const key = await callers.authenticate(ctx)
    const { targets, visit = true, render = false, ...selection } = await readBody(ctx, batchOperations.checkMany)
    const select = selectOf(selector, selection, null, 'invalid-body')
    const batch = { targets, visit, render }
    await callers.account(ctx)
    const isJob = jobbing !== null && prefersAsync(ctx.get('Prefer'))
    if (isJob && select !== null) throw new Problem('invalid-body', WHOLE_RESULTS)
    if (isJob)
      return answerWithJob(ctx, { jobbing, vetting, clock, answer: batchOperations.checkMany.later }, key, batch)
    const stop = new AbortController()
    ctx.res.once('close', () => stop.abort())
    const type = ['Content-Type', 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering', 'no']
    ctx.res.writeHead(200, [...privateHeaders(ctx.state, clock.now()), ...VARYING, ...type])
    ctx.res.flushHeaders()
    await run(options, ctx, key, batch, select, stop.signal)
    ctx.res.end()
  },
})

async function run(
  options: BatchOptions,
  ctx: Context,
  key: Key,
  { targets, ...how }: JobRequest,
  select: Select | null,
  stop: AbortSignal,
) {
  const { clock, vetting } = options
  await runBulk({
    async *input(): AsyncIterable<InputLine> {
      for (const [at, target] of targets.entries()) yield { line: at + 1, text: target }
    },
    parse: target => parseTarget({ ...requestFor(target), ...how }, vetting),
    settled: new Set(),
    queue: createRunQueue(options.politeness, CONCURRENCY, clock.monotonic),
    overflow: createMemoryOverflow<Task>(),
    check: (target, over) => checkOne(options, key, target, over),
    write: record => write(ctx, selectedRecord(record, select), stop),
    stop,
  })
}

const WHOLE_RESULTS = 'A job keeps whole results: set fields and sections when you get them.'

async function write({ res }: Context, record: object, stop: AbortSignal): Promise<void> {
  if (res.destroyed || res.write(`${JSON.stringify(record)}\n`)) return
  // A slow reader slows the checks down.
  await once(res, 'drain', { signal: stop }).catch(() => {})
}

/** Codes of refusals that end by themselves. */
export const PASSING: ReadonlySet<string> = new Set(['overloaded', 'target-busy', 'rate-limited'])

/** Waits for room. Resolves with null when the client is gone. */
export async function checkOne(
  options: Pick<BatchOptions, 'answers' | 'clock' | 'log'>,
  key: Key,
  target: Target,
  over: AbortSignal,
): Promise<BulkAnswer> {
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

/** Why a target has no result, as in its record. Logs unexpected errors. */
export function refusal(log: Pick<Log, 'error'>, error: unknown): RecordedError {
  if (error instanceof Problem) return { code: error.code, detail: error.message }
  if (error instanceof AnalysisUnavailable) return { code: UNAVAILABLE, detail: error.detail ?? error.reason }
  if (error instanceof StoreError)
    return { code: 'store-unavailable', detail: 'The answer cannot be counted at present.' }
  log.error({ error: describeError(error) })
  return { code: INTERNAL, detail: 'Internal error.' }
}

async function answerTo(
  { answers, clock }: Pick<BatchOptions, 'answers' | 'clock'>,
  key: Key,
  target: Target,
  over: AbortSignal,
): Promise<Result> {
  const began = clock.monotonic()
  const checkAnswer = await answers.answer({
    key,
    requested: answers.requestOf(target),
    began,
    listener: null,
    until: work => work(over),
    isAbandoned: () => over.aborted,
  })
  return resultOf(checkAnswer, Math.round(clock.monotonic() - began))
}
