// The workers: starts them, replaces those that end or hang, and restarts one after another without losing a request.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Readiness } from '../api/health.ts'
import type { Log } from '../api/log.ts'
import type { MetricsData } from '../api/metrics.ts'
import { withTimeout } from '../timeout.ts'
import type { Door, Place } from './door.ts'
import { createLink, type Link, remote } from './link.ts'
import {
  LINK_FD,
  type Orders,
  type OwnerMethods,
  type Standing,
  type StartFailure,
  type WorkerMethods,
} from './protocol.ts'
import type { StoreHost } from './store_host.ts'

/** Milliseconds for a worker to start: many times what it takes on a busy machine. */
const START_MS = 120_000
/** Milliseconds between reports of a worker, and how many may be missing before it counts as hanging and is killed. */
export const ALIVE_MS = 1_000
const SILENT = 30
/** Milliseconds for a worker to answer running requests and to end: longer than any check. */
const FINISH_MS = 12_000
/** Milliseconds that a worker must live for its end to count as the first. */
const SETTLED_MS = 30_000
/** Milliseconds before a worker that ended soon again is replaced, doubled each time, up to the maximum. */
const REST_MS = 200
const LONGEST_REST_MS = 10_000
/** Milliseconds in which the connections of a worker that is replaced may end by themselves, and between looks at them. */
const RETIRE_MS = 5_000
const LOOK_MS = 50
/** Milliseconds to wait for the metrics of a worker that is busy. */
const METRICS_MS = 3_000

export interface PoolOptions {
  readonly count: number
  readonly door: Door
  readonly host: StoreHost
  /** The program that a worker runs, with its arguments. */
  readonly program: readonly [module: string, ...args: string[]]
  /** For a worker of this number under the current configuration. */
  readonly orders: (number: number) => Omit<Orders, 'number' | 'store' | 'speaks'>
  readonly log: Log
  /** Takes complete lines of the workers' logs, and what they have to tell the operator. */
  readonly writeLog: (octets: Buffer, lines: number) => void
  readonly say: (text: string) => void
  /** The metrics of all processes, of which the pool knows those of the workers. */
  readonly metrics: () => Promise<string>
  /** What stays of the metrics of processes that have ended. */
  readonly remains: (all: readonly MetricsData[]) => Promise<MetricsData>
}

export interface Pool {
  /** Resolves when all workers are ready; rejects with the first failure. */
  start(): Promise<void>
  /** Replaces all workers, one after another, each when its successor is ready. Rejects when a successor cannot start. */
  restart(): Promise<void>
  /** Every connection closes after its next response, and `/readyz` fails. */
  retire(): void
  /** Resolves when all running requests are answered and the workers have ended. */
  finish(): Promise<void>
  /** The metrics of each running worker, and what remains of those that have ended. */
  metrics(): Promise<readonly MetricsData[]>
  standing(): Standing
  /** The last report of each ready worker; first the one that leads. */
  readiness(): readonly Readiness[]
  kill(): void
}

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
  readonly code: number
  constructor({ code, message }: StartFailure) {
    super(message)
    this.code = code
  }
}

interface Worker {
  readonly number: number
  readonly child: ChildProcess
  readonly worker: ReturnType<typeof remote<WorkerMethods>>
  readonly link: Link
  readonly began: number
  /** Resolves when it is ready, rejects when it ends before. */
  readonly started: Promise<void>
  readonly ended: Promise<string>
  readonly place: () => Place | null
  ready: boolean
  /** It was asked to end. */
  leaving: boolean
  silent: number
  readiness: Readiness | null
  metrics: MetricsData
}

