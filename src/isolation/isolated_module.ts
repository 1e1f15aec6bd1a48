// A third-party module in a process of its own: its calls in order and within their time, and a new process when one is lost.

import { isDeepStrictEqual } from 'node:util'
import type { Elsewhere } from '../engine/contract.ts'
import { Broken } from '../engine/finding.ts'
import { type ModuleProcess, startModuleProcess } from './module_process.ts'
import type { Turn } from './protocol.ts'

/** Milliseconds from being asked, waiting included, in which an analyzer answers. */
const ANSWER_MS = 1_000
/** Milliseconds kept back of what the check has left, for what comes after. */
const AFTERWARDS_MS = 50

/** Why a section failed that its analyzer did not fail itself. */
const REASONS = {
  /** No answer in time; the process is ended when it was computing. */
  timeout: 'plugin_timeout',
  /** The process ended: of memory, by itself, or with the configuration. */
  ended: 'plugin_ended',
  /** It did so again and again, and is begun anew after a while. */
  resting: 'plugin_resting',
} as const

interface Call {
  readonly turn: Turn
  /** By `performance.now()`. */
  readonly asked: number
  /** What the analyzer answered, or an `Error`. Only the first counts. */
  settle(found: unknown): void
  /** Its time is over. */
  expire(): void
  /** Whether nobody waits for it any more. */
  isOver(): boolean
}

/** `found` is told what it comes to, in time; while it is not, the process of the service does not end by itself. */
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

/** What the process said: a finding, or the error that the analyzer threw. */
function readAnswer(answer: unknown): unknown {
  const { finding, error, too_large } = (answer ?? {}) as Readonly<Record<string, unknown>>
  if (finding !== undefined) return finding
  if (too_large === true) return new Broken('finding_too_large', 'the finding exceeds the size limit')
  const { name, message } = (error ?? {}) as Readonly<Record<string, unknown>>
  return Object.assign(new Error(String(message)), { name: String(name) })
}

/** Milliseconds of computing that a call has in any case: one that waited long is not to cost the others their process. */
const COMPUTING_MS = 250
/** Milliseconds in which a process begins and loads its module. */
const LOADING_MS = 10_000
/** Losses in a row after which a new process begins at once. */
const FORGIVEN = 3
/** Milliseconds of rest after the next one, doubled with each further one, and the most of it. */
const REST_MS = 1_000
const LONGEST_REST_MS = 30_000

interface IsolatedModule {
  /** What the module exports, as data, with what `analyze` and `apply` are. */
  readonly plugins: readonly unknown[]
  /** The analyzer at that place among them. */
  analyzer(at: number): Elsewhere
  /** Ends its process for good. */
  end(): void
}

/**
 * Loads a module by its URL. `vet` throws when the file is not to be run; it is asked before each process. Rejects with why
 * the module cannot be loaded.
 */
export async function isolate(url: string, vet: () => void): Promise<IsolatedModule> {
  const queue: Call[] = []
  let process: ModuleProcess | null = null
  let running = false
  let hasEnded = false
  /** Processes lost in a row, without an answer in between. */
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
    // Told before the process ends: that its end is heard of first must not make it the reason.
    const timer = setTimeout(() => {
      call.expire()
      by.end()
    }, computing_ms).unref()
    try {
      call.settle(readAnswer(await by.ask(call.turn)))
      losses = 0
    } catch (error) {
      // Also of evidence that is no JSON: then the process is there, and was not asked.
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
    // Checked as another one, it could answer what its schema does not hold.
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

/** `isAwaited` by the start of the service, which is not to end meanwhile. */
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
