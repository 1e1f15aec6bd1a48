// Runs a third-party module in its own process: calls in order and within their time limit, gatherers beside them for as long
// as their check lasts, and a new process after a crash.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { onAbort, unlessAborted } from '../../base/abort.ts'
import type { GatherContext } from '../../evidence/evidence.ts'
import { Unavailable } from '../../evidence/facts.ts'
import { Broken } from '../explained.ts'
import type { AnalysisContext } from '../plugin.ts'
import type { Described } from '../presentation/presentation.ts'
import { type ModuleProcess, startModuleProcess } from './module_process.ts'
import { openRelay } from './relay.ts'

/** Milliseconds for an answer, including the time in the queue. */
const ANSWER_MS = 1_000
/** Minimum computing time of a call, so that one that waited long in the queue does not cost the others their process. */
const COMPUTING_MS = 250
/** While a gatherer runs, its process must answer this often, in milliseconds, so that one that never returns is noticed. */
const PING_MS = 1_000
/** Milliseconds for the answer to a ping: a busy machine delays an idle process more than one that an analyzer keeps busy. */
const PONG_MS = 2_000
/** Milliseconds of the check's remaining time reserved for later steps. */
const AFTERWARDS_MS = 50
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

/** What a process is started with, vetted anew each time. */
export interface Source {
  /** The module's URL. */
  readonly url: string
  /** The files and folders that it may read. */
  readonly reads: readonly string[]
}

/** `vet` throws if the module must not be run. Rejects with the reason why it cannot be loaded. */
export async function isolate(vet: () => Source): Promise<IsolatedModule> {
  const first = await begin(vet, true)
  const { plugins } = first
  /** The process, or the one that is being started. */
  let current = take(first.process)
  let queue: Promise<unknown> = current
  let hasEnded = false
  let isPinging = false
  /** Consecutive crashes without an answer in between. */
  let losses = 0
  let rests_until = 0

  function take(begun: ModuleProcess): Promise<ModuleProcess> {
    void begun.ended.then(() => {
      if (hasEnded) return
      current = again()
      // Whoever waits for it hears of it.
      current.catch(() => {})
    })
    return Promise.resolve(begun)
  }

  async function again(): Promise<ModuleProcess> {
    while (!hasEnded) {
      losses += 1
      const rest = losses <= FORGIVEN ? 0 : Math.min(REST_MS * 2 ** (losses - FORGIVEN - 1), LONGEST_REST_MS)
      rests_until = performance.now() + rest
      await sleep(rest, undefined, { ref: false })
      const begun = hasEnded ? null : await begin(vet, false).catch(() => null)
      // A module that changed could return what the known schema does not allow.
      if (begun !== null && !hasEnded && isDeepStrictEqual(begun.plugins, plugins)) return take(begun.process)
      begun?.process.end(over())
    }
    throw over()
  }

  function refuse(): void {
    if (hasEnded) throw over()
    if (performance.now() < rests_until) throw new Broken('plugin_resting', 'its process ended too many times in a row')
  }

  /** A pending call keeps the service's process alive. */
  function call(
    name: string,
    given: unknown,
    left_ms = Number.POSITIVE_INFINITY,
    limit_ms = ANSWER_MS,
  ): Promise<unknown> {
    refuse()
    const asked = performance.now()
    const allowed = Math.max(0, left_ms - AFTERWARDS_MS)
    let isOver = false
    return new Promise((resolve, reject) => {
      const expire = () => {
        isOver = true
        if (allowed < limit_ms) resolve({ unavailable: 'deadline' })
        else reject(slow(limit_ms))
      }
      const timer = setTimeout(expire, Math.min(limit_ms, allowed))
      const run = async () => {
        const by = await current
        if (isOver) return
        const computing_ms = Math.max(asked + limit_ms - performance.now(), COMPUTING_MS)
        // Settled before the process ends, so that its end does not become the reason.
        const limit = setTimeout(() => {
          expire()
          by.end(slow(limit_ms))
        }, computing_ms).unref()
        await answered(by.call(name, given))
          .then(resolve, reject)
          .finally(() => clearTimeout(limit))
      }
      queue = queue.then(run, run).catch(reject)
      void queue.finally(() => clearTimeout(timer))
    })
  }

  /** An answer shows that the process works, also when it is an error. */
  async function answered(answer: Promise<unknown>): Promise<unknown> {
    try {
      const found = await answer
      if (found !== true) losses = 0
      return found
    } catch (error) {
      if (!(error instanceof Broken)) losses = 0
      const { reason, message } = error as { readonly reason?: string; readonly message: string }
      throw reason !== undefined && BROKEN.has(reason) ? new Broken(reason, message) : error
    }
  }

  function ping(): void {
    if (isPinging || hasEnded) return
    isPinging = true
    Promise.resolve()
      .then(() => call('ping', null, undefined, PONG_MS))
      .catch(() => {})
      .finally(() => {
        isPinging = false
      })
  }

  async function gather(at: number, { kind, options, knows }: Wanted, context: GatherContext): Promise<unknown> {
    refuse()
    const { target, now, deadline, network, signal } = context
    const relay = openRelay(context, knows)
    const pinging = setInterval(ping, PING_MS).unref()
    // The gatherer may be in an endless loop since the last one.
    const unsubscribe = onAbort(signal, ping)
    try {
      const by = await unlessAborted(current, signal, () => new Unavailable('cancelled'))
      const [elapsed_ms, left_ms] = [performance.now() - network.began, Math.max(0, deadline - performance.now())]
      const given = { at, kind, options, target, now: now.toISOString(), elapsed_ms, left_ms, limits: network.limits }
      return await answered(by.call('gather', given, { relay, signal }))
    } finally {
      clearInterval(pinging)
      unsubscribe()
      relay.close()
    }
  }

  return {
    plugins,
    analyze: async (at, evidence, context, left_ms) =>
      call('analyze', { at, evidence, context: { ...context, now: context.now.toISOString() } }, left_ms),
    describe: async (at, section, described) => call('describe', { at, section, described }),
    apply: async (at, options) => call('apply', { at, options }, undefined, LOADING_MS),
    gather,
    end() {
      hasEnded = true
      current.then(by => by.end(over())).catch(() => {})
    },
  }
}

