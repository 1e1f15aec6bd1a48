// Shares the CPU of this process between checks. Analysis runs in steps, a few milliseconds of them in each turn of the event
// loop, so that requests, cached answers and sockets are served in between. Clients take turns by the CPU time that their
// checks have used, so that no client's expensive targets hold up the checks of another.

/** Milliseconds of steps in one turn of the event loop: an answer takes about three turns and should leave within 50 ms. */
const TURN_MS = 5
/** The same in each of the turns that follow the arrival of a connection or request, until it is usually answered. */
const BRIEF_MS = 1
const BRIEF_TURNS = 3
/** Milliseconds of CPU below which a check counts as short. A check of an ordinary page needs about 15. */
const SHORT_MS = 25
/** Of so many steps of one client, one is a long check's, so that short ones never stop it. */
const LONG_EVERY = 4
/** Milliseconds that a step costs at least, so that steps too short to be measured take turns too. */
const LEAST_MS = 0.01

export interface Cpu {
  /**
   * Runs `step` as soon as it is its turn, which is at once while nothing waits and the current turn of the event loop has
   * time left. A step should take a millisecond or two, because it is not interrupted. Rejects with what it throws, and with
   * `CPU_OVER` when the check ends first.
   */
  run<T>(step: () => T): Promise<T>
}

/** The steps of one check. */
export interface CpuShare extends Cpu {
  /** Runs no more steps: those that wait, and later ones, reject with `CPU_OVER`. */
  end(): void
  /** Ends when time is up. If no other check waits, only a slow machine is to blame, so the steps that wait run first. */
  finish(): void
}

export interface CpuQueue {
  /** Clients get equal CPU time while they have steps that wait. */
  open(client: string): CpuShare
  /**
   * Keeps the next turns of the event loop brief: a connection or request has arrived. libuv accepts one connection in each
   * turn, so that with long turns the last of many would wait for seconds.
   */
  hurry(): void
  /** Whether the last turn left steps over: the CPU is busy, and more checks would only share it. */
  readonly isBehind: boolean
  /** Checks with steps that wait. */
  readonly waiting: number
  /** Those of them that are not short any more. */
  readonly long: number
  /** Milliseconds of the longest step since the last call. */
  takeLongest(): number
}

/** Created once: capturing a stack each time would cost more than a step. */
export const CPU_OVER = new Error('The check ended before this step')

export interface CpuQueueOptions {
  /** Milliseconds, as `performance.now()`. */
  readonly monotonic?: () => number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (turn: () => void) => void
}

interface Step {
  run(): void
  reject(reason: Error): void
}

interface Check {
  readonly age: number
  readonly steps: Step[]
  used_ms: number
}

interface Lane {
  /** Open checks of the client, and those of them that have steps. */
  open: number
  readonly waiting: Set<Check>
  /** The client's CPU time. A lane that had nothing to do does not save it up. */
  used_ms: number
  picks: number
}

