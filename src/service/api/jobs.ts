// Jobs over HTTP: a batch that the client does not wait for, its progress, its results and its end.
import { once } from 'node:events'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { nullable } from '../../base/nullable.ts'
import type { Select, Selector } from '../../engine/selection.ts'
import { faultKey, type InputLine, targetKey } from '../../results/bulk/record.ts'
import { doneOf, isEnded, isJobId, type Job, newJobId, nothingDone } from '../../store/jobs.ts'
import type { Jobs } from '../../store/sql/jobs.ts'
import type { Key } from '../../store/store.ts'
import { parseTarget, requestFor, type Vetting } from '../../targets/target.ts'
import { packTargets, unpackRecord } from '../jobs/packed.ts'
import { closed, count, type ShapeOf, time } from '../shapes.ts'
import type { Callers } from './callers.ts'
import { pathParameter, readQuery } from './input.ts'
import { selectedRecord, selectionParameters, selectOf } from './negotiation.ts'
import { orUnavailable, Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { privateHeaders, sendAnswer } from './respond.ts'
import { type DeclaredAnswer, type Handlers, LINES, type Operations } from './routes.ts'

/** The jobs of this installation. */
export interface Jobbing {
  readonly store: Jobs
  /** Something is due. */
  wake(): void
  /** Unfinished jobs of one account. */
  readonly most: number
  /** Milliseconds that a job is kept after its end. */
  readonly life_ms: number
}

export interface JobRoutesOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  /** Null when jobs are disabled. */
  readonly jobbing: Jobbing | null
  /** Knows the fields of results. */
  readonly selector: Selector
  readonly clock: Clock
}

const PATH = '/api/v1/jobs'
/** The answer to a batch depends on what the client prefers. */
export const VARYING = ['Vary', 'Prefer'] as const

/** Seconds after which the progress of a job that runs is worth another look. */
const LOOK_SECONDS = 2
/** Records that are read from the store at once: some 100 KiB. */
const PAGE = 20
/** Most records of a job that a client may skip: far more than there are. */
const MOST_SKIPPED = 999_999_999

const job = {
  id: Type.String({ pattern: '^job_[A-Za-z0-9_-]{22}$' }),
  status: Type.Enum(['queued', 'running', 'paused', 'completed', 'failed', 'cancelled'], {
    description:
      '`queued` waits for other jobs, `paused` goes on by itself at `resumes_at`; `cancelled` only in the answer to its removal.',
  }),
  reason: nullable(Type.String(), {
    description:
      'Why it is paused (`quota-exceeded`, `analysis-unavailable`, `store-unavailable`, `datasets-loading`) or failed (`key-revoked`, `no-valid-key`, `expired`).',
  }),
  created_at: time('When it was created.'),
  total: count('Targets, each once.'),
  duplicates: count('Targets of the request that were left out because they repeat an earlier one.'),
  done: count('Targets that have a record: a result or an error.'),
  verdicts: Type.Object(
    { safe: count('Results.'), suspicious: count('Results.'), malicious: count('Results.') },
    { ...closed, description: 'Results by verdict. Each was counted against the quota.' },
  ),
  errors: count('Targets that are invalid or could not be checked.'),
  resumes_at: nullable(time('When a paused job continues or tries again.')),
  ended_at: nullable(time('When it was completed or failed.')),
  kept_until: nullable(time('When an ended job and its results are removed, if not earlier to make room.')),
  results: Type.String({ description: 'The path of its results.' }),
}

/** A job as its owner sees it. */
export const ShownJob = Type.Object(job, closed)

export const jobSchemas = {
  Job: ShownJob,
  Jobs: Type.Object(
    {
      jobs: Type.Array(ShownJob, { description: 'Latest first.' }),
      limit: Type.Integer({ description: 'Unfinished jobs that an account may have.' }),
    },
    closed,
  ),
  RemovedJob: Type.Object({ ...job, removed: Type.Literal(true) }, closed),
} as const

/** When the next look at a job makes sense, as a response header. */
export const lookAgainHeader = {
  'Retry-After': Type.Integer({ description: 'Seconds to wait before you look at the job again.' }),
}
const lookAgainHeaders = Type.Object(lookAgainHeader)

const params = Type.Object({ id: Type.String({ description: '`id` of the job.' }) })
const STORE_PROBLEMS = ['jobs-disabled', 'jobs-unavailable'] as const
const MISSING = ['job-not-found', ...STORE_PROBLEMS] as const

