// Runs a third-party module in its own process: calls in order and within their time limit, gatherers beside them for as long
// as their check lasts, and a new process after a crash.
import { isDeepStrictEqual } from 'node:util'
import { onAbort, unlessAborted } from '../../base/abort.ts'
import type { GatherContext } from '../../evidence/evidence.ts'
import { Unavailable } from '../../evidence/facts.ts'
import { BrokenPlugin } from '../explained.ts'
import type { AnalysisContext } from '../plugin.ts'
import type { Described } from '../presentation/presentation.ts'
import { ModuleProcess } from './module_process.ts'
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
const TOLERATED_CRASHES = 3
/** The pause after the next crash; it doubles with each further one, up to the maximum. */
const REST_MS = 1_000
const LONGEST_REST_MS = 30_000

export interface ModuleRequest {
  readonly kind: string
  readonly options: unknown
  /** Whether a kind of evidence has a gatherer. */
  knows(kind: string): boolean
}

/** The parameters of a process, vetted at each start. */
export interface Source {
  /** The module's URL. */
  readonly url: string
  /** The files and folders that it may read. */
  readonly reads: readonly string[]
}

/** `vet` throws if the module must not be run. Rejects with the reason why it cannot be loaded. */
export const isolate = async (vet: () => Source): Promise<IsolatedModule> =>
  new IsolatedModule(vet, await begin(vet, true))

export class IsolatedModule {
  /** The module's exports as data, with what their functions determine. */
  readonly plugins: readonly unknown[]
  readonly #vet: () => Source
  /** The process, once started. Rejects with the reason if it cannot be started. */
  #current: Promise<ModuleProcess>
  #queue: Promise<unknown> = Promise.resolve()
  #hasEnded = false
  #isPinging = false
  /** Consecutive crashes without an answer in between. */
  #losses = 0

  constructor(vet: () => Source, first: StartedModule) {
    this.#vet = vet
    this.plugins = first.plugins
    this.#current = this.#take(first.process)
  }

  /** The finding of the analyzer at an index in the exports. Rejects as `Elsewhere` does. */
  async analyze(at: number, evidence: object, context: AnalysisContext<unknown>, leftMs: number): Promise<unknown> {
    return this.#call('analyze', { at, evidence, context: { ...context, now: context.now.toISOString() } }, leftMs)
  }

  /** How the analyzer describes a section. */
  async describe(at: number, section: unknown, description: Described): Promise<unknown> {
    return this.#call('describe', { at, section, described: description })
  }

  /** The kinds of evidence that the extension gathers with these options. Rejects with its error. */
  async apply(at: number, options: unknown): Promise<unknown> {
    return this.#call('apply', { at, options }, undefined, LOADING_MS)
  }

