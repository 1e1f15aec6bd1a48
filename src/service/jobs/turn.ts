// One turn at a lane of a job: checks some of its targets that have no record. A job has several lanes, which may run in as many
// processes; all targets of a registrable domain are in the same one, so that a job is polite to it wherever it runs.
import { createHash } from 'node:crypto'
import { createCache } from '../../base/cache/cache.ts'
import type { Clock } from '../../base/clock.ts'
import { createMemoryOverflow } from '../../results/bulk/overflow.ts'
import { createRunQueue, type Politeness } from '../../results/bulk/politeness.ts'
import {
  type BulkRecord,
  type InputLine,
  isError,
  type RecordedError,
  type Result,
  resultRecord,
  type Task,
  UNAVAILABLE,
} from '../../results/bulk/record.ts'
import { type BulkAnswer, runBulk } from '../../results/bulk/run.ts'
import { doneOf, type Job, type JobStanding, type RecordKind } from '../../store/jobs.ts'
import type { Change } from '../../store/sql/database.ts'
import { type Jobs, recordLine } from '../../store/sql/jobs.ts'
import type { RunSignals } from '../../store/sql/queues.ts'
import { parseTarget, requestFor, type Target, type Vetting } from '../../targets/target.ts'
import { packRecord, unpackTargets } from './packed.ts'

/** The outcome for one target. */
export type JobAsked =
  /** Recorded and counted. */
  | { readonly end: 'answered' }
  /** Neither: the target has a record already, or the job is gone. */
  | { readonly end: 'known' }
  /** There is no room at the moment: at the target, or for any check of the account. */
  | { readonly end: 'refused'; readonly by: 'target' | 'account'; readonly retry_ms: number }
  /** Nothing can be looked up now. */
  | { readonly end: 'unseen'; readonly detail: string }
  /** No target of the job can be answered before `until`. */
  | { readonly end: 'paused'; readonly reason: string; readonly until: number }
  /** None will ever be. */
  | { readonly end: 'failed'; readonly reason: string }
  | { readonly end: 'error'; readonly error: RecordedError }

/** Writes the record of a result within the transaction that counts it. False when nothing must be counted. */
export type WriteRecord = (change: Change) => Promise<boolean>

/**
 * Gets the answer for a target of a job, and counts it in a transaction that writes what `record` makes of the result. Never rejects.
 */
export type AskForJob = (
  job: Job,
  target: Target,
  record: (result: Result) => Promise<WriteRecord>,
  signal: AbortSignal,
) => Promise<JobAsked>

export interface TurnOptions {
  readonly store: Jobs
  readonly ask: AskForJob
  readonly vetting: Vetting
  /** The limits for one registrable domain. */
  readonly politeness: Politeness
  readonly clock: Clock
  /** Concurrent checks of a turn. */
  readonly checks: number
}

/** Lanes of a job. */
export const LANES = 16
/** Targets of one turn: then the lanes of other jobs have theirs. */
const TURN_LINES = 32

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/** Longer than any period of a quota: a job that is not done then never will be. */
const LONGEST_MS = 35 * DAY_MS
/** Longest pause before another attempt at a target for which there is no room. */
const LONGEST_PAUSE_MS = 30 * SECOND_MS
/** Targets in a row that cannot be looked up, after which the others need not be tried. */
const UNSEEN_AFTER = 8
/** Turns in a row without any result, because nothing could be looked up, after which a target gets an error: some five hours. */
const UNSEEN_RUNS = 24
const LONGEST_UNSEEN_MS = 15 * MINUTE_MS
/** The targets of a job by lane. */
type Lanes = readonly (readonly InputLine[])[]