export const jobOperations = {
  listJobs: {
    method: 'GET',
    path: PATH,
    summary: 'List the jobs of the account',
    description: 'Latest first: unfinished jobs, and ended jobs that are still kept.',
    answer: { status: 200, description: 'The jobs.', schema: jobSchemas.Jobs },
    problems: STORE_PROBLEMS,
  },
  getJob: {
    method: 'GET',
    path: `${PATH}/:id`,
    summary: 'Get the progress of a job',
    description: 'Retry-After says when to look again; it is absent when the job has ended.',
    params,
    answer: { status: 200, description: 'The job.', schema: ShownJob, headers: lookAgainHeaders },
    problems: MISSING,
  },
  removeJob: {
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Cancel and remove a job',
    description: 'No further check begins, running checks are not counted, and the results are removed.',
    params,
    answer: { status: 200, description: 'The job in its last state.', schema: jobSchemas.RemovedJob },
    problems: MISSING,
  },
  getJobResults: {
    method: 'GET',
    path: `${PATH}/:id/results`,
    summary: 'Get the results of a job',
    description:
      'The records so far, in the order in which the checks ended: the same lines as in a batch. Line k of an answer is record `after` + k; to continue, also after a broken connection, pass the number of complete lines received so far. With Retry-After, more may come.',
    params,
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_SKIPPED,
          default: 0,
          description: 'Number of records to skip: the records that you already have.',
        }),
      ),
      ...selectionParameters,
    }),
    answer: {
      status: 200,
      description: 'One line (JSON) for each record.',
      schema: LINES,
      headers: lookAgainHeaders,
    },
    problems: ['invalid-parameter', ...MISSING],
  },
} as const satisfies Operations

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms))

export function shownJob(job: Job, lifeMs: number): ShapeOf<typeof ShownJob> {
  const { id, status, reason, created, total, duplicates, counts, next_at, ended } = job
  const { error: errors, ...verdicts } = counts
  return {
    id,
    status,
    reason,
    created_at: timeOf(created),
    total,
    duplicates,
    done: doneOf(job),
    verdicts,
    errors,
    resumes_at: status === 'paused' ? timeOrNull(next_at) : null,
    ended_at: timeOrNull(ended),
    kept_until: ended === null ? null : timeOrNull(ended + lifeMs),
    results: `${PATH}/${id}/results`,
  }
}

/** When the next look makes sense, as a header; none when the job has ended. */
function lookAgain({ status, ended, next_at }: Job, now: number): readonly string[] {
  if (ended !== null) return []
  const seconds = status === 'paused' ? Math.ceil(((next_at ?? now) - now) / 1_000) : 0
  return ['Retry-After', `${Math.max(LOOK_SECONDS, seconds)}`]
}

export interface JobRequest {
  readonly targets: readonly string[]
  /** False when no site must be contacted. */
  readonly visit: boolean
  /** True when a browser must open every page. */
  readonly render: boolean
}

type JobAnswer = DeclaredAnswer & { readonly schema: typeof ShownJob }

/** Answers with a job instead of the results (202). Rejects with a `Problem` when there cannot be another one. */
export async function answerWithJob(
  ctx: Context,
  options: { readonly jobbing: Jobbing; readonly vetting: Vetting; readonly clock: Clock; readonly answer: JobAnswer },
  key: Key,
  { targets, ...how }: JobRequest,
): Promise<void> {
  const { jobbing, vetting, clock, answer } = options
  const { store, most, life_ms } = jobbing
  const now = clock.now()
  const lines = withoutDuplicates(targets, text => parseTarget({ ...requestFor(text), ...how }, vetting))
  const job: Job = {
    id: newJobId(),
    account: key.account,
    key: key.id,
    created: now,
    ...how,
    total: lines.length,
    duplicates: targets.length - lines.length,
    counts: nothingDone,
    status: 'queued',
    reason: null,
    next_at: now,
    ended: null,
    stalls: 0,
  }
  const outcome = await orUnavailable('jobs-unavailable', async () => store.add(job, await packTargets(lines), most))
  if (outcome === 'many')
    throw new Problem(
      'job-limit',
      `The account has ${most} unfinished jobs, which is the limit. Wait for a job to end, or delete one.`,
    )
  if (outcome === 'full')
    throw new Problem('jobs-unavailable', 'The storage for jobs is full. Retry later.', {
      'Retry-After': '60',
    })
  jobbing.wake()
  const headers = ['Location', `${PATH}/${job.id}`, 'Preference-Applied', 'respond-async', ...VARYING]
  sendAnswer(ctx, answer, shownJob(job, life_ms), now, [...headers, ...lookAgain(job, now)])
}

