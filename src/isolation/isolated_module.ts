// Runs a third-party module in its own process: calls in order and within their time limit, and a new process after a
// crash.

import { isDeepStrictEqual } from 'node:util'
import { A_PROMISE, Broken } from '../engine/analyze.ts'
import type { Elsewhere } from '../engine/contract.ts'
import { type ModuleProcess, startModuleProcess } from './module_process.ts'
import type { Turn } from './protocol.ts'

/** Milliseconds for an analyzer's answer, including the time in the queue. */
const ANSWER_MS = 1_000
/** Milliseconds of the check's remaining time reserved for later steps. */
const AFTERWARDS_MS = 50

/** Why a section failed through no fault of its analyzer. */
const REASONS = {
  /** No answer in time. The process is killed if it was computing. */
  timeout: 'plugin_timeout',
  /** The process ended: out of memory, by itself, or because its configuration was replaced. */
  ended: 'plugin_ended',
  /** The process crashed repeatedly and is restarted after a pause. */
  resting: 'plugin_resting',
} as const

interface Call {
  readonly turn: Turn
  /** Time of the call, by `performance.now()`. */
  readonly asked: number
  /** Settles with the analyzer's answer or an `Error`. Only the first call counts. */
  settle(found: unknown): void
  /** Settles because the time limit is over. */
  expire(): void
  /** Whether the call is settled. */
  isOver(): boolean
}

/** `found` receives the result in time. A pending call keeps the service's process alive. */
function newCall(turn: Turn, left_ms: number, found: (answer: unknown) => void): Call {
  const asked = performance.now()
  let isOver = false
  const settle = (answer: unknown) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    found(answer)
  }
  const allowed = Math.max(0, left_ms - AFTERWARDS_MS)
  const expire = () => settle(allowed < ANSWER_MS ? { unavailable: 'deadline' } : slow())
  const timer = setTimeout(expire, Math.min(ANSWER_MS, allowed))
  return { turn, asked, settle, expire, isOver: () => isOver }
}

const slow = () => new Broken(REASONS.timeout, `did not answer within ${ANSWER_MS} ms`)

/** Reads the process's answer: a finding, or the error that the analyzer threw. */
function readAnswer(answer: unknown): unknown {
  const { finding, error, too_large, promise } = (answer ?? {}) as Readonly<Record<string, unknown>>
  if (finding !== undefined) return finding
  if (too_large === true) return new Broken('finding_too_large', 'the finding exceeds the size limit')
  if (promise === true) return new Broken('not_a_finding', `analyze returned ${A_PROMISE}`)
  const { name, message } = (error ?? {}) as Readonly<Record<string, unknown>>
  return Object.assign(new Error(String(message)), { name: String(name) })
}

/**
 * Minimum computing time of a call, so that one that waited long in the queue does not cost the others their process.
 */
const COMPUTING_MS = 250
/** Milliseconds for a process to start and load its module. */
const LOADING_MS = 10_000
/** Consecutive crashes after which the process is restarted at once. */
const FORGIVEN = 3
/** The pause after the next crash; it doubles with each further one, up to the maximum. */
const REST_MS = 1_000
const LONGEST_REST_MS = 30_000

interface IsolatedModule {
  /** The module's exports as data, with the kind of each. */
  readonly plugins: readonly unknown[]
  /** The analyzer at an index in the exports. */
  analyzer(at: number): Elsewhere
  /** Ends the process permanently. */
  end(): void
}

/**
 * Loads a module by its URL. `vet` is called before each process starts and throws if the file must not be run. Rejects
 * with the reason why the module cannot be loaded.
 */
export async function isolate(url: string, vet: () => void): Promise<IsolatedModule> {
  const queue: Call[] = []
  let process: ModuleProcess | null = null
  let running = false
  let hasEnded = false
  /** Consecutive crashes without an answer in between. */
  let losses = 0
  let rests_until = 0

  const { plugins, ...first } = await begin(url, vet, true)
  take(first.process)
  return {
    plugins,
    analyzer: at => (evidence, context, left_ms) =>
      new Promise((resolve, reject) => {
        if (hasEnded) throw over()
        if (performance.now() < rests_until) throw resting()
        const turn = { at, evidence, context: { ...context, now: context.now.toISOString() } }
        queue.push(newCall(turn, left_ms, found => (found instanceof Error ? reject(found) : resolve(found))))
        next()
      }),
    end() {
      hasEnded = true
      refuse(over())
      process?.end()
    },
  }

  function take(begun: ModuleProcess): void {
    process = begun
    void begun.ended.then(lose)
    next()
  }

  function next(): void {
    if (running || process === null) return
    for (let call = queue.shift(); call !== undefined; call = queue.shift())
      if (!call.isOver()) return void run(call, process)
  }

  async function run(call: Call, by: ModuleProcess): Promise<void> {
    running = true
    const computing_ms = Math.max(call.asked + ANSWER_MS - performance.now(), COMPUTING_MS)
    // Settled before the process ends, so that its end does not become the reason.
    const timer = setTimeout(() => {
      call.expire()
      by.end()
    }, computing_ms).unref()
    try {
      call.settle(readAnswer(await by.ask(call.turn)))
      losses = 0
    } catch (error) {
      // The process may still be running: evidence that is not JSON fails before the question is sent.
      call.settle(process === by ? error : new Broken(REASONS.ended, messageOf(error)))
    }
    clearTimeout(timer)
    running = false
    next()
  }

  function lose(): void {
    process = null
    if (hasEnded) return
    losses += 1
    const rest = losses <= FORGIVEN ? 0 : Math.min(REST_MS * 2 ** (losses - FORGIVEN - 1), LONGEST_REST_MS)
    rests_until = performance.now() + rest
    if (rest > 0) refuse(resting())
    setTimeout(again, rest).unref()
  }

  async function again(): Promise<void> {
    const begun = hasEnded ? null : await begin(url, vet, false).catch(() => null)
    if (begun === null) return lose()
    // A module that changed could return what the known schema does not allow.
    const isSame = isDeepStrictEqual(begun.plugins, plugins)
    if (isSame && !hasEnded) return take(begun.process)
    begun.process.end()
    lose()
  }

  function refuse(why: Broken): void {
    for (const call of queue.splice(0)) call.settle(why)
  }
}

const over = () => new Broken(REASONS.ended, 'its configuration was replaced')
const resting = () => new Broken(REASONS.resting, 'its process ended too many times in a row')

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface Begun {
  readonly process: ModuleProcess
  readonly plugins: readonly unknown[]
}

/** `isAwaited` is true at the start of the service, which must not exit meanwhile. */
async function begin(url: string, vet: () => void, isAwaited: boolean): Promise<Begun> {
  vet()
  const process = startModuleProcess()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    process.end()
  }, LOADING_MS)
  if (!isAwaited) {
    process.unref()
    timer.unref()
  }
  try {
    const answer: unknown = await process.ask({ load: url })
    const { plugins } = (answer ?? {}) as { readonly plugins?: unknown }
    if (!Array.isArray(plugins)) throw readAnswer(answer)
    process.unref()
    return { process, plugins }
  } catch (error) {
    process.end()
    throw isLate ? new Error(`did not load within ${LOADING_MS} ms`) : error
  } finally {
    clearTimeout(timer)
  }
}
