// Tasks that wait, by domain: the next one is the first whose domain may be visited, domains taking turns.
import type { Overflow } from './overflow.ts'
import type { Politeness } from './politeness.ts'
import type { Task } from './task.ts'

export interface Groups {
  /** False: it was put on disk, for the domain has enough in memory. */
  put(task: Task): boolean
  /** A task that may start, counted as started; else the time when one may, Infinity when one must end first. */
  take(now: number): Task | number
  clear(): void
  /** Tasks in memory. */
  readonly size: number
}

/** Tasks of one domain in memory; more of them wait on disk, so that they neither fill the look-ahead nor hold it up. */
const GROUP_AHEAD = 64

/** Shared platforms are one group: their tasks share a pace. */
const groupOf = ({ target }: Task): string => target.registered ?? target.ip
/** Sites of a platform keep their own pace beside its: one may start where another may not. */
const isShared = ({ target }: Task): boolean => target.registered !== target.registrable

export function createGroups(politeness: Politeness, overflow: Overflow<Task>): Groups {
  const groups = new Map<string, Task[]>()
  let size = 0
  /** Behind the others, with more from disk when it has no more in memory. */
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

/** Takes the first task that may start out of the list; `free` is when one of the others may. */
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