/** Takes turns at lanes. Resolves with when the lane goes on, null when there is nothing left to do for it. Rejects when the store fails. */
export function createTurns(options: TurnOptions) {
  const { store, clock, vetting, politeness } = options
  const lanes = createCache<Lanes>('lanes')

  const parse = ({ visit, render = false }: Job, text: string) =>
    parseTarget({ ...requestFor(text), visit, render }, vetting)

  /** Null when the job is gone. */
  async function lanesOf(job: Job): Promise<Lanes | null> {
    const cachedLanes = lanes.get(job.id)
    if (cachedLanes !== undefined) return cachedLanes
    const packedTargets = await store.targets(job.id)
    if (packedTargets === null) return null
    const newLanes = Array.from({ length: LANES }, (): InputLine[] => [])
    for (const line of await unpackTargets(packedTargets)) {
      const parsed = parse(job, line.text)
      newLanes[parsed.ok ? laneOf(parsed.target) : line.line % LANES]?.push(line)
    }
    lanes.set(job.id, newLanes)
    return newLanes
  }

  const finalStanding = (status: 'completed' | 'failed', reason: string | null): JobStanding => ({
    status,
    reason,
    next_at: null,
    ended: clock.now(),
    stalls: 0,
  })

  async function completeIfDone(id: string): Promise<null> {
    const job = await store.get(id)
    if (job !== null && doneOf(job) >= job.total) await store.mark(job, finalStanding('completed', null))
    return null
  }

  return async function takeTurn(job: Job, lane: number, { ending, signal }: RunSignals): Promise<number | null> {
    if (clock.now() - job.created > LONGEST_MS) {
      await store.mark(job, finalStanding('failed', 'expired'))
      return null
    }
    const { next_at, stalls } = job
    const running: JobStanding = { status: 'running', reason: null, next_at, ended: null, stalls }
    if (job.status !== 'running' && !(await store.mark(job, running))) return null
    const all = await lanesOf(job)
    if (all === null) return null
    const recordedLines = await store.recorded(job.id)
    const open = (all[lane] ?? []).filter(({ line }) => !recordedLines.has(line))
    if (open.length === 0) return completeIfDone(job.id)

    const run = createRun(options, job, signal)
    const { tally } = await runBulk({
      async *input(): AsyncIterable<InputLine> {
        yield* open.slice(0, TURN_LINES)
      },
      parse: text => parse(job, text),
      settled: new Set(),
      queue: createRunQueue(politeness, options.checks, clock.monotonic),
      overflow: createMemoryOverflow<Task>(),
      check: run.check,
      write: run.write,
      stop: AbortSignal.any([ending, run.stopped]),
    })
    const { stop, answerCount, unseenCount, isCrowded, retry_ms } = run.outcome()
    if (stop === 'gone') return null
    if (stop?.end === 'failed') await store.mark(job, finalStanding('failed', stop.reason))
    else if (stop?.end === 'paused')
      await store.mark(job, { status: 'paused', reason: stop.reason, next_at: stop.until, ended: null, stalls: 0 })
    else if (ending.aborted) return clock.now()
    else if (unseenCount > 0 && answerCount === 0) {
      const until = clock.now() + Math.min((stalls + 1) * MINUTE_MS, LONGEST_UNSEEN_MS)
      await store.mark(job, { status: 'paused', reason: UNAVAILABLE, next_at: until, ended: null, stalls: stalls + 1 })
    } else if (tally.written + tally.duplicates === open.length) return completeIfDone(job.id)
    else {
      if (answerCount > 0 && stalls > 0) await store.mark(job, { ...running, stalls: 0 })
      return clock.now() + (isCrowded || tally.written === 0 ? retry_ms : 0)
    }
    return null
  }
}

/** A shared platform is in one lane, because its sites share a limit. */
const laneOf = ({ registered, ip }: Target): number =>
  (createHash('sha256')
    .update(registered ?? ip ?? '')
    .digest()[0] ?? 0) % LANES

type Stop = Extract<JobAsked, { readonly end: 'paused' | 'failed' }> | 'gone'

/** The checks of one turn and what ends it. */
function createRun({ store, ask }: TurnOptions, job: Job, signal: AbortSignal) {
  const stopping = new AbortController()
  let stop: Stop | null = null
  let answerCount = 0
  let unseenCount = 0
  let inRow = 0
  let isCrowded = false
  let retryMs = SECOND_MS

  function end(why: Stop | null): null {
    stop ??= why
    stopping.abort()
    return null
  }

  /** Null when the target has no record for now. */
  async function check(target: Target, over: AbortSignal, line: InputLine): Promise<BulkAnswer> {
    if (over.aborted) return null
    let result: Result = {}
    const answer = await ask(job, target, prepare, signal)
    async function prepare(checkResult: Result): Promise<WriteRecord> {
      result = checkResult
      const body = await packRecord(resultRecord(line, checkResult))
      return change => recordLine(change, job.id, { line: line.line, kind: verdictOf(checkResult), body })
    }
    switch (answer.end) {
      case 'answered':
      case 'known':
        answerCount += 1
        inRow = 0
        return { ok: true, result }
      case 'error':
        return signal.aborted ? null : { ok: false, error: answer.error }
      case 'paused':
      case 'failed':
        return signal.aborted ? null : end(answer)
      case 'refused':
        if (answer.by === 'account') {
          // The other lanes have all the room that the account has, and leave some within a check.
          isCrowded = true
          return end(null)
        }
        retryMs = Math.min(Math.max(retryMs, answer.retry_ms), LONGEST_PAUSE_MS)
        return null
      case 'unseen':
        if (signal.aborted) return null
        if (job.stalls >= UNSEEN_RUNS && answerCount === 0)
          return { ok: false, error: { code: UNAVAILABLE, detail: answer.detail } }
        unseenCount += 1
        inRow += 1
        return inRow >= UNSEEN_AFTER ? end(null) : null
    }
  }

  /** Stores the record of an error. That of a result was stored when it was counted. */
  async function write(record: BulkRecord): Promise<void> {
    if (!isError(record)) return
    const isWritten = await store.record(job.id, { line: record.line, kind: 'error', body: await packRecord(record) })
    if (!isWritten && (await store.get(job.id))?.next_at == null) end('gone')
  }

  function outcome() {
    const pauseMs = isCrowded ? SECOND_MS : retryMs
    return {
      stop,
      answerCount,
      unseenCount,
      isCrowded,
      retry_ms: Math.round(pauseMs * (0.75 + Math.random() / 2)),
    }
  }

  return { check, write, stopped: stopping.signal, outcome }
}

const verdictOf = ({ verdict }: Result): RecordKind =>
  verdict === 'malicious' || verdict === 'suspicious' ? verdict : 'safe'
