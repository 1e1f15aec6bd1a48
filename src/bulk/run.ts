// A run over many targets: reads ahead politely, checks some at once, writes one record a target, and can be stopped.
import { setMaxListeners } from 'node:events'
import type { Verdict } from '../scoring/verdict.ts'
import type { ParsedTarget, Target } from '../target/target.ts'
import type { PoliteQueue } from './polite_queue.ts'
import { type BulkRecord, errorRecord, type Result, resultRecord } from './record.ts'
import { newTally, type Tally } from './tally.ts'
import { faultKey, type InputLine, type RecordedError, type Task, targetKey, UNAVAILABLE } from './task.ts'

/** A check always has an answer: a result, or why there is none. Null: it was stopped before there was one. */
export type BulkAnswer =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: RecordedError }
  | null

export interface RunOptions {
  /** Ends early when the signal aborts. */
  readonly input: (over: AbortSignal) => AsyncIterable<InputLine>
  readonly parse: (text: string) => ParsedTarget
  /** Keys of what an earlier run settled. */
  readonly settled: ReadonlySet<string>
  readonly queue: PoliteQueue
  /** Never rejects for a target's sake; when it rejects the run ends. */
  readonly check: (target: Target, over: AbortSignal) => Promise<BulkAnswer>
  readonly write: (record: BulkRecord) => Promise<void>
  /** Checks at once. */
  readonly concurrency: number
  /** Starts no other check; those under way end, and are written. */
  readonly stop: AbortSignal
  /** Counts as the run goes. */
  readonly tally?: Tally
}

export interface Ran {
  readonly tally: Tally
  /** Why it ended before its input did; `blind`: one target after another could not be looked at, so it is us. */
  readonly ended: 'whole' | 'stopped' | 'blind'
}

/** That many targets in a row that could not be looked at are no accident: our resolver or network is down. */
const BLIND_AFTER = 32

interface State {
  readonly tally: Tally
  /** Aborted when no other check may start, for whatever reason. */
  readonly over: AbortController
  /** Targets in a row that could not be looked at. */
  unseen: number
}

/** Rejects when a record could not be written or the input not be read; what was written stays. */
export async function runBulk(options: RunOptions): Promise<Ran> {
  const { queue, stop, concurrency } = options
  const over = new AbortController()
  // Every check under way may listen.
  setMaxListeners(0, over.signal)
  const state: State = { tally: options.tally ?? newTally(), over, unseen: 0 }
  const failures: unknown[] = []
  const fail = (error: unknown) => {
    failures.push(error)
    over.abort()
  }
  const end = () => over.abort()
  over.signal.addEventListener('abort', () => queue.stop())
  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  const workers = Array.from({ length: concurrency }, () => worker(options, state).catch(fail))
  await Promise.all([feed(options, state).catch(fail), ...workers])
  stop.removeEventListener('abort', end)
  if (failures.length > 0) throw failures[0]
  return { tally: state.tally, ended: stop.aborted ? 'stopped' : state.unseen >= BLIND_AFTER ? 'blind' : 'whole' }
}

async function feed({ input, parse, settled, queue, write }: RunOptions, { tally, over }: State): Promise<void> {
  const seen = new Set<string>()
  for await (const line of input(over.signal)) {
    if (over.signal.aborted) return
    tally.lines++
    const parsed = parse(line.text)
    const key = parsed.ok ? targetKey(parsed.target) : faultKey(line.text)
    if (seen.has(key)) tally.duplicates++
    else if (settled.has(key)) tally.settled++
    else if (parsed.ok) await queue.push({ ...line, target: parsed.target })
    else {
      await write(errorRecord(line, null, { code: parsed.code, detail: parsed.detail }))
      tally.written++
      tally.invalid++
    }
    seen.add(key)
  }
  queue.end()
}

async function worker(options: RunOptions, state: State): Promise<void> {
  const { queue, check } = options
  for (let task = await queue.next(); task !== null; task = await queue.next()) {
    try {
      const answer = await check(task.target, state.over.signal)
      if (answer !== null) await settle(options, state, task, answer)
    } finally {
      queue.release(task)
    }
    if (state.unseen >= BLIND_AFTER) state.over.abort()
  }
}

async function settle({ write }: RunOptions, state: State, task: Task, answer: Exclude<BulkAnswer, null>) {
  const { tally } = state
  if (answer.ok) {
    await write(resultRecord(task, answer.result))
    tally.verdicts[answer.result['verdict'] as Verdict]++
    state.unseen = 0
  } else {
    await write(errorRecord(task, task.target, answer.error))
    const unseen = answer.error.code === UNAVAILABLE
    if (unseen) tally.unavailable++
    else tally.broken++
    state.unseen = unseen ? state.unseen + 1 : 0
  }
  tally.written++
}
