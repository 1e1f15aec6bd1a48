// Tasks in the order of the input, except those whose domain must wait for its rate limit: they let others pass.

import type { Clock } from '../clock.ts'
import type { Target } from '../targets/target.ts'
import type { Overflow } from './overflow.ts'
import type { Task } from './record.ts'

/** Rate limits of one lane. */
export interface LaneLimits {
  /** Concurrent checks. */
  readonly at_once: number
  /** Milliseconds from the start of one check to the start of the next. */
  readonly pause_ms: number
}

/** A shared platform (`github.io`) hosts many owners: it gets more checks than one site, but not all at once. */
const PLATFORM_SHARE = 4

/** The default limits for a registrable domain: two concurrent checks and at most five per second. */
export const POLITE: LaneLimits = { at_once: 2, pause_ms: 200 }

interface Politeness {
  /** Milliseconds of the caller's clock from when a check of the target may start; Infinity while one must end first. */
  freeAt(target: Target): number
  start(target: Target, now: number): void
  end(target: Target, now: number): void
  /** Lanes in memory. */
  readonly size: number
}

interface Lane {
  running: number
  free_at: number
}

interface Visit {
  readonly lane: string
  readonly limits: LaneLimits
}

/** Idle lanes are removed each time that many checks have ended. */
const SWEEP_EVERY = 1_024

export function createPoliteness(site: LaneLimits): Politeness {
  const lanes = new Map<string, Lane>()
  const platform = { at_once: site.at_once * PLATFORM_SHARE, pause_ms: site.pause_ms / PLATFORM_SHARE }
  let ended = 0
  const visits = (target: Target): readonly Visit[] => {
    if (target.kind === 'ip') return [{ lane: target.ip, limits: site }]
    const own = { lane: target.registrable, limits: site }
    return target.registered === target.registrable
      ? [own]
      : [own, { lane: `*.${target.registered}`, limits: platform }]
  }
  return {
    freeAt(target) {
      let free = 0
      for (const { lane, limits } of visits(target)) {
        const known = lanes.get(lane)
        if (known === undefined) continue
        if (known.running >= limits.at_once) return Number.POSITIVE_INFINITY
        free = Math.max(free, known.free_at)
      }
      return free
    },
    start(target, now) {
      for (const { lane, limits } of visits(target)) {
        const running = (lanes.get(lane)?.running ?? 0) + 1
        lanes.set(lane, { running, free_at: now + limits.pause_ms })
      }
    },
    end(target, now) {
      for (const { lane } of visits(target)) {
        const known = lanes.get(lane)
        if (known) known.running--
      }
      if (++ended % SWEEP_EVERY === 0) sweep(lanes, now)
    },
    get size() {
      return lanes.size
    },
  }
}

function sweep(lanes: Map<string, Lane>, now: number): void {
  for (const [name, { running, free_at }] of lanes) if (running === 0 && free_at <= now) lanes.delete(name)
}

interface Groups {
  /** Returns false when the task went to disk because its domain has enough in memory. */
  put(task: Task): boolean
  /** A task that may start, counted as started; else the time when one may start, Infinity when another must end first. */
  take(now: number): Task | number
  clear(): void
  /** Tasks in memory. */
  readonly size: number
}

/** Tasks of one domain in memory. More of them wait on disk, so that they do not fill the look-ahead. */
const GROUP_AHEAD = 64

/** A shared platform is one group, because its sites share a rate limit. */
const groupOf = ({ target }: Task): string => target.registered ?? target.ip
/** Sites of a platform also have their own limits: one may start while another may not. */
const isShared = ({ target }: Task): boolean => target.registered !== target.registrable

function createGroups(politeness: Politeness, overflow: Overflow<Task>): Groups {
  const groups = new Map<string, Task[]>()
  let size = 0
  /** Moves the group behind the others, and refills it from disk when it is empty. */
  const turn = (name: string, tasks: Task[]) => {
    groups.delete(name)
    const left = tasks.length === 0 && overflow.has(name) ? [...overflow.take(name)] : tasks
    size += left.length - tasks.length
    if (left.length > 0) groups.set(name, left)
  }
  return {
    put(task) {
      const name = groupOf(task)
      const tasks = groups.get(name)
      if (overflow.has(name) || (tasks && tasks.length >= GROUP_AHEAD)) {
        overflow.put(name, task)
        return false
      }
      size++
      if (tasks) tasks.push(task)
      else groups.set(name, [task])
      return true
    },
    take(now) {
      let soonest = Number.POSITIVE_INFINITY
      for (const [name, tasks] of groups) {
        const { found, free } = firstFree(tasks, politeness, now)
        soonest = Math.min(soonest, free)
        if (found === null) continue
        size--
        turn(name, tasks)
        politeness.start(found.target, now)
        return found
      }
      return soonest
    },
    clear() {
      groups.clear()
      size = 0
    },
    get size() {
      return size
    },
  }
}

/** Removes the first task that may start from the list; `free` is the time when another may start. */
function firstFree(tasks: Task[], { freeAt }: Politeness, now: number): { found: Task | null; free: number } {
  let free = Number.POSITIVE_INFINITY
  for (const [i, task] of tasks.entries()) {
    const at = freeAt(task.target)
    free = Math.min(free, at)
    if (at <= now) return { found: tasks.splice(i, 1)[0] ?? null, free }
    if (!isShared(task)) break
  }
  return { found: null, free }
}

export interface PoliteQueue {
  /** Resolves when there is room for more. */
  push(task: Task): Promise<void>
  /** The next task that may start, counted as started; null when there are no more. */
  next(): Promise<Task | null>
  /** The task has ended. */
  release(task: Task): void
  /** No more tasks follow. */
  end(): void
  /** Drops all waiting tasks; `next` resolves with null from then on. */
  stop(): void
  /** Tasks waiting in memory. */
  readonly waiting: number
}

interface PoliteQueueOptions {
  readonly politeness: Politeness
  readonly overflow: Overflow<Task>
  readonly clock: Clock
}

/** Most tasks in memory; reading the input pauses while there are that many. */
const LOOK_AHEAD = 4_096

export function createPoliteQueue({ politeness, overflow, clock }: PoliteQueueOptions): PoliteQueue {
  const groups = createGroups(politeness, overflow)
  const takers: ((task: Task | null) => void)[] = []
  const pushers: (() => void)[] = []
  let ended = false
  let timer: NodeJS.Timeout | undefined

  /** Hands out the tasks that may start now, and runs again when more may. */
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
