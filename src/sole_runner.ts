// Runs the work of a store in one process at a time: sleeps until something is due, makes itself the only runner by a lease,
// works until nothing is due, and sleeps again. Nothing runs while nothing is due.
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Clock } from './clock.ts'

export const SOLE_LIMITS = {
  /** Milliseconds after which a runner that died is replaced. */
  lease_ms: 30_000,
  /** Longest sleep: after that, work is noticed that another process added. */
  sleep_ms: 60_000,
  /** Pause after a failure of the store. */
  failure_ms: 5_000,
  /** Between two looks for more work while some is under way, and between two attempts to get the lease. */
  look_ms: 1_000,
  /** Milliseconds that running work may take when the service ends. */
  end_ms: 5_000,
} as const

/** What a store offers to its runners. Times are milliseconds since the Unix epoch. */
export interface Leased {
  /** When anything is due next; null when nothing is. */
  nextDue(): number | null | Promise<number | null>
  /** Makes `holder` the only runner for so long, unless another one is. Returns whether it is, and until when the lease holds. */
  lease(holder: string, ms: number): Promise<{ readonly held: boolean; readonly until: number }>
  release(holder: string): Promise<void>
}

/** The time during which this process is the only runner. */
export interface Turn {
  /** Aborts when no more work may begin: the service ends or the lease is lost. */
  readonly ending: AbortSignal
  /** Aborts when running work must end. */
  readonly signal: AbortSignal
  /** Resolves after a while, or at once when something new is due. */
  nextLook(): Promise<void>
}

export interface SoleRunnerOptions {
  readonly store: Leased
  readonly clock: Clock
  readonly limits?: Partial<Record<keyof typeof SOLE_LIMITS, number>>
  /** Works off everything that is due. What fails in between stays due or is due later. */
  readonly workOff: (turn: Turn) => Promise<void>
  /** Called when the store fails. */
  readonly failed?: ((error: unknown) => void) | undefined
}

export interface Runner {
  start(): void
  /** Something may be due: called after a change by this process. */
  wake(): void
  /** Seconds that the longest waiting work is late. */
  late(): number
  /** Lets running work end, for a moment, and gives the lease away. Never rejects. */
  close(): Promise<void>
}

export function createSoleRunner({ store, clock, workOff, failed, ...options }: SoleRunnerOptions): Runner {
  const limits = { ...SOLE_LIMITS, ...options.limits }
  const holder = randomUUID()
  const stop = new AbortController()
  const end = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isAwake = false
  let due: number | null = null
  let look = () => {}
  const isClosed = () => end.signal.aborted

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (isClosed()) return
    timer = setTimeout(run, Math.max(0, Math.min(ms, limits.sleep_ms)))
    timer.unref()
  }

  function run(): void {
    clearTimeout(timer)
    isAwake = true
    look()
    if (running !== null || isClosed()) return
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
      } while (isAwake && !isClosed())
    } catch (error) {
      failed?.(error)
      pause = limits.failure_ms
    }
    sleep(pause)
  }

  /** Resolves with the milliseconds to sleep. */
  async function runAsOnly(): Promise<number> {
    const { held, until } = await store.lease(holder, limits.lease_ms)
    if (!held) return Math.max(limits.look_ms, until - clock.now())
    const lost = new AbortController()
    const renewal = setInterval(() => {
      store.lease(holder, limits.lease_ms).then(
        ({ held }) => held || lost.abort(),
        () => lost.abort(),
      )
    }, limits.lease_ms / 3)
    try {
      const signal = AbortSignal.any([stop.signal, lost.signal])
      const ending = AbortSignal.any([end.signal, lost.signal])
      // All running work may listen.
      setMaxListeners(0, signal, ending)
      await workOff({ signal, ending, nextLook })
    } finally {
      clearInterval(renewal)
      await store.release(holder)
    }
    return 0
  }

  function nextLook(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, limits.look_ms)
      look = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return {
    start: () => sleep(0),
    wake: run,
    late: () => (due === null ? 0 : Math.max(0, (clock.now() - due) / 1_000)),
    async close() {
      end.abort()
      look()
      clearTimeout(timer)
      const cut = setTimeout(() => stop.abort(), limits.end_ms)
      await running
      clearTimeout(cut)
    },
  }
}

/** Work on so many items at once, on none twice at a time. */
export function createLane<Item extends { readonly id: string }>(most: number, work: (item: Item) => Promise<void>) {
  const running = new Map<string, Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  return {
    get room() {
      return most - running.size
    },
    get isIdle() {
      return running.size === 0
    },
    has: (id: string): boolean => running.has(id),
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
