// Runs a third-party module in its own process: calls in order and within their time limit, gatherers beside them for as long
// as their check lasts, and a new process after a crash.

import { isDeepStrictEqual } from 'node:util'
import { A_PROMISE, Broken } from '../engine/analyze.ts'
import type { AnalysisContext } from '../engine/plugin.ts'
import type { GatherContext } from '../evidence/evidence.ts'
import { asDeclined, NotApplicable, Unavailable } from '../evidence/facts.ts'
import { onAbort } from '../network/abort.ts'
import type { Described } from '../presentation/presentation.ts'
import { type ModuleProcess, startModuleProcess } from './module_process.ts'
import type { Question } from './protocol.ts'
import { openRelay } from './relay.ts'

/** Milliseconds for an answer, including the time in the queue. */
const ANSWER_MS = 1_000
/** While a gatherer runs, its process must answer this often, in milliseconds: it is killed when it does not within the second. */
const PING_MS = 1_000
/** Milliseconds for the answer to a ping: a busy machine delays an idle process more than one that an analyzer keeps busy. */
const PONG_MS = 2_000
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
  readonly question: Question
  /** Time of the call, by `performance.now()`. */
  readonly asked: number
  /** Milliseconds for the answer. */
  readonly limit_ms: number
  /** Settles with the answer or an `Error`. Only the first call counts. */
  settle(found: unknown): void
  /** Settles because the time limit is over. */
  expire(): void
  /** Whether the call is settled. */
  isOver(): boolean
}

/** `found` receives the result in time. A pending call keeps the service's process alive. */
function newCall(question: Question, left_ms: number, found: (answer: unknown) => void, limit_ms: number): Call {
  const asked = performance.now()
  let isOver = false
  const settle = (answer: unknown) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    found(answer)
  }
  const allowed = Math.max(0, left_ms - AFTERWARDS_MS)
  const expire = () => settle(allowed < limit_ms ? { unavailable: 'deadline' } : slow(limit_ms))
  const timer = setTimeout(expire, Math.min(limit_ms, allowed))
  return { question, asked, limit_ms, settle, expire, isOver: () => isOver }
}

const slow = (limit_ms: number) => new Broken(REASONS.timeout, `did not answer within ${limit_ms} ms`)

