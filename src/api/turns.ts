// Who waits for a place, in an order that is fair to keys: one of each in turn, however many one of them sends.

export interface Turn {
  /** Whose turn it is: the id of a key. */
  readonly name: string
  admit(): void
  refuse(): void
}

export interface Turns {
  readonly size: number
  add(turn: Turn): void
  remove(turn: Turn): void
  /** Takes the next turn out. */
  next(): Turn | undefined
  /** Whether one name has at least two more turns waiting than `name`, and so has to make room for it. */
  yields(name: string): boolean
  /** Takes out the last turn of the name that has most waiting, if it yields to `name`. */
  yielding(name: string): Turn | undefined
}

export function createTurns(): Turns {
  const queues = new Map<string, Set<Turn>>()
  let size = 0

  function remove(turn: Turn): void {
    const queue = queues.get(turn.name)
    if (queue === undefined || !queue.delete(turn)) return
    size -= 1
    if (queue.size === 0) queues.delete(turn.name)
  }

  /** The queue that yields to `name`. */
  function longerThanOf(name: string): Set<Turn> | undefined {
    let most = new Set<Turn>()
    for (const queue of queues.values()) if (queue.size > most.size) most = queue
    return most.size < (queues.get(name)?.size ?? 0) + 2 ? undefined : most
  }

  return {
    get size() {
      return size
    },
    add(turn) {
      const queue = queues.get(turn.name) ?? new Set()
      queues.set(turn.name, queue.add(turn))
      size += 1
    },
    remove,
    next() {
      const [first] = queues
      if (first === undefined) return undefined
      const [name, queue] = first
      const [turn] = queue
      // To the back of the line, with those of its name that still wait.
      queues.delete(name)
      queues.set(name, queue)
      if (turn !== undefined) remove(turn)
      return turn
    },
    yields: name => longerThanOf(name) !== undefined,
    yielding(name) {
      const last = [...(longerThanOf(name) ?? [])].at(-1)
      if (last !== undefined) remove(last)
      return last
    },
  }
}
