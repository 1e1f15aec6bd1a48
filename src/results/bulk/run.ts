// A run over many targets: reads ahead politely, runs checks concurrently, writes one record per target, and can be stopped.
import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Queue } from '../../base/scheduler/queue.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { CheckResult, Engine } from '../../engine/engine.ts'
import type { ParsedTarget, Target } from '../../targets/target.ts'
import type { Overflow } from './overflow.ts'
import { runClient } from './politeness.ts'
import { countResult, newTally, type Tally } from './progress.ts'
import {
  type BulkRecord,
  errorRecord,
  faultKey,
  INTERNAL,
  type InputLine,
  type RecordedError,
  type Result,
  resultRecord,
  type Task,
  targetKey,
  UNAVAILABLE,
} from './record.ts'

/** A result, or an error; null when the run was stopped before. */
export type BulkAnswer =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: RecordedError }
  | null

interface RunOptions {
  /** Ends early when the signal aborts. */
  readonly input: (over: AbortSignal) => AsyncIterable<InputLine>
  readonly parse: (text: string) => ParsedTarget
  /** Keys of targets that an earlier run settled. */
  readonly settled: ReadonlySet<string>
  /** Where checks wait for their turn, from `createRunQueue`. */
  readonly queue: Queue
  /** Where tasks of a domain wait that has enough in memory. */
  readonly overflow: Overflow<Task>
  /** Never rejects because of a target; a rejection ends the run. */
  readonly check: (target: Target, over: AbortSignal, line: InputLine) => Promise<BulkAnswer>
  readonly write: (record: BulkRecord) => Promise<void>
  /** Starts no further check; running checks finish and are written. */
  readonly stop: AbortSignal
  /** Updated during the run. */
  readonly tally?: Tally
}

export interface Ran {
  readonly tally: Tally
  /** How the run ended; `unavailable`: too many consecutive targets could not be checked, so the fault is ours. */
  readonly ended: 'whole' | 'stopped' | 'unavailable'
  /** Why the last target that could not be checked was not; null while all were. */
  readonly because: string | null
}

/** After so many consecutive targets that cannot be checked, the resolver or network must be down. */
export const UNAVAILABLE_AFTER = 32

interface State {
  readonly tally: Tally
  /** Aborted when no further check may start. */
  readonly over: AbortController
  /** Targets in a row that could not be checked. */
  unseen: number
  because: string | null
}

/** Tasks of one domain in memory. More of them wait on disk, so that they do not fill the look-ahead. */
const GROUP_AHEAD = 64
/** Most tasks in memory; reading the input pauses while there are that many. */
const LOOK_AHEAD = 4_096

/** A shared platform is one group, because its sites share limits. */
const groupOf = ({ target }: Task): string => target.registered ?? target.ip

/** Rejects when a record cannot be written or the input cannot be read; written records remain. */
export async function runBulk(options: RunOptions): Promise<Ran> {
  const { queue, overflow, stop, check } = options
  const over = new AbortController()
  // Every running check may add a listener.
  setMaxListeners(0, over.signal)
  const state: State = { tally: options.tally ?? newTally(), over, unseen: 0, because: null }
  const failures: unknown[] = []
  const running = new Set<Promise<void>>()
  /** Tasks in memory that wait, by group. */
  const groups = new Map<string, number>()
  let roomy = () => {}

  const fail = (error: unknown) => {
    failures.push(error)
    over.abort()
  }
  const end = () => over.abort()

  /** Resolves when there is room for more. */
  async function put(task: Task): Promise<void> {
    const group = groupOf(task)
    if (overflow.has(group) || (groups.get(group) ?? 0) >= GROUP_AHEAD) return overflow.put(group, task)
    begin(group, task)
    while (queue.figures.waiting >= LOOK_AHEAD && !over.signal.aborted) {
      await new Promise<void>(resolve => {
        roomy = resolve
      })
    }
  }

  function begin(group: string, task: Task): void {
    groups.set(group, (groups.get(group) ?? 0) + 1)
    const completion = turn(group, task)
      .catch(fail)
      .finally(() => running.delete(completion))
    running.add(completion)
  }

  async function turn(group: string, task: Task): Promise<void> {
    const lease = await queue.enter({ ...runClient(task.target), signal: over.signal, wait_ms: null })
    leave(group)
    roomy()
    if (lease === null) return
    try {
      const answer = over.signal.aborted ? null : await check(task.target, over.signal, task)
      if (answer !== null) await settle(options, state, task, answer)
    } finally {
      lease.end()
    }
    if (state.unseen >= UNAVAILABLE_AFTER) over.abort()
  }

  /** The last one that waited in memory is followed by what waits on disk. */
  function leave(group: string): void {
    const openTasks = (groups.get(group) ?? 1) - 1
    if (openTasks > 0) return void groups.set(group, openTasks)
    groups.delete(group)
    if (over.signal.aborted || !overflow.has(group)) return
    for (const task of overflow.take(group)) begin(group, task)
  }

  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  await feed(options, state, put).catch(fail)
  while (running.size > 0) await Promise.all(running)
  stop.removeEventListener('abort', end)
  if (failures.length > 0) throw failures[0]
  return {
    tally: state.tally,
    because: state.because,
    ended: stop.aborted ? 'stopped' : state.unseen >= UNAVAILABLE_AFTER ? 'unavailable' : 'whole',
  }
}