/** What the process itself says of an answer. */
const BROKEN: ReadonlySet<string> = new Set(['finding_too_large', 'not_a_finding'])

const over = () => new Broken('plugin_ended', 'its configuration was replaced')
const slow = (limit_ms: number) => new Broken('plugin_timeout', `did not answer within ${limit_ms} ms`)

interface Begun {
  readonly process: ModuleProcess
  readonly plugins: readonly unknown[]
}

/** `isAwaited` is true at the start of the service, which must not exit meanwhile. */
async function begin(vet: () => Source, isAwaited: boolean): Promise<Begun> {
  const { url, reads } = vet()
  const process = startModuleProcess(reads)
  const late = new Error(`did not load within ${LOADING_MS} ms`)
  const timer = setTimeout(() => process.end(late), LOADING_MS)
  if (!isAwaited) {
    process.unref()
    timer.unref()
  }
  try {
    const plugins = await process.call('load', { url })
    if (!Array.isArray(plugins)) throw new Error('answered with an unknown message')
    process.unref()
    return { process, plugins }
  } catch (error) {
    process.end(error as Error)
    throw explained(error as Error)
  } finally {
    clearTimeout(timer)
  }
}

/** Where the service runs as root, its plugins are files that the user of their process may be unable to read. */
const explained = (error: Error): Error =>
  process.getuid?.() === 0 && /Cannot find module|EACCES/.test(error.message)
    ? new Error(`${error.message} (a service of root runs isolated plugins as \`nobody\`: let that user read them)`)
    : error
