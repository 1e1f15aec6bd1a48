// The workers: starts them, replaces those that end or hang, and restarts one after another without losing a request. The port is
// one socket of `node:cluster`, from which the workers that are free accept.
import cluster, { type Worker as Child } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { withTimeout } from '../../base/timeout.ts'
import type { Readiness } from '../api/health.ts'
import type { Log } from '../api/log.ts'
import type { MetricsData } from '../api/metrics.ts'
import type { Orders, PoolStanding, StartFailure, ToPrimary, ToWorker } from './messages.ts'

/** Milliseconds for a worker to start: many times what it takes on a busy machine. */
const START_MS = 120_000
/** Milliseconds between reports of a worker, and how many may be missing before it counts as hanging and is killed. */
export const ALIVE_MS = 1_000
const SILENT = 30
/** Milliseconds for a worker to answer running requests and to end: longer than any check. */
const FINISH_MS = 12_000
/** Milliseconds in which the connections of a worker that is replaced end by themselves, each after its next response. */
const RETIRE_MS = 5_000
/** Milliseconds that a worker must live for its end to count as the first. */
const SETTLED_MS = 30_000
/** Milliseconds before a worker that ended soon again is replaced, doubled each time, up to the maximum. */
const REST_MS = 200
const LONGEST_REST_MS = 10_000
/** Milliseconds to wait for the metrics of a worker that is busy. */
const METRICS_MS = 3_000
/** The exit code for a worker that ended without a word: internal error. */
const NO_REASON = 70

export interface PoolOptions {
  readonly count: number
  /** The program that a worker runs, with its arguments. */
  readonly program: readonly [module: string, ...args: string[]]
  /** For a worker under the current configuration. */
  readonly orders: () => Omit<Orders, 'number' | 'speaks'>
  readonly log: Log
  /** What a worker has to tell the operator. */
  readonly say: (text: string) => void
  /** The metrics of all processes, of which the pool knows those of the workers. */
  readonly metrics: () => Promise<string>
  /** What stays of the metrics of processes that have ended. */
  readonly remains: (all: readonly MetricsData[]) => Promise<MetricsData>
}

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
  readonly code: number
  constructor({ code, message }: StartFailure) {
    super(message)
    this.code = code
  }
}

/** A worker process as the primary sees it. */
class Member {
  readonly began = performance.now()
  readonly child: Child
  /** Resolves with its URL when it listens; rejects when it ends before. */
  readonly startup: Promise<string>
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  readonly number: number
  ready = false
  /** It was asked to end. */
  leaving = false
  /** Another starts in its place. */
  succeeded = false
  /** Reports that are missing. */
  silent = 0
  readiness: Readiness | null = null
  metrics: MetricsData = []
  #collected: ((data: MetricsData) => void)[] = []