/** Reads the process's answer: a finding, a description, kinds or evidence, or the error that the plugin threw. */
function readAnswer(answer: unknown): unknown {
  const { finding, description, kinds, evidence, pong, error, too_large, promise } = Object(answer) as Readonly<
    Record<string, unknown>
  >
  for (const found of [finding, description, kinds, evidence, pong]) if (found !== undefined) return found
  if (too_large === true) return new Broken('finding_too_large', 'the answer exceeds the size limit')
  if (promise === true) return new Broken('not_a_finding', `analyze returned ${A_PROMISE}`)
  const { name, message, reason } = Object(error) as Readonly<Record<string, unknown>>
  const declined = asDeclined({ name, reason })
  if (declined?.status === 'unavailable') return new Unavailable(declined.reason)
  if (declined?.status === 'not_applicable') return new NotApplicable(declined.reason)
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

export interface IsolatedModule {
  /** The module's exports as data, with what their functions determine. */
  readonly plugins: readonly unknown[]
  /** The finding of the analyzer at an index in the exports. Rejects as `Elsewhere` does. */
  analyze(at: number, evidence: object, context: AnalysisContext<unknown>, left_ms: number): Promise<unknown>
  /** How the analyzer describes a section. */
  describe(at: number, section: unknown, described: Described): Promise<unknown>
  /** The kinds of evidence that the extension gathers with these options. Rejects with what it throws. */
  apply(at: number, options: unknown): Promise<unknown>
  /** Evidence from the extension, whose requests are relayed to the check until it has answered. */
  gather(at: number, wanted: Wanted, context: GatherContext): Promise<unknown>
  /** Ends the process permanently. */
  end(): void
}

export interface Wanted {
  readonly kind: string
  readonly options: unknown
  /** Whether a kind of evidence has a gatherer. */
  knows(kind: string): boolean
}

interface Gathering {
  fail(why: unknown): void
}

/**
 * Loads a module by its URL. `vet` is called before each process starts and throws if the file must not be run. Rejects
 * with the reason why the module cannot be loaded.
 */
export async function isolate(url: string, vet: () => void): Promise<IsolatedModule> {
  const queue: Call[] = []
  /** Gatherers that wait for the next process. */
  const arrivals: { begin(process: ModuleProcess): void; fail(why: unknown): void }[] = []
  const gatherings = new Set<Gathering>()
  let process: ModuleProcess | null = null
  let running = false
  let hasEnded = false
  /** Consecutive crashes without an answer in between. */
  let losses = 0
  let rests_until = 0
  let watching: NodeJS.Timeout | undefined

  const { plugins, ...first } = await begin(url, vet, true)
  take(first.process)

  const call = (question: Question, left_ms: number, limit_ms = ANSWER_MS): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const why = refusal()
      if (why !== null) throw why
      const found = (answer: unknown) => (answer instanceof Error ? reject(answer) : resolve(answer))
      queue.push(newCall(question, left_ms, found, limit_ms))
      next()
    })

  return {
    plugins,
    analyze: (at, evidence, context, left_ms) =>
      call({ at, evidence, context: { ...context, now: context.now.toISOString() } }, left_ms),
    describe: (at, section, described) => call({ at, describe: { section, described } }, Number.POSITIVE_INFINITY),
    apply: (at, options) => call({ at, apply: { options } }, Number.POSITIVE_INFINITY, LOADING_MS),
    gather,
    end() {
      hasEnded = true
      refuse(over())
      for (const gathering of gatherings) gathering.fail(over())
      process?.end()
    },
  }

  function gather(at: number, { kind, options, knows }: Wanted, context: GatherContext): Promise<unknown> {
    const relay = openRelay(context, knows)
    const { target, now, deadline, network } = context
    return new Promise((resolve, reject) => {
      const why = context.signal.aborted ? new Unavailable('cancelled') : refusal()
      if (why !== null) throw why
      const gathering = { fail: reject }
      const settle = () => {
        stop()
        gatherings.delete(gathering)
        watch()
      }
      const stop = onAbort(context.signal, () => {
        reject(new Unavailable('cancelled'))
        settle()
        // The gatherer may be in an endless loop since the last one.
        ping()
      })
      const begin = (by: ModuleProcess) => {
        if (context.signal.aborted) return
        const { limits, began } = network
        const [elapsed_ms, left_ms] = [performance.now() - began, Math.max(0, deadline - performance.now())]
        const asked = { kind, options, target, now: now.toISOString(), elapsed_ms, left_ms, limits }
        gatherings.add(gathering)
        watch()
        by.ask({ at, gather: asked }, relay)
          .then(
            answer => {
              losses = 0
              const found = readAnswer(answer)
              if (found instanceof Error) reject(found)
              else resolve(found)
            },
            error => reject(fate(by, error)),
          )
          .finally(settle)
      }
      if (process === null) arrivals.push({ begin, fail: reject })
      else begin(process)
    }).finally(relay.close)
  }

  /** An endless loop in a gatherer would otherwise only be noticed by the next analyzer. */
  function watch(): void {
    if (gatherings.size > 0) {
      watching ??= setInterval(ping, PING_MS).unref()
    } else {
      clearInterval(watching)
      watching = undefined
    }
  }

  function ping(): void {
    if (process === null || queue.some(({ question }) => 'ping' in question)) return
    queue.push(newCall({ ping: true }, Number.POSITIVE_INFINITY, () => {}, PONG_MS))
    next()
  }

  function refusal(): Broken | null {
    if (hasEnded) return over()
    return performance.now() < rests_until ? resting() : null
  }

  function take(begun: ModuleProcess): void {
    process = begun
    void begun.ended.then(lose)
    for (const { begin } of arrivals.splice(0)) begin(begun)
    next()
  }

  function next(): void {
    if (running || process === null) return
    for (let call = queue.shift(); call !== undefined; call = queue.shift())
      if (!call.isOver()) return void run(call, process)
  }

  async function run(call: Call, by: ModuleProcess): Promise<void> {
    running = true
    const computing_ms = Math.max(call.asked + call.limit_ms - performance.now(), COMPUTING_MS)
    // Settled before the process ends, so that its end does not become the reason.
    const timer = setTimeout(() => {
      call.expire()
      for (const gathering of gatherings) gathering.fail(slow(call.limit_ms))
      by.end()
    }, computing_ms).unref()
    try {
      call.settle(readAnswer(await by.ask(call.question)))
      if (!('ping' in call.question)) losses = 0
    } catch (error) {
      call.settle(fate(by, error))
    }
    clearTimeout(timer)
    running = false
    next()
  }

  /** The process may still be running: evidence that is not JSON fails before the question is sent. */
  function fate(by: ModuleProcess, error: unknown): unknown {
    return process === by ? error : new Broken(REASONS.ended, messageOf(error))
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
    for (const { fail } of arrivals.splice(0)) fail(why)
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
