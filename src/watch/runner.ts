// Runs the watches of a store: sleeps until something is due, makes itself the only runner by a lease, checks and delivers
// until nothing is due, and sleeps again. Nothing runs while nothing is due.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Delivery, Watch, WatchStore } from '../store/watches.ts'
import { type AskFor, type CheckEnd, checkWatch } from './check.ts'
import { type Attempt, CUT_OFF_MS, deliver } from './deliver.ts'
import type { Webhooks } from './webhook.ts'

export const RUNNER_LIMITS = {
  /** Milliseconds after which a runner that died is replaced. */
  lease_ms: 30_000,
  /** Longest sleep: after that, watches are noticed that another process added. */
  sleep_ms: 60_000,
  /** Pause after a failure of the store. */
  failure_ms: 5_000,
  /** Between two looks for more work while some is under way, and between two attempts to get the lease. */
  look_ms: 1_000,
  /** Checks at once, few beside those of people: a watch can wait. */
  checks: 4,
  /** Deliveries at once: each may wait for a slow receiver. */
  deliveries: 16,
  /** Milliseconds after which a delivery that was cut off is sent again. */
  cut_off_ms: CUT_OFF_MS,
  /** Milliseconds that running work may take when the service ends. */
  end_ms: 5_000,
} as const

export interface RunnerOptions {
  readonly store: WatchStore
  readonly webhooks: Pick<Webhooks, 'send'>
  readonly ask: AskFor
  readonly clock: Clock
  readonly public_url: string | null
  readonly limits?: Partial<Record<keyof typeof RUNNER_LIMITS, number>>
  /** Called after each check and each attempt, and when the store fails. */
  readonly checked?: (end: CheckEnd) => void
  readonly attempted?: (attempt: Attempt) => void
  readonly failed?: (error: unknown) => void
}

export interface Runner {
  start(): void
  /** Something may be due: called after a change by this process. */
  wake(): void
  /** Seconds that the longest waiting check or delivery is late. */
  late(): number
  /** Lets running work end, for a moment, and gives the lease away. Never rejects. */
  close(): Promise<void>
}

export function createRunner(options: RunnerOptions): Runner {
  const { store, clock, webhooks, ask, public_url } = options
  const limits = { ...RUNNER_LIMITS, ...options.limits }
  const holder = randomUUID()
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isAwake = false
  let isClosed = false
  let due: number | null = null
  let look = () => {}

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(run, Math.max(0, Math.min(ms, limits.sleep_ms)))
    timer.unref()
  }

  function run(): void {
    clearTimeout(timer)
    isAwake = true
    look()
    if (running !== null || isClosed) return
    running = work().finally(() => {
      running = null
    })
  }

  /** Ends with the next sleep. */
  async function work(): Promise<void> {
    let pause: number = limits.sleep_ms
    try {
      do {
        isAwake = false
        due = await store.nextDue()
        const wait = due === null ? limits.sleep_ms : due - clock.now()
        pause = wait > 0 ? wait : await runAsOnly()
      } while (isAwake && !isClosed)
    } catch (error) {
      options.failed?.(error)
      pause = limits.failure_ms
    }
    sleep(pause)
  }

  /** Resolves with the milliseconds to sleep. */
  async function runAsOnly(): Promise<number> {
    const { held, until } = await store.lease(holder, limits.lease_ms)
    if (!held) return Math.max(limits.look_ms, until - clock.now())
    const lost = new AbortController()
    const signal = AbortSignal.any([stop.signal, lost.signal])
    const renewal = setInterval(() => {
      store.lease(holder, limits.lease_ms).then(
        ({ held }) => held || lost.abort(),
        () => lost.abort(),
      )
    }, limits.lease_ms / 3)
    try {
      await workOff(signal)
    } finally {
      clearInterval(renewal)
      await store.release(holder)
    }
    return 0
  }

  /** Resolves after a while, or at once when something new is due. */
  function nextLook(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, limits.look_ms)
      look = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Checks and delivers until nothing is due. What fails in between stays due or is due later. */
  async function workOff(signal: AbortSignal): Promise<void> {
    const checks = createLane<Watch>(limits.checks, async watch => {
      const end = await checkWatch({ store, ask, clock, public_url }, watch, signal)
      if (end !== null) options.checked?.(end)
    })
    const deliveries = createLane<Delivery>(limits.deliveries, async delivery => {
      const attempt = await deliver({ store, webhooks, clock, cut_off_ms: limits.cut_off_ms }, delivery, signal)
      if (attempt !== null) options.attempted?.(attempt)
    })
    while (!signal.aborted && !isClosed) {
      const now = clock.now()
      if (deliveries.room > 0) deliveries.add(await store.dueDeliveries(now, limits.deliveries))
      if (checks.room > 0) checks.add(await store.dueWatches(now, limits.checks * 2))
      const busy = [checks, deliveries].filter(lane => !lane.isIdle)
      if (busy.length === 0) break
      await Promise.race([...busy.map(lane => lane.next()), nextLook()])
    }
    await Promise.all([checks.end(), deliveries.end()])
  }

  return {
    start: () => sleep(0),
    wake: run,
    late: () => (due === null ? 0 : Math.max(0, (clock.now() - due) / 1_000)),
    async close() {
      isClosed = true
      clearTimeout(timer)
      const cut = setTimeout(() => stop.abort(), limits.end_ms)
      await running
      clearTimeout(cut)
    },
  }
}

/** So many at once, none twice at a time. */
function createLane<Item extends { readonly id: string }>(most: number, work: (item: Item) => Promise<void>) {
  const running = new Map<string, Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  return {
    get room() {
      return most - running.size
    },
    get isIdle() {
      return running.size === 0
    },
    add(items: readonly Item[]): void {
      for (const item of items) {
        if (running.size >= most) return
        if (running.has(item.id)) continue
        const ended = work(item)
          .catch((error: unknown) => {
            failure ??= { error }
          })
          .finally(() => running.delete(item.id))
        running.set(item.id, ended)
      }
    },
    /** Resolves when the next one ends. Rejects when one failed. */
    async next(): Promise<void> {
      await Promise.race(running.values())
      if (failure !== null) throw failure.error
    },
    async end(): Promise<void> {
      await Promise.all(running.values())
      if (failure !== null) throw failure.error
    },
  }
}
