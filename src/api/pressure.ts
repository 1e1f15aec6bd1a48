// How many checks at once this machine bears, learned from how late the event loop runs: everyone waits for the loop,
// cached answers and refusals too.

/** Milliseconds that the loop may be late: an answer that costs nothing is to leave within fifty. */
const late_ms = 35
/** Milliseconds between looks, and between decisions. */
const look_ms = 25
const decide_ms = 250
/** Checks that always may run: below that it is not they who make the loop late. */
const least = 8
/** Of the limit, when the loop is late; and what it grows by when it is not, while checks have to wait. */
const cut = 0.8
const growth = 0.1

export interface Pressure {
  /** Checks that may run at once now. */
  readonly limit: number
  /** Milliseconds that the loop was late in the last quarter of a second, at worst. */
  readonly lag_ms: number
  stop(): void
}

/** The next limit. `full`: all places are taken, so that more of them would be used. */
export function nextLimit(limit: number, most: number, lag_ms: number, running: number, full: boolean): number {
  if (lag_ms > late_ms) return Math.max(Math.min(least, most), Math.floor(Math.min(limit, running) * cut))
  if (!full || limit >= most) return limit
  return Math.min(most, limit + Math.max(1, Math.floor(limit * growth)))
}

/** `running` is how many checks run now. */
export function watchPressure(most: number, running: () => number): Pressure {
  let limit = most
  let worst = 0
  let lag_ms = 0
  let looked = performance.now()
  const looks = setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - looked - look_ms)
    looked = now
  }, look_ms).unref()
  const decisions = setInterval(() => {
    lag_ms = worst
    worst = 0
    limit = nextLimit(limit, most, lag_ms, running(), running() >= limit)
  }, decide_ms).unref()
  return {
    get limit() {
      return limit
    },
    get lag_ms() {
      return lag_ms
    },
    stop() {
      clearInterval(looks)
      clearInterval(decisions)
    },
  }
}
