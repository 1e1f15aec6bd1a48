// The queues of one machine: the process that holds the lease looks at the rows every second and works; the others wait for it to end.
import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { createLeases } from '../leases.ts'
import {
  createFaults,
  createTurns,
  type Due,
  keyOf,
  LOOKED,
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
  const { now } = options
  const limits = { ...LIMITS, ...options.limits }
  const { fault, fine } = createFaults(options)
  const leases = createLeases(database, now)
  const holder = randomUUID()
  const lanes: Lane[] = []
  let turns = createTurns(limits.end_ms)
  let isHolder = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let leasedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null

  /** Looks at the lease and at the rows, one at a time. */
  function look(): Promise<void> {
    looking ??= lookNow().finally(() => {
      looking = null
    })
    return looking
  }

  async function lookNow(): Promise<void> {
    try {
      await renew()
      if (isHolder) for (const lane of lanes) await fill(lane)
      fine()
    } catch (error) {
      fault(error)
    }
    serve()
  }

  async function renew(): Promise<void> {
    if (isHolder && performance.now() - leasedAt < limits.lease_ms / 3) return
    const began = performance.now()
    const isRenewed = await leases.take(LEASE, holder, limits.lease_ms).catch(error => {
      // What another process may have taken over by now ends.
      if (performance.now() - leasedAt > limits.lease_ms) lose()
      throw error
    })
    if (isRenewed) leasedAt = began
    if (isHolder && !isRenewed) lose()
    isHolder = isRenewed && !isClosed
  }

  /** Another process works from now on. */
  function lose(): void {
    if (!isHolder) return
    isHolder = false
    const lost = turns
    turns = createTurns(limits.end_ms)
    const running = lanes.flatMap(lane => [...lane.running.values()])
    for (const lane of lanes) {
      lane.waiting.clear()
      lane.due = null
    }
    void lost.end(() => Promise.all(running))
  }

  async function fill(lane: Lane): Promise<void> {
    const dueRows = await lane.work.due(now() + limits.look_ms, LOOKED)
    lane.due = dueRows[0]?.at ?? null
    for (const [key, until] of lane.rested) if (until <= now()) lane.rested.delete(key)
    for (const due of dueRows) if (!lane.rested.has(keyOf(due))) put(lane, due)
  }

  /** One that was planned by a clock that was ahead is due now. */
  const beginOf = ({ at }: Due): number => (at > now() + limits.look_ms ? now() : at)

  function put({ waiting, running }: Lane, due: Due, from = beginOf(due)): void {
    const key = keyOf(due)
    if (!running.has(key) && !waiting.has(key)) waiting.set(key, { ...due, from })
  }

  /** Begins what may begin, and comes again when more may. */
  function serve(): void {
    clearTimeout(timer)
    if (isClosed) return
    let next = now() + (isHolder ? limits.look_ms : Math.min(limits.look_ms, limits.lease_ms / 3))
    if (isHolder)
      for (const lane of lanes) {
        for (const [key, due] of lane.waiting) {
          if (lane.running.size >= lane.work.concurrency) continue
          if (due.from > now()) next = Math.min(next, due.from)
          else begin(lane, key, due)
        }
      }
    timer = setTimeout(look, Math.max(1, next - now()))
    timer.unref()
  }

  function begin(lane: Lane, key: string, due: Due): void {
    lane.waiting.delete(key)
    const { turn } = turns
    const ended = lane.work
      .handle(due, turn)
      .catch((error: unknown) => {
        fault(error)
        return now() + limits.failure_ms
      })
      .then(again => {
        lane.running.delete(key)
        if (again === null) lane.rested.set(key, now() + REST_MS)
        else if (!turn.ending.aborted) put(lane, due, again)
        serve()
      })
    lane.running.set(key, ended)
  }

  return {
    open(name, work): Queue {
      // The process that works looks often enough.
      if (work === null) return { wake: async () => {}, late: () => 0 }
      const lane: Lane = { name, work, waiting: new Map(), running: new Map(), rested: new Map(), due: null }
      lanes.push(lane)
      void look()
      return {
        async wake(...dues) {
          if (isClosed) return
          const near = dues.filter(({ at }) => at <= now() + limits.look_ms)
          if (dues.length === 0) {
            await looking
            await look()
          } else if (isHolder) {
            for (const due of near) put(lane, due)
            serve()
          }
        },
        late: () => (lane.due === null ? 0 : Math.max(0, (now() - lane.due) / 1_000)),
      }
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await looking
      await turns.end(() => Promise.all(lanes.flatMap(({ running }) => [...running.values()])))
      if (isHolder) await leases.release(LEASE, holder).catch(fault)
      isHolder = false
    },
  }
}