/** All spellings of a target are one target. Each keeps the number of its line in the request. */
function withoutDuplicates(
  targets: readonly string[],
  parse: (text: string) => ReturnType<typeof parseTarget>,
): readonly InputLine[] {
  const keys = new Set<string>()
  return targets
    .map((text, at) => ({ line: at + 1, text }))
    .filter(({ text }) => {
      const parsed = parse(text)
      const key = parsed.ok ? targetKey(parsed.target) : faultKey(text)
      return !keys.has(key) && keys.add(key)
    })
}

export function jobHandlers({ callers, jobbing, selector, clock }: JobRoutesOptions): Handlers<typeof jobOperations> {
  /** Runs `work` with the caller's account. Its key must be valid also to learn that jobs are disabled. */
  const withAccount =
    (work: (ctx: Context, account: string, jobbing: Jobbing) => Promise<void>) => async (ctx: Context) => {
      const { account } = await callers.authenticate(ctx)
      await callers.account(ctx)
      if (jobbing === null) throw new Problem('jobs-disabled')
      await orUnavailable('jobs-unavailable', () => work(ctx, account, jobbing))
    }

  /** The same with the job of the path, which must be the account's. */
  const withJob = (work: (ctx: Context, job: Job, jobbing: Jobbing) => Promise<void>) =>
    withAccount(async (ctx, account, jobbing) => {
      const id = pathParameter(ctx, 'id')
      const job = isJobId(id) ? await jobbing.store.get(id) : null
      if (job === null || job.account !== account) throw new Problem('job-not-found')
      await work(ctx, job, jobbing)
    })

  return {
    listJobs: withAccount(async (ctx, account, { store, most, life_ms }) => {
      const jobs = await store.list(account)
      const list = { jobs: jobs.map(job => shownJob(job, life_ms)), limit: most }
      sendAnswer(ctx, jobOperations.listJobs.answer, list, clock.now())
    }),
    getJob: withJob(async (ctx, job, { life_ms }) => {
      const now = clock.now()
      sendAnswer(ctx, jobOperations.getJob.answer, shownJob(job, life_ms), now, lookAgain(job, now))
    }),
    removeJob: withJob(async (ctx, job, { store, life_ms }) => {
      await store.remove(job.account, job.id)
      const last = { ...shownJob(job, life_ms), status: isEnded(job) ? job.status : ('cancelled' as const) }
      const removedJob = { ...last, resumes_at: null, kept_until: null, removed: true as const }
      sendAnswer(ctx, jobOperations.removeJob.answer, removedJob, clock.now())
    }),
    getJobResults: withJob(async (ctx, job, { store }) => {
      const { after = 0, ...selection } = readQuery(ctx, jobOperations.getJobResults)
      const select = selectOf(selector, selection, null)
      // Before the status and the headers are sent, so that a store that fails is a 503.
      const first = await store.records(job.id, after, PAGE)
      await sendRecords(ctx, store, job, { after, first, select, now: clock.now() })
    }),
  }
}

interface ResultsStream {
  readonly after: number
  readonly first: readonly Uint8Array[]
  readonly select: Select | null
  readonly now: number
}

/** The records that there are after the first `after`, one per line. A slow reader slows the store down. */
async function sendRecords(
  ctx: Context,
  store: Jobs,
  job: Job,
  { after, first, select, now }: ResultsStream,
): Promise<void> {
  const { res } = ctx
  const type = ['Content-Type', 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering', 'no']
  res.writeHead(200, [...privateHeaders(ctx.state, now), ...type, ...lookAgain(job, now)])
  let at = after
  try {
    for (let page = first; page.length > 0; page = await store.records(job.id, at, PAGE)) {
      for (const record of page) {
        const whole = await unpackRecord(record)
        const line = `${select === null ? whole : JSON.stringify(selectedRecord(JSON.parse(whole), select))}\n`
        if (res.destroyed) return
        if (!res.write(line)) await Promise.race([once(res, 'drain'), once(res, 'close')])
      }
      at += page.length
      if (page.length < PAGE) break
    }
    res.end()
  } catch {
    // The status is sent: a body that does not end properly says that records are missing.
    res.destroy()
  }
}
