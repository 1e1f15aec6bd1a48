// A queue that is fair to keys: round robin between keys, first come first served within a key, and work that nobody waits for
// last.

export interface Waiting {
  readonly key: string
  /** Nobody waits for it: all others come first. The same for all waiters of a key. */
  readonly background?: boolean
  /** Ends the wait when the client disconnects. */
  readonly signal: AbortSignal
  readonly wait_ms: number
  /** Creates the error for a waiter that is refused. */
  refusal(): Error
  /** Called when `wait_ms` is over, before the refusal: the event loop may have been blocked while a turn was free. */
  expiring?(isWaiting: () => boolean): void
}

/** `Turn` is the value that a waiter gets with its turn. */
export interface FairQueue<Turn> {
  readonly size: number
  /** Number of waiters by key, in the order of their turns. */
  counts(): ReadonlyMap<string, number>
  has(key: string): boolean
  /** Turns that others get before a new waiter of `key`. */
  ahead(key: string): number
  /** Resolves with the turn; rejects with `refusal`, or with the signal's reason. */
  wait(waiting: Waiting): Promise<Turn>
  /**
   * Gives a turn to the longest waiter of `key`, by default the first key, and moves that key to the back. False when none
   * waits. `alternating`: every second turn of a key is its newest waiter's, because those before may take much longer.
   */
  admit(turn: Turn, key?: string, alternating?: boolean): boolean
  /** Whether some key has at least two more waiters than `key`, or waits in the background, and must make room for it. */
  canDisplace(key: string, background?: boolean): boolean
  /** Refuses the newest waiter of the key with most waiters to make room for `key`. False when no key must make room. */
  displace(key: string, background?: boolean): boolean
  /** Refuses the longest waiter of `key` to make room for a newer one. False when none waits. */
  replace(key: string): boolean
  /** Refuses the newest waiter of the key with most waiters, in the background if any waits there. */
  shed(): void
}

interface Waiter<Turn> {
  readonly key: string
  readonly background: boolean
  admit(turn: Turn): void
  refuse(): void
}

export function createFairQueue<Turn>(): FairQueue<Turn> {
  const lines = new Map<string, Set<Waiter<Turn>>>()
  /** Keys of waiters in the background. */
  const later = new Set<string>()
  /** Keys whose last turn was their longest waiter's. */
  const served = new Set<string>()
  let size = 0

  function add(waiter: Waiter<Turn>): void {
    lines.set(waiter.key, (lines.get(waiter.key) ?? new Set()).add(waiter))
    if (waiter.background) later.add(waiter.key)
    size += 1
  }

  function remove(waiter: Waiter<Turn>): void {
    const line = lines.get(waiter.key)
    if (!line?.delete(waiter)) return
    size -= 1
    if (line.size > 0) return
    lines.delete(waiter.key)
    later.delete(waiter.key)
    served.delete(waiter.key)
  }

  /** Keys in the order of their turns. */
  function inTurn(): readonly string[] {
    const keys = [...lines.keys()]
    return later.size === 0 ? keys : [...keys.filter(key => !later.has(key)), ...later]
  }

  /** The line that makes room: the longest, of those in the background if there are any. */
  function longest(): ReadonlySet<Waiter<Turn>> {
    let most: ReadonlySet<Waiter<Turn>> = new Set()
    for (const [key, line] of lines) if ((later.size === 0 || later.has(key)) && line.size > most.size) most = line
    return most
  }

  const shed = () => [...longest()].at(-1)?.refuse()
  const canDisplace = (key: string, background = false) =>
    !background && later.size > 0 ? true : longest().size >= (lines.get(key)?.size ?? 0) + 2

  return {
    get size() {
      return size
    },
    counts: () => new Map(inTurn().map(key => [key, lines.get(key)?.size ?? 0])),
    has: key => lines.has(key),
    ahead(key) {
      const own = lines.get(key)?.size ?? 0
      let turns = own
      for (const [other, { size }] of lines)
        if (other !== key && !later.has(other)) turns += later.has(key) ? size : Math.min(size, own + 1)
      return turns
    },
    wait: waiting =>
      new Promise((resolve, reject) => {
        const { key, background = false, signal, wait_ms, refusal, expiring } = waiting
        if (signal.aborted) return reject(signal.reason)
        let isWaiting = true
        const settle = (end: () => void) => {
          isWaiting = false
          remove(waiter)
          clearTimeout(timer)
          signal.removeEventListener('abort', cancel)
          end()
        }
        const cancel = () => settle(() => reject(signal.reason))
        const waiter: Waiter<Turn> = {
          key,
          background,
          admit: turn => settle(() => resolve(turn)),
          refuse: () => settle(() => reject(refusal())),
        }
        const timer = setTimeout(() => {
          expiring?.(() => isWaiting)
          if (isWaiting) waiter.refuse()
        }, wait_ms)
        signal.addEventListener('abort', cancel, { once: true })
        add(waiter)
      }),
    admit(turn, key = later.size === 0 ? lines.keys().next().value : inTurn()[0], alternating = false) {
      const line = key === undefined ? undefined : lines.get(key)
      if (key === undefined || line === undefined) return false
      const isNewest = alternating && served.delete(key)
      const waiter = isNewest ? [...line].at(-1) : line.values().next().value
      if (!isNewest) served.add(key)
      lines.delete(key)
      lines.set(key, line)
      if (later.delete(key)) later.add(key)
      waiter?.admit(turn)
      return true
    },
    canDisplace,
    displace(key, background) {
      if (!canDisplace(key, background)) return false
      shed()
      return true
    },
    replace(key) {
      const oldest = lines.get(key)?.values().next().value
      oldest?.refuse()
      return oldest !== undefined
    },
    shed,
  }
}
