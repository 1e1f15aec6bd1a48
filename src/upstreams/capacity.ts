// Limits how many queries each upstream gets at once and per second, over all processes that share the slots. Queries wait in
// order of arrival; those that nobody waits for come last.
import { randomUUID } from 'node:crypto'
import { onAbort } from '../network/abort.ts'
import { type Claim, createLocalTargetShare, type TargetLimits, type TargetShare } from '../store/target_share.ts'

export interface Capacity {
  /** Concurrent queries. */
  readonly at_once: number
  /** Queries that may start in a second; null for no limit. */
  readonly per_second: number | null
}

export interface CapacityRequest {
  /** Ends the wait. */
  readonly signal: AbortSignal
  /**
   * Milliseconds that it may wait; it is refused at once if that would not do. Null when nobody waits for the answer: it then
   * gets a slot when no other query of this process waits.
   */
  readonly wait_ms: number | null
}

export interface CapacityLimiter {
  /** Runs `query` when it has a slot; null when it gets none. Rejects as `query` does. */
  run<T>(source: string, request: CapacityRequest, query: () => Promise<T>): Promise<T | null>
}

export interface CapacityOptions {
  readonly capacityOf: (source: string) => Capacity
  readonly monotonic: () => number
  /** Of this process alone by default. */
  readonly slots?: TargetShare
}

/** Slots are granted one by one, so that no source gets more starts in a second than this. */
const NO_RATE = 1_000_000
/** Weight of the latest time between two starts in the average. */
const LATEST = 0.2

type Leave = () => void
/** Takes a slot. */
type Waiter = (leave: Leave) => void

/** A source with waiting queries. */
interface Line {
  readonly waiting: Set<Waiter>
  readonly later: Set<Waiter>
  claiming: boolean
  /** A slot came free or a query arrived during the current claim. */
  changed: boolean
  timer: NodeJS.Timeout | undefined
  /** When a slot was last given to a query that had waited, and the average time between two of these. */
  given_at: number
  gap_ms: number
}

export function createCapacityLimiter(options: CapacityOptions): CapacityLimiter {
  const { capacityOf, monotonic, slots = createLocalTargetShare(monotonic) } = options
  /** Processes take turns. */
  const member = randomUUID()
  const lines = new Map<string, Line>()

  function openLine(source: string): Line {
    const line: Line = {
      ...{ waiting: new Set<Waiter>(), later: new Set<Waiter>(), claiming: false, changed: false, timer: undefined },
      ...{ given_at: monotonic(), gap_ms: 0 },
    }
    lines.set(source, line)
    return line
  }

  function limitsOf(source: string): TargetLimits {
    const { at_once, per_second } = capacityOf(source)
    return { at_once, per_second: per_second ?? NO_RATE, reserves_last: false }
  }

  function serve(source: string, line: Line): void {
    line.changed = true
    if (line.claiming) return
    clearTimeout(line.timer)
    while (line.waiting.size + line.later.size > 0) {
      const claim = slots.claim(source, new Map([[member, line.waiting.size + line.later.size]]), limitsOf(source))
      if (claim instanceof Promise) {
        line.claiming = true
        line.changed = false
        void claim.then(settled => {
          line.claiming = false
          if (take(source, line, settled) || line.changed) serve(source, line)
        })
        return
      }
      if (!take(source, line, claim)) return
    }
    lines.delete(source)
  }

  /** Returns whether a slot was given. */
  function take(source: string, line: Line, claim: Claim): boolean {
    if (claim.key === null) {
      if (claim.wait_ms !== null) line.timer = setTimeout(serve, Math.ceil(claim.wait_ms), source, line).unref()
      return false
    }
    const leave = () => {
      claim.leave()
      const present = lines.get(source)
      if (present !== undefined) serve(source, present)
    }
    const [next] = line.waiting.size > 0 ? line.waiting : line.later
    // The last waiter may have left during the claim.
    if (next === undefined) claim.leave()
    else {
      const now = monotonic()
      line.gap_ms += LATEST * (now - line.given_at - line.gap_ms)
      line.given_at = now
      next(leave)
    }
    return true
  }

  /** Resolves when the query has a slot; with null when it gets none. */
  function enter(source: string, { signal, wait_ms }: CapacityRequest): Promise<Leave | null> {
    const present = lines.get(source)
    const expected_ms = present === undefined ? 0 : present.waiting.size * present.gap_ms
    if (signal.aborted || (wait_ms !== null && expected_ms > wait_ms)) return Promise.resolve(null)
    const line = present ?? openLine(source)
    const queue = wait_ms === null ? line.later : line.waiting
    return new Promise(resolve => {
      const settle = (leave: Leave | null) => {
        clearTimeout(timer)
        stop()
        queue.delete(settle)
        if (leave === null && line.waiting.size + line.later.size === 0) slots.withdraw(source, member)
        resolve(leave)
      }
      const refuse = () => settle(null)
      const stop = onAbort(signal, refuse)
      const timer = wait_ms === null ? undefined : setTimeout(refuse, wait_ms)
      queue.add(settle)
      serve(source, line)
    })
  }

  return {
    async run(source, request, query) {
      const leave = await enter(source, request)
      if (leave === null) return null
      try {
        return await query()
      } finally {
        leave()
      }
    },
  }
}
