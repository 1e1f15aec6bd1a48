// A module of a third party in a process of its own: its calls in order and in time, and a new process when one is lost.
import { isDeepStrictEqual } from 'node:util'
import type { Elsewhere } from '../engine/contract.ts'
import { Broken } from '../engine/finding.ts'
import { ANSWER_MS, type Call, newCall, REASONS, readAnswer } from './call.ts'
import { type ModuleProcess, startModuleProcess } from './module_process.ts'

/** Milliseconds of computing that a call has in any case: one that waited long is not to cost the others their process. */
const COMPUTING_MS = 250
/** Milliseconds in which a process begins and loads its module. */
const LOADING_MS = 10_000
/** Losses in a row after which a new process begins at once. */
const FORGIVEN = 3
/** Milliseconds of rest after the next one, doubled with each further one, and the most of it. */
const REST_MS = 1_000
const LONGEST_REST_MS = 30_000

export interface IsolatedModule {
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

const over = () => new Broken(REASONS.ended, 'its configuration is not in force any more')
const resting = () => new Broken(REASONS.resting, 'its processes were lost, one after the other')

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
    throw isLate ? new Error(`is not loaded within ${LOADING_MS} ms`) : error
  } finally {
    clearTimeout(timer)
  }
}