  constructor(number: number, child: Child) {
    this.number = number
    this.child = child
    this.ended = new Promise(resolve => {
      child.once('error', error => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    this.startup = new Promise((resolve, reject) => {
      child.on('message', (message: ToPrimary) => {
        if (message.kind === 'ready') resolve(message.url)
        if (message.kind === 'failed') reject(new WorkerFailure(message.failure))
      })
      const text = (how: string) => `A worker ended with ${how} before it was ready.`
      void this.ended.then(how => reject(new WorkerFailure({ code: NO_REASON, message: text(how) })))
    })
    this.startup.catch(() => {})
    const overdue = setTimeout(() => this.kill(), START_MS).unref()
    void this.startup.finally(() => clearTimeout(overdue)).catch(() => {})
  }

  tell(message: ToWorker): void {
    // It may have ended a moment ago.
    if (this.child.isConnected()) this.child.send(message, () => {})
  }

  kill(): void {
    this.child.process.kill('SIGKILL')
  }

  /** Its metrics now, or the last known when it is busy. */
  async collect(): Promise<MetricsData> {
    const metrics = new Promise<MetricsData>(resolve => this.#collected.push(resolve))
    this.tell({ kind: 'collect' })
    return withTimeout(metrics, METRICS_MS, () => this.metrics)
  }

  collected(data: MetricsData): void {
    this.metrics = data
    for (const resolve of this.#collected.splice(0)) resolve(data)
  }
}

export class WorkerPool {
  readonly #options: PoolOptions
  readonly #members = new Set<Member>()
  /** Ends in a row, soon after the start, by number. */
  readonly #failures = new Map<number, number>()
  readonly #pulse: NodeJS.Timeout
  #leader: Member | null = null
  #replaced = 0
  #isClosing = false
  /** What remains of the metrics of members that have ended. */
  #past: Promise<MetricsData> = Promise.resolve([])

  constructor(options: PoolOptions) {
    this.#options = options
    const [exec, ...args] = options.program
    // All workers accept from one socket. The primary would hand connections on, and those that a killed worker did not take hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec, args, serialization: 'advanced' })
    this.#pulse = setInterval(() => this.#killSilent(), ALIVE_MS).unref()
  }

  /** Resolves with the URL when all workers listen; rejects with the first failure. */
  async start(): Promise<string> {
    const all = Array.from({ length: this.#options.count }, (_, at) => this.#launch(at + 1, at === 0))
    try {
      const [url = ''] = await Promise.all(all.map(({ startup }) => startup))
      return url
    } catch (error) {
      this.#isClosing = true
      throw error
    }
  }

  /** Replaces all workers, one after another, each when its successor is ready. Rejects when a successor cannot start. */
  async restart(): Promise<void> {
    for (const member of [...this.#members]) {
      if (this.#isClosing) return
      if (member.ready && !member.leaving) await this.#succeed(member)
    }
  }

  /** Every connection closes after its next response, and `/readyz` fails. */
  retire(): void {
    this.#isClosing = true
    for (const member of this.#members) {
      member.leaving = true
      member.tell({ kind: 'retire', announced: true })
    }
  }

  /** Resolves when all running requests are answered and the workers have ended. */
  async finish(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#pulse)
    await Promise.all([...this.#members].map(end))
  }

  /** The metrics of each running worker, and what remains of those that have ended. */
  metrics(): Promise<readonly MetricsData[]> {
    return Promise.all([...[...this.#members].map(member => member.collect()), this.#past])
  }

  standing(): PoolStanding {
    return { configured: this.#options.count, ready: this.#ready().length, replaced: this.#replaced }
  }

  /** The last report of each ready worker; first the one that leads. */
  readiness(): readonly Readiness[] {
    return this.#ready()
      .sort((one, other) => Number(other === this.#leader) - Number(one === this.#leader))
      .flatMap(({ readiness }) => readiness ?? [])
  }

  kill(): void {
    this.#isClosing = true
    for (const member of this.#members) member.kill()
  }

  #ready(): Member[] {
    return [...this.#members].filter(member => member.ready && !member.leaving)
  }

  #announce(): void {
    if (this.#leader === null) {
      this.#leader = this.#ready()[0] ?? null
      this.#leader?.tell({ kind: 'lead' })
    }
    const standing = this.standing()
    for (const member of this.#members) if (member.ready) member.tell({ kind: 'standing', standing })
  }

  #launch(number: number, speaks: boolean): Member {
    const member = new Member(number, cluster.fork())
    this.#members.add(member)
    member.child.on('message', (message: ToPrimary) => void this.#heard(member, message, speaks))
    void member.ended.then(how => {
      this.#members.delete(member)
      if (this.#leader === member) this.#leader = null
      this.#past = this.#past.then(past => this.#options.remains([past, member.metrics]))
      this.#announce()
      if (!member.leaving && !member.succeeded) void this.#replace(member, how)
    })
    return member
  }

  async #heard(member: Member, message: ToPrimary, speaks: boolean): Promise<void> {
    const { orders, metrics, say } = this.#options
    switch (message.kind) {
      case 'waiting':
        return member.tell({ kind: 'orders', orders: { ...orders(), number: member.number, speaks } })
      case 'ready':
        member.ready = true
        return this.#announce()
      case 'alive':
        member.silent = 0
        member.readiness = message.readiness
        return
      case 'metrics':
        return member.collected(message.data)
      case 'collect':
        return member.tell({ kind: 'metrics', text: await metrics() })
      case 'say':
        return say(message.text)
      case 'refreshed':
        for (const other of this.#members) if (other !== member) other.tell(message)
    }
  }

  /** Starts another worker in the place of one that ended. */
  async #replace({ number, ready, began }: Member, how: string): Promise<void> {
    // The first start fails as a whole, and so does a restart.
    if (this.#isClosing || !ready) return
    const { log } = this.#options
    this.#replaced += 1
    const livedMs = performance.now() - began
    const last = livedMs < SETTLED_MS ? (this.#failures.get(number) ?? 0) : 0
    this.#failures.set(number, last + 1)
    log.error({ worker: number, ended: how, lived_ms: Math.round(livedMs) })
    for (let failures = last; !this.#isClosing; failures++) {
      await pause(failures === 0 ? 0 : Math.min(LONGEST_REST_MS, REST_MS * 2 ** (failures - 1)), undefined, {
        ref: false,
      })
      if (this.#isClosing) return
      const next = this.#launch(number, false)
      const failure = await next.startup.then(
        () => null,
        (error: Error) => error,
      )
      if (failure === null) return log.info({ worker: number, started: next.child.process.pid })
      next.kill()
      log.error({ worker: number, start: 'failed', reason: failure.message })
    }
  }

  #killSilent(): void {
    for (const member of this.#members) {
      if (!member.ready) continue
      member.silent += 1
      if (member.silent <= SILENT) continue
      this.#options.log.error({ worker: member.number, silent_seconds: member.silent })
      member.kill()
    }
  }

  async #succeed(member: Member): Promise<void> {
    member.succeeded = true
    const next = this.#launch(member.number, false)
    try {
      await next.startup
    } catch (error) {
      next.leaving = true
      next.kill()
      member.succeeded = false
      if (!this.#members.has(member)) void this.#replace(member, 'during a restart that failed')
      throw error
    }
    if (!this.#members.has(member)) return
    if (this.#leader === member) this.#leader = null
    member.leaving = true
    // A client that just sends a request on a connection that is closed would lose it.
    member.tell({ kind: 'retire', announced: false })
    await pause(RETIRE_MS)
    await end(member)
  }
}

/** Lets a worker finish what it has, and ends it. */
async function end(member: Member): Promise<void> {
  member.leaving = true
  if (!member.ready) member.kill()
  await member.collect()
  member.tell({ kind: 'finish' })
  const late = setTimeout(() => member.kill(), FINISH_MS).unref()
  await member.ended
  clearTimeout(late)
}
