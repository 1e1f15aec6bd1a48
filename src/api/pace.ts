// Begins what waits, one a turn of the event loop and none after a long turn: everyone waits for the loop, kept answers,
// refusals and new connections (of which libuv accepts one a turn) too.

/** Milliseconds of a turn after which nothing new is begun: an answer takes some three turns, and is to leave within fifty. */
const longTurn_ms = 10

export interface Pace {
  /** Something waits: `next` is called from the turn after next on, for as long as it says that more could be begun. */
  wake(): void
  /** Whether the latest turn looked at was short. */
  readonly calm: boolean
}

/** `next` gets whether the last turn was short, and begins one thing or none; it returns whether to look again in the next turn. */
export function createPace(next: (calm: boolean) => boolean): Pace {
  let awake = false
  let calm = true
  let began = 0

  /** The first turn is only measured. */
  function turn(): void {
    const now = performance.now()
    calm = now - began <= longTurn_ms
    began = now
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
  }
}
