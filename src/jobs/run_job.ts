// One run of a job: checks the targets that have no record, until all have one or something stands in the way.
import { setTimeout as pause } from 'node:timers/promises'
import { createMemoryOverflow } from '../bulk/overflow.ts'
import { createPoliteness, createPoliteQueue, type LaneLimits } from '../bulk/polite_queue.ts'
import {
  type BulkRecord,
  type InputLine,
  isError,
  type RecordedError,
  type Result,
  resultRecord,
  type Task,
  UNAVAILABLE,
} from '../bulk/record.ts'
import { type BulkAnswer, runBulk } from '../bulk/run.ts'
import type { Clock } from '../clock.ts'
import type { Turn } from '../sole_runner.ts'
import type { Job, JobStanding, JobStore, RecordKind } from '../store/jobs.ts'
import { parseTarget, requestFor, type Target, type Vetting } from '../targets/target.ts'
import { packRecord, unpackTargets } from './packed.ts'

/** The outcome for one target. */
export type JobAsked =
  | { readonly end: 'answered' }
  /** There is no room at the moment. */
  | { readonly end: 'refused'; readonly retry_ms: number }
  /** Nothing can be looked up now. */
  | { readonly end: 'unseen'; readonly detail: string }
  /** No target of the job can be answered before `until`. */
  | { readonly end: 'paused'; readonly reason: string; readonly until: number }
  /** None will ever be. */
  | { readonly end: 'failed'; readonly reason: string }
  | { readonly end: 'error'; readonly error: RecordedError }

/** Keeps the result before it is counted. When it rejects, the result is not counted. */
export type Keep = (result: Result) => Promise<void>

/** Gets the answer for a target of a job, counted against the quota of its account. Never rejects. */
export type AskForJob = (job: Job, target: Target, keep: Keep, signal: AbortSignal) => Promise<JobAsked>