  /** Evidence from the extension. Requests of the extension are relayed to the check until it has answered. */
  async gather(at: number, { kind, options, knows }: ModuleRequest, context: GatherContext): Promise<unknown> {
    const { target, now, deadline, network, signal } = context
    const relay = openRelay(context, knows)
    const ping = () => this.#ping()
    const pinging = setInterval(ping, PING_MS).unref()
    // The gatherer may be in an endless loop since the last one.
    const unsubscribe = onAbort(signal, ping)
    try {
      const by = await unlessAborted(this.#current, signal, () => new Unavailable('cancelled'))
      const [elapsedMs, leftMs] = [performance.now() - network.began, Math.max(0, deadline - performance.now())]
      const request = {
        at,
        kind,
        options,
        target,
        now: now.toISOString(),
        elapsed_ms: elapsedMs,
        left_ms: leftMs,
        limits: network.limits,
      }
      return await this.#answered(by.call('gather', request, { relay, signal }))
    } finally {
      clearInterval(pinging)
      unsubscribe()
      relay.close()
    }
  }

  /** Ends the process permanently. */
  end(): void {
    this.#hasEnded = true
    this.#current.then(by => by.end(over())).catch(() => {})
  }

  async #take(process: ModuleProcess): Promise<ModuleProcess> {
    void process.ended.then(why => this.#replace(why))
    return process
  }

  /** Another process after one that ended or could not be started, at once or after a pause in which calls are refused. */
  #replace(why: Error): void {
    if (this.#hasEnded) return
    this.#losses += 1
    const pauses = this.#losses - TOLERATED_CRASHES
    if (pauses > 0) {
      const pauseMs = Math.min(REST_MS * 2 ** (pauses - 1), LONGEST_REST_MS)
      this.#become(Promise.reject(resting(why)))
      setTimeout(() => this.#become(this.#restarted()), pauseMs).unref()
    } else this.#become(this.#restarted())
  }

  /** Rejects all waiting calls when the process fails. */
  #become(successor: Promise<ModuleProcess>): void {
    this.#current = successor
    successor.catch(() => {})
  }

  async #restarted(): Promise<ModuleProcess> {
    try {
      if (this.#hasEnded) throw over()
      const start = await begin(this.#vet, false)
      // A changed module could return sections that the known schema does not allow.
      const why = this.#hasEnded ? over() : isDeepStrictEqual(start.plugins, this.plugins) ? null : changeError()
      if (why === null) return this.#take(start.process)
      start.process.end(why)
      throw why
    } catch (error) {
      const why = error instanceof BrokenPlugin ? error : new BrokenPlugin('plugin_ended', (error as Error).message)
      this.#replace(why)
      throw why
    }
  }

  /** A pending call keeps the service's process alive. */
  #call(name: string, argument: unknown, leftMs = Number.POSITIVE_INFINITY, limitMs = ANSWER_MS): Promise<unknown> {
    const askedAt = performance.now()
    const allowedMs = Math.max(0, leftMs - AFTERWARDS_MS)
    let isOver = false
    return new Promise((resolve, reject) => {
      const expire = () => {
        isOver = true
        if (allowedMs < limitMs) resolve({ unavailable: 'deadline' })
        else reject(slow(limitMs))
      }
      const timer = setTimeout(expire, Math.min(limitMs, allowedMs))
      const run = async () => {
        const by = await this.#current
        if (isOver) return
        const computingMs = Math.max(askedAt + limitMs - performance.now(), COMPUTING_MS)
        // Settled before the process ends, so that its end does not become the reason.
        const limit = setTimeout(() => {
          expire()
          by.end(slow(limitMs))
        }, computingMs).unref()
        await this.#answered(by.call(name, argument))
          .then(resolve, reject)
          .finally(() => clearTimeout(limit))
      }
      this.#queue = this.#queue.then(run).catch(reject)
      void this.#queue.finally(() => clearTimeout(timer))
    })
  }

  /** An answer shows that the process works, also when it is an error. */
  async #answered(answer: Promise<unknown>): Promise<unknown> {
    try {
      const value = await answer
      if (value !== true) this.#losses = 0
      return value
    } catch (error) {
      if (!(error instanceof BrokenPlugin)) this.#losses = 0
      const { reason, message } = error as { readonly reason?: string; readonly message: string }
      throw reason !== undefined && DEFECT_REASONS.has(reason) ? new BrokenPlugin(reason, message) : error
    }
  }

  #ping(): void {
    if (this.#isPinging || this.#hasEnded) return
    this.#isPinging = true
    this.#call('ping', null, undefined, PONG_MS)
      .catch(() => {})
      .finally(() => {
        this.#isPinging = false
      })
  }
}

/** What the process itself says of an answer. */
const DEFECT_REASONS: ReadonlySet<string> = new Set(['finding_too_large', 'not_a_finding'])

const over = () => new BrokenPlugin('plugin_ended', 'its configuration was replaced')
const resting = ({ message }: Error) => new BrokenPlugin('plugin_resting', `failed too many times in a row: ${message}`)
const changeError = () => new BrokenPlugin('plugin_ended', 'its module exports something else than at the start')
const slow = (limitMs: number) => new BrokenPlugin('plugin_timeout', `did not answer within ${limitMs} ms`)

interface StartedModule {
  readonly process: ModuleProcess
  readonly plugins: readonly unknown[]
}

/** `isAwaited` is true at the start of the service, which must not exit meanwhile. */
async function begin(vet: () => Source, isAwaited: boolean): Promise<StartedModule> {
  const { url, reads } = vet()
  const moduleProcess = new ModuleProcess(reads)
  const late = new Error(`did not load within ${LOADING_MS} ms`)
  const timer = setTimeout(() => moduleProcess.end(late), LOADING_MS)
  if (!isAwaited) {
    moduleProcess.unref()
    timer.unref()
  }
  try {
    const plugins = await moduleProcess.call('load', { url })
    if (!Array.isArray(plugins)) throw new Error('answered with an unknown message')
    moduleProcess.unref()
    return { process: moduleProcess, plugins }
  } catch (error) {
    moduleProcess.end(error as Error)
    throw explainError(error as Error)
  } finally {
    clearTimeout(timer)
  }
}

/** Where the service runs as root, its plugins are files that the user of their process may be unable to read. */
const explainError = (error: Error): Error =>
  process.getuid?.() === 0 && /Cannot find module|EACCES/.test(error.message)
    ? new Error(
        `${error.message} (a service that runs as root runs isolated plugins as \`nobody\`: make them readable for that user)`,
      )
    : error