export function createPool(options: PoolOptions): Pool {
  const { count, door, host, program, log } = options
  const workers = new Set<Worker>()
  /** Ends in a row, soon after the start, by number. */
  const failures = new Map<number, number>()
  let leader: Worker | null = null
  let replaced = 0
  let closing = false
  let past: Promise<MetricsData> = Promise.resolve([])

  const ready = () => [...workers].filter(worker => worker.ready && !worker.leaving)
  const standing = (): Standing => ({ configured: count, ready: ready().length, replaced })

  function announce(): void {
    if (leader === null) {
      leader = ready()[0] ?? null
      if (leader !== null) leader.link.tell('worker', 'lead')
    }
    for (const { link, ready } of workers) if (ready) link.tell('worker', 'standing', standing())
  }

  function launch(number: number, speaks: boolean): Worker {
    const child = fork(program[0], program.slice(1), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
      // Signals of the terminal are for the owner.
      detached: true,
    })
    let place: Place | null = null
    let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null
    const started = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject }
    })
    started.catch(() => {})
    const opened = host.open(() => link)
    const owner: OwnerMethods = {
      orders: () => ({ ...options.orders(number), number, speaks, store: host.greeting() }),
      ready() {
        worker.ready = true
        place = door.enter(child)
        settle?.resolve()
        announce()
      },
      failed: failure => settle?.reject(new WorkerFailure(failure)),
      alive(readiness) {
        worker.silent = 0
        worker.readiness = readiness
      },
      taken: () => place?.taken(),
      left: count => place?.left(count),
      log: (octets, lines) => options.writeLog(Buffer.from(octets), lines),
      say: options.say,
      refreshed(dataset) {
        for (const other of workers) if (other !== worker) other.link.tell('worker', 'refreshed', dataset)
      },
      metrics: options.metrics,
    }
    const link = createLink(child.stdio[LINK_FD] as Socket, { ...opened.services, owner })
    const ended = new Promise<string>(resolve => {
      child.once('error', error => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    const worker: Worker = {
      number,
      child,
      link,
      worker: remote<WorkerMethods>(link, 'worker'),
      began: performance.now(),
      started,
      ended,
      place: () => place,
      ready: false,
      leaving: false,
      silent: 0,
      readiness: null,
      metrics: [],
    }
    workers.add(worker)
    const overdue = setTimeout(() => child.kill('SIGKILL'), START_MS).unref()
    void started.finally(() => clearTimeout(overdue)).catch(() => {})
    // What it held goes back at once, before a successor starts.
    void link.closed.then(opened.drop)
    void ended.then(how => {
      workers.delete(worker)
      place?.gone()
      link.close()
      if (leader === worker) leader = null
      past = past.then(known => options.remains([known, worker.metrics]))
      settle?.reject(new WorkerFailure({ code: NO_REASON, message: `A worker ended with ${how} before it was ready.` }))
      announce()
      if (!worker.leaving) void replace(worker, how)
    })
    return worker
  }

  /** Starts another worker in the place of one that ended. */
  async function replace({ number, ready, began }: Worker, how: string): Promise<void> {
    // The first start fails as a whole, and so does a restart.
    if (closing || !ready) return
    replaced += 1
    const lived_ms = performance.now() - began
    const last = lived_ms < SETTLED_MS ? (failures.get(number) ?? 0) : 0
    failures.set(number, last + 1)
    log.error({ worker: number, ended: how, lived_ms: Math.round(lived_ms) })
    for (let failed = last; !closing; failed++) {
      await pause(failed === 0 ? 0 : Math.min(LONGEST_REST_MS, REST_MS * 2 ** (failed - 1)), undefined, { ref: false })
      if (closing) return
      const next = launch(number, false)
      const failure = await next.started.then(
        () => null,
        (error: Error) => error,
      )
      if (failure === null) return log.info({ worker: number, started: next.child.pid })
      next.child.kill('SIGKILL')
      log.error({ worker: number, start: 'failed', reason: failure.message })
    }
  }

  const pulse = setInterval(() => {
    for (const worker of workers) {
      if (!worker.ready) continue
      worker.silent += 1
      if (worker.silent <= SILENT) continue
      log.error({ worker: worker.number, silent_seconds: worker.silent })
      worker.child.kill('SIGKILL')
    }
  }, ALIVE_MS).unref()

  async function collect(worker: Worker): Promise<MetricsData> {
    const data = await withTimeout(worker.worker.metrics(), METRICS_MS).catch(() => null)
    worker.metrics = data ?? worker.metrics
    return worker.metrics
  }

  /** Lets a worker finish what it has, and ends it. */
  async function end(worker: Worker): Promise<void> {
    await collect(worker)
    worker.link.tell('worker', 'finish')
    const late = setTimeout(() => worker.child.kill('SIGKILL'), FINISH_MS).unref()
    await worker.ended
    clearTimeout(late)
  }

  async function succeed(worker: Worker): Promise<void> {
    const next = launch(worker.number, false)
    try {
      await next.started
    } catch (error) {
      next.leaving = true
      next.child.kill('SIGKILL')
      throw error
    }
    if (!workers.has(worker)) return
    worker.leaving = true
    if (leader === worker) leader = null
    worker.place()?.leave()
    // A busy worker hears of it late.
    await withTimeout(worker.worker.retire(false), FINISH_MS).catch(() => {})
    // A client that just sends a request on a connection that is closed would lose it: first most of them end by themselves.
    for (let waited = 0; waited < RETIRE_MS && (worker.place()?.open() ?? 0) > 0; waited += LOOK_MS)
      await pause(LOOK_MS)
    await end(worker)
  }

  return {
    async start() {
      const all = Array.from({ length: count }, (_, at) => launch(at + 1, at === 0))
      try {
        await Promise.all(all.map(({ started }) => started))
      } catch (error) {
        closing = true
        throw error
      }
    },
    async restart() {
      for (const worker of [...workers]) {
        if (closing) return
        if (worker.ready && !worker.leaving) await succeed(worker)
      }
    },
    retire() {
      closing = true
      for (const worker of workers) {
        worker.leaving = true
        worker.link.tell('worker', 'retire', true)
      }
    },
    async finish() {
      closing = true
      clearInterval(pulse)
      await Promise.all(
        [...workers].map(worker => {
          worker.leaving = true
          worker.place()?.leave()
          if (!worker.ready) worker.child.kill('SIGKILL')
          return end(worker)
        }),
      )
    },
    metrics: async () => Promise.all([...[...workers].map(collect), past]),
    standing,
    readiness: () =>
      ready()
        .sort((one, other) => Number(other === leader) - Number(one === leader))
        .flatMap(({ readiness }) => readiness ?? []),
    kill() {
      closing = true
      for (const { child } of workers) child.kill('SIGKILL')
    },
  }
}

/** The exit code for a worker that ended without a word: internal error. */
const NO_REASON = 70