export interface RunJobOptions {
  readonly store: JobStore
  readonly ask: AskForJob
  readonly vetting: Vetting
  /** The limits for one registrable domain. */
  readonly politeness: LaneLimits
  readonly clock: Clock
  /** Concurrent checks. */
  readonly checks: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Longer than any period of a quota: a job that is not done then never will be. */
const LONGEST_MS = 35 * DAY_MS
/** Longest pause between two attempts at a target for which there is no room. */
const LONGEST_PAUSE_MS = 30_000
/** Targets in a row that cannot be looked up, after which the others need not be tried. */
const UNSEEN_AFTER = 8
/** Runs without any result, because nothing could be looked up, after which a target gets an error instead: some five hours. */
const UNSEEN_RUNS = 24
const LONGEST_UNSEEN_MS = 15 * MINUTE_MS

/** Rejects when the store fails. The job then stays due. */
export async function runJob(
  options: RunJobOptions,
  job: Job,
  { signal, ending }: Omit<Turn, 'nextLook'>,
): Promise<void> {
  const { store, vetting, clock, checks } = options
  const ended = (status: 'completed' | 'failed', reason: string | null): JobStanding => ({
    ...{ status, reason, next_at: null, ended: clock.now(), stalls: job.stalls },
  })
  if (clock.now() - job.created > LONGEST_MS) {
    await store.mark(job.id, ended('failed', 'expired'))
    return
  }
  const packed = await store.targets(job.id)
  const { next_at, stalls } = job
  const isThere = await store.mark(job.id, { status: 'running', reason: null, next_at, ended: null, stalls })
  if (packed === null || !isThere) return
  const recorded = new Set(await store.recover(job.id))
  const open = (await unpackTargets(packed)).filter(({ line }) => !recorded.has(line))

  const run = createRun(options, job, signal)
  const overflow = createMemoryOverflow<Task>()
  const { tally, ended: end } = await runBulk({
    async *input(): AsyncIterable<InputLine> {
      yield* open
    },
    parse: text => parseTarget({ ...requestFor(text), visit: job.visit }, vetting),
    settled: new Set(),
    queue: createPoliteQueue({ politeness: createPoliteness(options.politeness), overflow, clock }),
    check: run.check,
    write: run.write,
    concurrency: checks,
    stop: AbortSignal.any([ending, run.stopped]),
  })
  const { stop, answered } = run.outcome()
  if (stop === 'overtaken') return
  if (stop?.end === 'failed') await store.mark(job.id, ended('failed', stop.reason))
  else if (stop?.end === 'paused')
    await store.mark(job.id, { status: 'paused', reason: stop.reason, next_at: stop.until, ended: null, stalls: 0 })
  else if (tally.written + tally.duplicates === open.length) await store.mark(job.id, ended('completed', null))
  else if (stop?.end === 'unseen' || end === 'whole') {
    const runs = answered ? 1 : job.stalls + 1
    const until = clock.now() + Math.min(runs * MINUTE_MS, LONGEST_UNSEEN_MS)
    await store.mark(job.id, { status: 'paused', reason: UNAVAILABLE, next_at: until, ended: null, stalls: runs })
  }
}

type Stop = Extract<JobAsked, { readonly end: 'paused' | 'failed' | 'unseen' }> | 'overtaken'

/** The checks of one run and what ends it. */
function createRun({ store, ask }: RunJobOptions, job: Job, signal: AbortSignal) {
  const stopping = new AbortController()
  let stop: Stop | null = null
  let answered = false
  let unseen = 0

  function end(why: Stop): null {
    stop ??= why
    stopping.abort()
    return null
  }

  /** Waits as long as there is no room: nobody waits for a job. Null when the target has no record for now. */
  async function check(target: Target, over: AbortSignal, line: InputLine): Promise<BulkAnswer> {
    for (let attempt = 0; !over.aborted; attempt++) {
      const asked = await askFor(target, line)
      if (asked === null) return end('overtaken')
      if ('result' in asked) return { ok: true, result: asked.result }
      if (signal.aborted) return null
      if (asked.end === 'error') return { ok: false, error: asked.error }
      if (asked.end === 'paused' || asked.end === 'failed') return end(asked)
      if (asked.end === 'unseen') {
        if (job.stalls >= UNSEEN_RUNS && !answered)
          return { ok: false, error: { code: UNAVAILABLE, detail: asked.detail } }
        unseen += 1
        return unseen >= UNSEEN_AFTER ? end(asked) : null
      }
      const wait = Math.min(Math.max(asked.retry_ms, 1_000 * 2 ** Math.min(attempt, 5)), LONGEST_PAUSE_MS)
      await pause(wait * (0.75 + Math.random() / 2), undefined, { signal: over }).catch(() => {})
    }
    return null
  }

  type Refused = Exclude<JobAsked, { readonly end: 'answered' }>

  /** Null when the job is gone or another process has taken it over. Rejects when the store fails. */
  async function askFor(target: Target, line: InputLine): Promise<{ readonly result: Result } | Refused | null> {
    let result: Result | null = null
    let kept: Promise<boolean> | null = null
    const keep: Keep = async found => {
      result = found
      kept = put(resultRecord(line, found), verdictOf(found))
      if (!(await kept)) throw new Error('the job is gone')
    }
    const asked = await ask(job, target, keep, signal)
    const isKept = kept === null ? null : await (kept as Promise<boolean>)
    if (isKept === false) return null
    if (asked.end === 'answered' && result !== null) {
      answered = true
      unseen = 0
      return { result }
    }
    if (isKept) await store.withdraw(job.id, line.line)
    return asked.end === 'answered' ? null : asked
  }

  const put = async (record: BulkRecord, kind: RecordKind): Promise<boolean> =>
    store.hide(job.id, { line: record.line, kind, body: await packRecord(record) })

  /** Shows the record of a counted result, which is stored already; stores that of an error. */
  async function write(record: BulkRecord): Promise<void> {
    if (isError(record) && !(await put(record, 'error'))) return void end('overtaken')
    await store.show(job.id, record.line)
  }

  return { check, write, stopped: stopping.signal, outcome: () => ({ stop, answered }) }
}

const verdictOf = ({ verdict }: Result): RecordKind =>
  verdict === 'malicious' || verdict === 'suspicious' ? verdict : 'safe'
