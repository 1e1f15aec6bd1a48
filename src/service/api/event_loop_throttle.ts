// Starts work only every few turns of the event loop, and later while connections arrive.

/**
 * Milliseconds of a turn of the event loop after which no work starts: a response takes about three turns and should leave
 * within 50 ms. Cached answers, refusals and new connections (libuv accepts one a turn) wait for the loop too.
 */
const LONG_TURN_MS = 10
/**
 * Turns between two starts. On a busy loop a turn takes as long as all work of one check divided by this number; with a
 * start in every turn, each turn took as long as a whole check.
 */
export const TURNS_APART = 3
/**
 * Longest time in milliseconds that connections postpone a start. For as long afterwards they postpone none, so that whoever
 * opens connections without pause does not slow the checks of others.
 */
const POSTPONED_MS = 50

export interface EventLoopThrottle {
  /** Work is waiting: calls `next` every few turns as long as it returns true. */
  wake(): void
  /** Whether the last measured turn was short. */
  readonly calm: boolean
  /** Counts the turns until the next start anew: a connection has arrived, and more may wait behind it. */
  postpone(): void
}

/**
 * `next` gets whether the last turn was short. It starts at most one piece of work and returns whether more could start.
 * `monotonic` is the clock of postponements, in milliseconds.
 */
export function createEventLoopThrottle(
  next: (calm: boolean) => boolean,
  monotonic = () => performance.now(),
): EventLoopThrottle {
  let awake = false
  let calm = true
  let began = 0
  let turns = 0
  /** Since when the next start is postponed, and until when none is. */
  let postponedAt: number | null = null
  let exemptUntil = 0

  /** The first turn is only measured. */
  function turn(): void {
    const now = performance.now()
    calm = now - began <= LONG_TURN_MS
    began = now
    turns += 1
    const isLate = postponedAt !== null && monotonic() - postponedAt >= POSTPONED_MS
    if (turns < TURNS_APART && !isLate) return void setImmediate(turn)
    turns = 0
    if (postponedAt !== null) exemptUntil = monotonic() + (monotonic() - postponedAt)
    postponedAt = null
    if (next(calm)) setImmediate(turn)
    else awake = false
  }

  return {
    wake() {
      if (awake) return
      awake = true
      setImmediate(() => {
        began = performance.now()
        setImmediate(turn)
      })
    },
    get calm() {
      return calm
    },
    postpone() {
      if (!awake || monotonic() < exemptUntil) return
      turns = 0
      postponedAt ??= monotonic()
    },
  }
}
