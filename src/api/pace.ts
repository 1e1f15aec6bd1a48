// Begins what waits, one in a few turns of the event loop and none after a long turn: everyone waits for the loop, kept
// answers, refusals and new connections (of which libuv accepts one a turn) too.

/** Milliseconds of a turn after which nothing new is begun: an answer takes some three turns, and is to leave within fifty. */
const longTurn_ms = 10
/**
 * Turns from one beginning to the next. Where there is no time left, a turn is as long as all that one beginning brings,
 * divided by this: with one in each turn, that was the whole of a check.
 */
export const turns_apart = 3

export interface Pace {
  /** Something waits: `next` is called every few turns from then on, for as long as it says that more could be begun. */
  wake(): void
  /** Whether the latest turn looked at was short. */
  readonly calm: boolean
}

/** `next` gets whether the last turn was short, and begins one thing or none; it returns whether more could be begun. */
export function createPace(next: (calm: boolean) => boolean): Pace {
  let awake = false
  let calm = true
  let began = 0
  let turns = 0

  /** The first turn is only measured. */
  function turn(): void {
    const now = performance.now()
    calm = now - began <= longTurn_ms
    began = now
    turns = (turns + 1) % turns_apart
    if (turns !== 0 || next(calm)) setImmediate(turn)
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
