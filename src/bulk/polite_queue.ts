// Tasks in the order of the input, but for those whose domain must not be visited yet: they let others pass.
import type { Clock } from '../clock.ts'
import { createGroups } from './groups.ts'
import type { Overflow } from './overflow.ts'
import type { Politeness } from './politeness.ts'
import type { Task } from './task.ts'

export interface PoliteQueue {
  /** Resolves when there is room for more. */
  push(task: Task): Promise<void>
  /** The next task that may start, counted as started; null when there are no more. */
  next(): Promise<Task | null>
  /** The task has ended. */
  release(task: Task): void
  /** No more will be pushed. */
  end(): void
  /** What waits is dropped, and `next` answers null from now on. */
  stop(): void
  /** Tasks waiting in memory. */
  readonly waiting: number
}

export interface PoliteQueueOptions {
  readonly politeness: Politeness
  readonly overflow: Overflow<Task>
  readonly clock: Clock
}

/** Tasks in memory; the input is read no further while there are that many. */
const LOOK_AHEAD = 4_096

export function createPoliteQueue({ politeness, overflow, clock }: PoliteQueueOptions): PoliteQueue {
  const groups = createGroups(politeness, overflow)
  const takers: ((task: Task | null) => void)[] = []
  const pushers: (() => void)[] = []
  let ended = false
  let timer: NodeJS.Timeout | undefined

  /** Gives out what may start now, and comes back when more may. */
  const serve = () => {
    clearTimeout(timer)
    while (takers.length > 0) {
      const now = clock.monotonic()
      const taken = groups.take(now)
      if (typeof taken === 'object') takers.shift()?.(taken)
      else {
        if (ended && groups.size === 0) for (const taker of takers.splice(0)) taker(null)
        else if (Number.isFinite(taken)) timer = setTimeout(serve, Math.max(1, Math.ceil(taken - now)))
        break
      }
    }
    if (groups.size < LOOK_AHEAD) for (const pusher of pushers.splice(0)) pusher()
  }

  return {
    async push(task) {
      if (ended || !groups.put(task)) return
      serve()
      if (groups.size >= LOOK_AHEAD) await new Promise<void>(room => pushers.push(room))
    },
    next() {
      const task = new Promise<Task | null>(taker => takers.push(taker))
      serve()
      return task
    },
    release({ target }) {
      politeness.end(target, clock.monotonic())
      serve()
    },
    end() {
      ended = true
      serve()
    },
    stop() {
      ended = true
      groups.clear()
      overflow.close()
      serve()
    },
    get waiting() {
      return groups.size
    },
  }
}
