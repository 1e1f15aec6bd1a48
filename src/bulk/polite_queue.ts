// Tasks in the order of the input, but for those whose domain must not be visited yet: they let others pass.
import type { Clock } from '../clock.ts'
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
/** Tasks of one domain in memory; more of them wait on disk, so that they neither fill the look-ahead nor hold it up. */
const GROUP_AHEAD = 64

/** Shared platforms are one group: their tasks share a pace. */
const groupOf = ({ target }: Task): string => target.registered ?? target.ip
/** Sites of a platform keep their own pace beside its: one may start where another may not. */
const isShared = ({ target }: Task): boolean => target.registered !== target.registrable

export function createPoliteQueue({ politeness, overflow, clock }: PoliteQueueOptions): PoliteQueue {
  const groups = new Map<string, Task[]>()
  let waiting = 0
  let ended = false
  let timer: NodeJS.Timeout | undefined
  const takers: ((task: Task | null) => void)[] = []
  const pushers: (() => void)[] = []

  /** The first task that may start, its group put behind the others; else the time when one may. */
  const take = (now: number): Task | number => {
    let soonest = Number.POSITIVE_INFINITY
    for (const [name, tasks] of groups) {
      for (const [i, task] of tasks.entries()) {
        const free = politeness.freeAt(task.target)
        soonest = Math.min(soonest, free)
        if (free > now && isShared(task)) continue
        if (free > now) break
        tasks.splice(i, 1)
        waiting--
        turn(name, tasks)
        politeness.start(task.target, now)
        return task
      }
    }
    return soonest
  }

  const turn = (name: string, tasks: Task[]) => {
    groups.delete(name)
    if (tasks.length === 0 && overflow.has(name)) {
      tasks = [...overflow.take(name)]
      waiting += tasks.length
    }
    if (tasks.length > 0) groups.set(name, tasks)
  }

  const serve = () => {
    clearTimeout(timer)
    while (takers.length > 0) {
      const now = clock.monotonic()
      const taken = take(now)
      if (typeof taken === 'object') {
        takers.shift()?.(taken)
        continue
      }
      if (ended && waiting === 0) for (const taker of takers.splice(0)) taker(null)
      else if (Number.isFinite(taken)) timer = setTimeout(serve, Math.max(1, Math.ceil(taken - now)))
      break
    }
    if (waiting < LOOK_AHEAD) for (const pusher of pushers.splice(0)) pusher()
  }

  return {
    async push(task) {
      if (ended) return
      const name = groupOf(task)
      const tasks = groups.get(name)
      if (overflow.has(name) || (tasks && tasks.length >= GROUP_AHEAD)) return overflow.put(name, task)
      waiting++
      if (tasks) tasks.push(task)
      else groups.set(name, [task])
      serve()
      if (waiting >= LOOK_AHEAD) await new Promise<void>(room => pushers.push(room))
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
      waiting = 0
      overflow.close()
      serve()
    },
    get waiting() {
      return waiting
    },
  }
}