export function createCpuQueue(options: CpuQueueOptions = {}): CpuQueue {
  const { monotonic = () => performance.now(), nextTurn = setImmediate } = options
  const lanes = new Map<string, Lane>()
  const waiting = new Set<Lane>()
  /** The CPU time of the lane that was served last: where a lane that had nothing to do begins. */
  let served_ms = 0
  let ages = 0
  /** Milliseconds of steps in this turn of the event loop. */
  let taken_ms = 0
  let isScheduled = false
  let isBehind = false
  /** Brief turns to come, this one included. */
  let brief = 0
  let longest_ms = 0

  const isTurnOver = () => taken_ms >= (brief > 0 ? BRIEF_MS : TURN_MS)

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    nextTurn(turn)
  }

  function turn(): void {
    isScheduled = false
    taken_ms = 0
    proceed()
  }

  function proceed(): void {
    if (waiting.size > 0 && !isTurnOver()) {
      serve()
      afterPromises(proceed)
      return
    }
    isBehind = waiting.size > 0
    brief = Math.max(0, brief - 1)
    // Once more after the last step, to begin a turn without any.
    if (isBehind || taken_ms > 0) schedule()
  }

  function serve(): void {
    const lane = leastUsed(waiting)
    lane.picks += 1
    const check = nextOf(lane)
    const step = check.steps.shift()
    if (check.steps.length === 0) leave(lane, check)
    measure(lane, check, () => step?.run())
  }

  function leave(lane: Lane, check: Check): void {
    lane.waiting.delete(check)
    if (lane.waiting.size === 0) waiting.delete(lane)
  }

  function measure<T>(lane: Lane, check: Check, step: () => T): T {
    served_ms = Math.max(served_ms, lane.used_ms)
    const began = monotonic()
    try {
      return step()
    } finally {
      const ms = Math.max(LEAST_MS, monotonic() - began)
      taken_ms += ms
      longest_ms = Math.max(longest_ms, ms)
      lane.used_ms += ms
      check.used_ms += ms
    }
  }

  return {
    hurry() {
      brief = BRIEF_TURNS
    },
    get isBehind() {
      return isBehind
    },
    get waiting() {
      return [...waiting].reduce((sum, lane) => sum + lane.waiting.size, 0)
    },
    get long() {
      let count = 0
      for (const lane of waiting) for (const check of lane.waiting) if (isLong(check)) count += 1
      return count
    },
    takeLongest() {
      const ms = longest_ms
      longest_ms = 0
      return ms
    },
    open(client) {
      const lane = lanes.get(client) ?? { open: 0, waiting: new Set(), used_ms: served_ms, picks: 0 }
      lanes.set(client, lane)
      lane.open += 1
      const check: Check = { age: ages++, steps: [], used_ms: 0 }
      let isOver = false
      const end = () => {
        if (isOver) return
        isOver = true
        leave(lane, check)
        for (const step of check.steps.splice(0)) step.reject(CPU_OVER)
        lane.open -= 1
        if (lane.open === 0) lanes.delete(client)
      }
      return {
        run<T>(step: () => T): Promise<T> {
          if (isOver) return Promise.reject(CPU_OVER)
          if (lane.waiting.size === 0) lane.used_ms = Math.max(lane.used_ms, served_ms)
          schedule()
          return new Promise((resolve, reject) => {
            const run = () => {
              try {
                resolve(step())
              } catch (error) {
                reject(error)
              }
            }
            if (waiting.size === 0 && !isTurnOver()) return measure(lane, check, run)
            check.steps.push({ run, reject })
            lane.waiting.add(check)
            waiting.add(lane)
          })
        },
        end,
        finish() {
          const isAlone = waiting.size === 1 && lane.waiting.size === 1 && lane.waiting.has(check)
          if (isAlone) for (const { run } of check.steps.splice(0)) measure(lane, check, run)
          end()
        },
      }
    },
  }
}

/**
 * Calls back in the same turn of the event loop when all promises that can settle have settled. The check whose step has just
 * run then waits with its next one: otherwise a client with a single check would seem to have nothing to do.
 */
const afterPromises = (call: () => void): void => queueMicrotask(() => process.nextTick(call))

/** Of equal lanes the last, which has waited for nothing yet. */
function leastUsed(lanes: ReadonlySet<Lane>): Lane {
  return [...lanes].reduce((least, lane) => (lane.used_ms <= least.used_ms ? lane : least))
}

/** Short checks first, the one that used least; long ones by age, so that some finish instead of all being late. */
function nextOf({ waiting, picks }: Lane): Check {
  let short: Check | undefined
  let long: Check | undefined
  for (const check of waiting) {
    if (isLong(check)) long = long === undefined || check.age < long.age ? check : long
    else if (short === undefined || isBefore(check, short)) short = check
  }
  const chosen = picks % LONG_EVERY === 0 ? (long ?? short) : (short ?? long)
  if (chosen === undefined) throw new Error('a lane without steps does not wait')
  return chosen
}

const isLong = ({ used_ms }: Check): boolean => used_ms >= SHORT_MS

const isBefore = (one: Check, other: Check): boolean =>
  one.used_ms < other.used_ms || (one.used_ms === other.used_ms && one.age < other.age)