type Put = (task: Task) => Promise<void>

async function feed({ input, parse, settled, write }: RunOptions, { tally, over }: State, put: Put): Promise<void> {
  const keys = new Set<string>()
  for await (const line of input(over.signal)) {
    if (over.signal.aborted) return
    tally.lines++
    const parsed = parse(line.text)
    const key = parsed.ok ? targetKey(parsed.target) : faultKey(line.text)
    if (keys.has(key)) tally.duplicates++
    else if (settled.has(key)) tally.settled++
    else if (parsed.ok) await put({ ...line, target: parsed.target })
    else {
      await write(errorRecord(line, null, { code: parsed.code, detail: parsed.detail }))
      tally.written++
      tally.invalid++
    }
    keys.add(key)
  }
}

async function settle({ write }: RunOptions, state: State, task: Task, answer: Exclude<BulkAnswer, null>) {
  const { tally } = state
  if (answer.ok) {
    await write(resultRecord(task, answer.result))
    countResult(tally, answer.result)
    state.unseen = 0
  } else {
    await write(errorRecord(task, task.target, answer.error))
    const isUnseen = answer.error.code === UNAVAILABLE
    if (isUnseen) {
      tally.unavailable++
      state.because = answer.error.detail
    } else tally.broken++
    state.unseen = isUnseen ? state.unseen + 1 : 0
  }
  tally.written++
}

/** A restarted resolver is back within seconds; after a longer outage the next run retries. */
const RETRY_AFTER_MS = [1_000, 3_000]

/** The whole result as the API returns it. Rejects like the engine. */
export async function checkTarget(engine: Pick<Engine, 'check'>, target: Target): Promise<CheckResult> {
  const began = performance.now()
  const checkResult = await engine.check(target)
  const processTimeMs = Math.round(performance.now() - began)
  return { ...checkResult, result: { ...checkResult.result, process_time_ms: processTimeMs, cached: false } }
}

/** Retries when nothing could be checked. Never rejects; null when the run was stopped before. */
export function createRetryingCheck(engine: Pick<Engine, 'check'>, onDefect: (error: unknown, target: Target) => void) {
  return async (target: Target, over: AbortSignal): Promise<BulkAnswer> => {
    for (const wait of [...RETRY_AFTER_MS, null]) {
      try {
        const { result } = await checkTarget(engine, target)
        return { ok: true, result }
      } catch (error) {
        if (!(error instanceof AnalysisUnavailable)) {
          onDefect(error, target)
          return { ok: false, error: { code: INTERNAL, detail: 'Internal error; see standard error.' } }
        }
        if (over.aborted) return null
        if (wait === null) return { ok: false, error: { code: UNAVAILABLE, detail: error.detail ?? error.reason } }
        await pause(wait, undefined, { signal: over }).catch(() => {})
      }
    }
    return null
  }
}
