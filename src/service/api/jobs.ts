// Jobs over HTTP: a batch that the client does not wait for, its progress, its results and its end.
import { once } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import { faultKey, type InputLine, targetKey } from '../../results/bulk/record.ts'
import { doneOf, isEnded, isJobId, type Job, newJobId, nothingDone } from '../../store/jobs.ts'
import type { Jobs } from '../../store/sql/jobs.ts'
import type { Key } from '../../store/store.ts'
import { parseTarget, requestFor, type Vetting } from '../../targets/target.ts'
import { packTargets, unpackRecord } from '../jobs/packed.ts'
import type { Callers } from './callers.ts'
import { orUnavailable, Problem } from './problem.ts'
import { readQuery } from './query.ts'
import type { Context } from './request_state.ts'
import { privateHeaders, sendJson } from './respond.ts'
import type { Route } from './routes.ts'

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
  readonly clock: Clock
}

const PATH = '/api/v1/jobs'
/** The answer to a batch depends on what the client prefers. */
export const VARYING = ['Vary', 'Prefer'] as const

/** Seconds after which the progress of a job that runs is worth another look. */
const LOOK_SECONDS = 2
/** Records that are read from the store at once: some 100 KiB. */
const PAGE = 20
/** Characters of an unknown parameter in a message. */
const NAME_LENGTH = 40

const timeOrNull = (ms: number | null): string | null =>
  ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A job as its owner sees it. */
export function shownJob(job: Job, life_ms: number) {
  const { id, status, reason, created, total, duplicates, counts, next_at, ended } = job
  const { error: errors, ...verdicts } = counts
  return {
    ...{ id, status, reason, created_at: timeOrNull(created), total, duplicates, done: doneOf(job), verdicts, errors },
    resumes_at: status === 'paused' ? timeOrNull(next_at) : null,
    ended_at: timeOrNull(ended),
    kept_until: ended === null ? null : timeOrNull(ended + life_ms),
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
}

/** Answers with a job instead of the results (202). Rejects with a `Problem` when there cannot be another one. */
export async function answerWithJob(
  ctx: Context,
  { jobbing, vetting, clock }: { readonly jobbing: Jobbing; readonly vetting: Vetting; readonly clock: Clock },
  key: Key,
  { targets, visit }: JobRequest,
): Promise<void> {
  const { store, most, life_ms } = jobbing
  const now = clock.now()
  const lines = withoutDuplicates(targets, text => parseTarget({ ...requestFor(text), visit }, vetting))
  const job: Job = {
    ...{ id: newJobId(), account: key.account, key: key.id, created: now, visit },
    ...{ total: lines.length, duplicates: targets.length - lines.length, counts: nothingDone },
    ...{ status: 'queued', reason: null, next_at: now, ended: null, stalls: 0 },
  }
  const added = await orUnavailable('jobs-unavailable', async () => store.add(job, await packTargets(lines), most))
  if (added === 'many')
    throw new Problem(
      'job-limit',
      `The account has ${most} unfinished jobs, which is the limit. Wait for one, or delete one.`,
    )
  if (added === 'full')
    throw new Problem('jobs-unavailable', 'There is no room for more jobs at present. Retry later.', {
      'Retry-After': '60',
    })
  jobbing.wake()
  const applied = ['Location', `${PATH}/${job.id}`, 'Preference-Applied', 'respond-async', ...VARYING]
  sendJson(ctx, 202, shownJob(job, life_ms), now, [...applied, ...lookAgain(job, now)])
}

/** All spellings of a target are one target. Each keeps the number of its line in the request. */
function withoutDuplicates(
  targets: readonly string[],
  parse: (text: string) => ReturnType<typeof parseTarget>,
): readonly InputLine[] {
  const seen = new Set<string>()
  return targets
    .map((text, at) => ({ line: at + 1, text }))
    .filter(({ text }) => {
      const parsed = parse(text)
      const key = parsed.ok ? targetKey(parsed.target) : faultKey(text)
      return !seen.has(key) && seen.add(key)
    })
}

export function jobRoutes({ callers, jobbing, clock }: JobRoutesOptions): readonly Route[] {
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
      const id = String((ctx['params'] as Record<string, string>)['id'])
      const job = isJobId(id) ? await jobbing.store.get(id) : null
      if (job === null || job.account !== account) throw new Problem('job-not-found')
      await work(ctx, job, jobbing)
    })

  return [
    {
      method: 'GET',
      path: PATH,
      handle: withAccount(async (ctx, account, { store, most, life_ms }) => {
        const jobs = await store.list(account)
        sendJson(ctx, 200, { jobs: jobs.map(job => shownJob(job, life_ms)), limit: most }, clock.now())
      }),
    },
    {
      method: 'GET',
      path: `${PATH}/:id`,
      handle: withJob(async (ctx, job, { life_ms }) => {
        sendJson(ctx, 200, shownJob(job, life_ms), clock.now(), lookAgain(job, clock.now()))
      }),
    },
    {
      method: 'GET',
      path: `${PATH}/:id/results`,
      handle: withJob(async (ctx, job, { store }) => {
        const after = readAfter(ctx)
        // Before the status and the headers are sent, so that a store that fails is a 503.
        const first = await store.records(job.id, after, PAGE)
        await sendRecords(ctx, store, job, { after, first, now: clock.now() })
      }),
    },
    {
      method: 'DELETE',
      path: `${PATH}/:id`,
      handle: withJob(async (ctx, job, { store, life_ms }) => {
        await store.remove(job.account, job.id)
        const status = isEnded(job) ? job.status : 'cancelled'
        const last = { ...shownJob(job, life_ms), status, resumes_at: null, kept_until: null }
        sendJson(ctx, 200, { ...last, removed: true }, clock.now())
      }),
    },
  ]
}

/** `?after=N`; 0 when absent. Throws a 400. */
function readAfter(ctx: Context): number {
  const { after = '0', ...others } = readQuery(ctx)
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new Problem(
      'invalid-parameter',
      `There is no parameter ${printable(other, NAME_LENGTH)}; the only one is after.`,
    )
  if (!/^\d{1,9}$/.test(after))
    throw new Problem('invalid-parameter', 'The parameter after is not a number of records, such as 120.')
  return Number(after)
}

interface Sent {
  readonly after: number
  readonly first: readonly Uint8Array[]
  readonly now: number
}

/** The records that there are after the first `after`, one per line. A slow reader slows the store down. */
async function sendRecords(ctx: Context, store: Jobs, job: Job, { after, first, now }: Sent): Promise<void> {
  const { res } = ctx
  const type = ['Content-Type', 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering', 'no']
  res.writeHead(200, [...privateHeaders(ctx.state, now), ...type, ...lookAgain(job, now)])
  let at = after
  try {
    for (let page = first; page.length > 0; page = await store.records(job.id, at, PAGE)) {
      for (const record of page) {
        const line = `${await unpackRecord(record)}\n`
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
