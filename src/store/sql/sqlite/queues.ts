// The queues of one machine: the process that holds the lease looks at the rows every second and works; the others wait for it to end.
import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { createLeases } from '../leases.ts'
import {
  createFaults,
  createTurns,
  type Due,
  keyOf,
  MAX_ROWS,
  QUEUE_LIMITS,
  type Queue,
  type Queues,
  type QueuesOptions,
  type Work,
} from '../queues.ts'

/** Looking at the rows of a file takes some 100 µs. */
const LIMITS = { ...QUEUE_LIMITS, look_ms: 1_000 }
const LEASE = 'queues'
/** Milliseconds until work that ended runs again because its row is still due. */
const REST_MS = 60_000

interface Lane {
  readonly name: string
  readonly work: Work
  /** By key, in turn; `from` is when it may begin. */
  readonly waiting: Map<string, Due & { readonly from: number }>
  readonly running: Map<string, Promise<void>>
  /** Until when the rows say nothing new: work that ended while its row stays due. */
  readonly rested: Map<string, number>
  due: number | null
}

export function openSqliteQueues(database: Database, options: QueuesOptions): Queues {
  const runner = new QueueRunner(database, options)
  return { open: (name, work) => runner.open(name, work), close: () => runner.close() }
}

class QueueRunner {
  readonly #now: () => number
  readonly #limits: Readonly<Record<keyof typeof LIMITS, number>>
  readonly #faults: ReturnType<typeof createFaults>
  readonly #leases: ReturnType<typeof createLeases>
  readonly #holder = randomUUID()
  readonly #lanes: Lane[] = []
  #turns: ReturnType<typeof createTurns>
  #isHolder = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #leasedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null

  constructor(database: Database, options: QueuesOptions) {
    this.#now = options.now
    this.#limits = { ...LIMITS, ...options.limits }
    this.#faults = createFaults(options)
    this.#leases = createLeases(database, options.now)
    this.#turns = createTurns(this.#limits.end_ms)
  }

  open(name: string, work: Work | null): Queue {
    // The process that works looks often enough.
    if (work === null) return { wake: async () => {}, late: () => 0 }
    const lane: Lane = { name, work, waiting: new Map(), running: new Map(), rested: new Map(), due: null }
    this.#lanes.push(lane)
    void this.#look()
    return {
      wake: (...dues) => this.#wake(lane, dues),
      late: () => (lane.due === null ? 0 : Math.max(0, (this.#now() - lane.due) / 1_000)),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
    await this.#turns.end(() => Promise.all(this.#runningWork()))
    if (this.#isHolder) await this.#leases.release(LEASE, this.#holder).catch(this.#faults.fault)
    this.#isHolder = false
  }

  async #wake(lane: Lane, dues: readonly Due[]): Promise<void> {
    if (this.#isClosed) return
    if (dues.length === 0) {
      await this.#looking
      await this.#look()
    } else if (this.#isHolder) {
      for (const due of dues) if (due.at <= this.#now() + this.#limits.look_ms) this.#put(lane, due)
      this.#serve()
    }
  }

  /** Looks at the lease and at the rows, one at a time. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookNow(): Promise<void> {
    try {
      await this.#renew()
      if (this.#isHolder) for (const lane of this.#lanes) await this.#fill(lane)
      this.#faults.fine()
    } catch (error) {
      this.#faults.fault(error)
    }
    this.#serve()
  }

  async #renew(): Promise<void> {
    const { lease_ms } = this.#limits
    if (this.#isHolder && performance.now() - this.#leasedAt < lease_ms / 3) return
    const began = performance.now()
    const isRenewed = await this.#leases.take(LEASE, this.#holder, lease_ms).catch(error => {
      // What another process may have taken over by now ends.
      if (performance.now() - this.#leasedAt > lease_ms) this.#lose()
      throw error
    })
    if (isRenewed) this.#leasedAt = began
    if (this.#isHolder && !isRenewed) this.#lose()
    this.#isHolder = isRenewed && !this.#isClosed
  }

  /** Another process works from now on. */
  #lose(): void {
    if (!this.#isHolder) return
    this.#isHolder = false
    const lostTurns = this.#turns
    this.#turns = createTurns(this.#limits.end_ms)
    const running = this.#runningWork()
    for (const lane of this.#lanes) {
      lane.waiting.clear()
      lane.due = null
    }
    void lostTurns.end(() => Promise.all(running))
  }

  #runningWork(): readonly Promise<void>[] {
    return this.#lanes.flatMap(({ running }) => [...running.values()])
  }

  async #fill(lane: Lane): Promise<void> {
    const dueRows = await lane.work.due(this.#now() + this.#limits.look_ms, MAX_ROWS)
    lane.due = dueRows[0]?.at ?? null
    for (const [key, until] of lane.rested) if (until <= this.#now()) lane.rested.delete(key)
    for (const due of dueRows) if (!lane.rested.has(keyOf(due))) this.#put(lane, due)
  }

  /** One that was planned by a clock that was ahead is due now. */
  #beginOf({ at }: Due): number {
    return at > this.#now() + this.#limits.look_ms ? this.#now() : at
  }

  #put({ waiting, running }: Lane, due: Due, from = this.#beginOf(due)): void {
    const key = keyOf(due)
    if (!running.has(key) && !waiting.has(key)) waiting.set(key, { ...due, from })
  }

  /** Begins all work that may begin, and runs again when more may. */
  #serve(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    const { look_ms, lease_ms } = this.#limits
    let next = this.#now() + (this.#isHolder ? look_ms : Math.min(look_ms, lease_ms / 3))
    if (this.#isHolder)
      for (const lane of this.#lanes) {
        for (const [key, due] of lane.waiting) {
          if (lane.running.size >= lane.work.concurrency) continue
          if (due.from > this.#now()) next = Math.min(next, due.from)
          else this.#begin(lane, key, due)
        }
      }
    this.#timer = setTimeout(() => void this.#look(), Math.max(1, next - this.#now()))
    this.#timer.unref()
  }

  #begin(lane: Lane, key: string, due: Due): void {
    lane.waiting.delete(key)
    const { turn } = this.#turns
    const turnEnd = lane.work
      .handle(due, turn)
      .catch((error: unknown) => {
        this.#faults.fault(error)
        return this.#now() + this.#limits.failure_ms
      })
      .then(again => {
        lane.running.delete(key)
        if (again === null) lane.rested.set(key, this.#now() + REST_MS)
        else if (!turn.ending.aborted) this.#put(lane, due, again)
        this.#serve()
      })
    lane.running.set(key, turnEnd)
  }
}
