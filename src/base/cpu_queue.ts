// Shares the CPU of this process between checks. Analysis runs in steps, a few milliseconds of them in each turn of the event
// loop, so that requests, cached answers and sockets are served in between. Clients take turns by the CPU time that their
// checks have used, so that no client's expensive targets hold up the checks of another. The rules are the scheduler's; the steps have
// a shell of their own, because it counts turns of the event loop, and a step costs 2 µs in it and 3.5 µs as a lease of a queue.
import type { QueueFigures } from './scheduler/queue.ts'
import { type Client, Scheduler } from './scheduler/scheduler.ts'

/** Milliseconds of steps in one turn of the event loop: an answer takes about three turns and should leave within 50 ms. */
const TURN_MS = 5
/** The same in each of the turns that follow the arrival of a connection or request, until it is usually answered. */
const BRIEF_MS = 1
const BRIEF_TURNS = 3
/** Milliseconds of CPU below which a check counts as short. A check of an ordinary page needs about 15. */
const SHORT_MS = 25
/** One in this many steps of a client belongs to a long check, so that short checks never stop it. */
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
  /** Milliseconds that it had steps which waited. */
  readonly waited_ms: number
  /** Ends when time is up. If no other check waits, only a slow machine is to blame, so the steps that wait run first. */
  finish(): void
}

/** Created once: capturing a stack each time would cost more than a step. */
export const CPU_OVER = new Error('The check ended before this step')

interface CpuQueueOptions {
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
  waited_ms: number
  /** Since when it waits. */
  since: number
}

export class CpuQueue {
  readonly #monotonic: () => number
  readonly #nextTurn: (turn: () => void) => void
  readonly #scheduler: Scheduler<Check>
  /** Checks with steps that wait, and their clients. */
  readonly #waiting = new Map<Check, Client<Check>>()
  readonly #figures = { running: 0, started: 0, refused: 0, waited_ms: 0 }
  #ages = 0
  /** Milliseconds of steps in this turn of the event loop. */
  #taken_ms = 0
  #isScheduled = false
  #isBehind = false
  /** Brief turns to come, this one included. */
  #brief = 0
  #longest_ms = 0

  constructor({ monotonic = () => performance.now(), nextTurn = setImmediate }: CpuQueueOptions = {}) {
    this.#monotonic = monotonic
    this.#nextTurn = nextTurn
    this.#scheduler = new Scheduler({ limitsOf: () => ONE, choose: nextOf, cost: 0, now: monotonic })
  }

  /** Clients get equal CPU time while they have steps that wait. */
  open(name: string): CpuShare {
    const client = this.#scheduler.open({ client: name, rank: 0, resources: CPU })
    const check: Check = { age: this.#ages++, steps: [], used_ms: 0, waited_ms: 0, since: 0 }
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      this.#leave(client, check)
    }
    return {
      run: step => (isOver ? Promise.reject(CPU_OVER) : this.#run(client, check, step)),
      end,
      get waited_ms() {
        return check.waited_ms
      },
      finish: () => {
        const isAlone = this.#waiting.size === 1 && this.#waiting.has(check)
        if (isAlone) for (const { run } of check.steps.splice(0)) run()
        end()
      },
    }
  }

  /**
   * Keeps the next turns of the event loop brief: a connection or request has arrived. libuv accepts one connection in each
   * turn, so that with long turns the last of many would wait for seconds.
   */
  hurry(): void {
    this.#brief = BRIEF_TURNS
  }

  /** Whether the last turn left steps over: the CPU is busy, and more checks would only share it. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Checks with steps that wait and are not short any more. */
  get long(): number {
    let count = 0
    for (const check of this.#waiting.keys()) if (isLong(check)) count += 1
    return count
  }

  /** Checks with steps that wait, and what became of steps. */
  figures(): QueueFigures {
    return { ...this.#figures, waiting: this.#waiting.size }
  }

  /** Milliseconds of the longest step since the last call. */
  takeLongest(): number {
    const ms = this.#longest_ms
    this.#longest_ms = 0
    return ms
  }

  #run<T>(client: Client<Check>, check: Check, step: () => T): Promise<T> {
    this.#schedule()
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(step())
        } catch (error) {
          reject(error)
        }
      }
      check.steps.push({ run, reject })
      if (!this.#waiting.has(check)) this.#wait(client, check)
      if (this.#waiting.size === 1 && check.steps.length === 1 && !this.#isTurnOver()) this.#serve()
    })
  }

  #leave(client: Client<Check>, check: Check): void {
    if (this.#waiting.delete(check)) this.#scheduler.leave(client, check)
    this.#figures.refused += check.steps.length
    for (const step of check.steps.splice(0)) step.reject(CPU_OVER)
    this.#scheduler.close(client)
  }

  #isTurnOver(): boolean {
    return this.#taken_ms >= (this.#brief > 0 ? BRIEF_MS : TURN_MS)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#nextTurn(() => {
      this.#isScheduled = false
      this.#taken_ms = 0
      this.#proceed()
    })
  }

  #proceed(): void {
    if (!this.#isTurnOver() && this.#serve()) {
      afterPromises(() => this.#proceed())
      return
    }
    this.#isBehind = this.#waiting.size > 0
    this.#brief = Math.max(0, this.#brief - 1)
    // Once more after the last step, to begin a turn without any.
    if (this.#isBehind || this.#taken_ms > 0) this.#schedule()
  }

  /** Runs the next step. False if no step waits. */
  #serve(): boolean {
    const check = this.#scheduler.next()
    if (check === null) return false
    const client = this.#waiting.get(check)
    const step = check.steps.shift()
    if (client === undefined || step === undefined) throw new Error('a check without steps does not wait')
    const began = this.#monotonic()
    check.waited_ms += began - check.since
    this.#figures.waited_ms += began - check.since
    if (check.steps.length === 0) this.#waiting.delete(check)
    else this.#wait(client, check)
    step.run()
    const ms = Math.max(LEAST_MS, this.#monotonic() - began)
    this.#figures.started += 1
    this.#taken_ms += ms
    this.#longest_ms = Math.max(this.#longest_ms, ms)
    check.used_ms += ms
    this.#scheduler.charge(client, ms)
    this.#scheduler.end(client)
    return true
  }

  #wait(client: Client<Check>, check: Check): void {
    check.since = this.#monotonic()
    this.#waiting.set(check, client)
    this.#scheduler.ask(client, check)
  }
}

/** One step runs at a time. */
const ONE = { at_once: 1 }
const CPU = ['cpu']

/**
 * Calls back in the same turn of the event loop when all promises that can settle have settled. The check whose step has just
 * run then waits with its next one: otherwise a client with a single check would seem to have nothing to do.
 */
const afterPromises = (call: () => void): void => queueMicrotask(() => process.nextTick(call))

/** Short checks first, the one that used least; long ones by age, so that some finish instead of all being late. */
function nextOf({ waiting, picks }: Client<Check>): Check {
  let short: Check | undefined
  let long: Check | undefined
  for (const check of waiting) {
    if (isLong(check)) long = long === undefined || check.age < long.age ? check : long
    else if (short === undefined || isBefore(check, short)) short = check
  }
  const next = picks % LONG_EVERY === 0 ? (long ?? short) : (short ?? long)
  if (next === undefined) throw new Error('a client without steps does not wait')
  return next
}

const isLong = ({ used_ms }: Check): boolean => used_ms >= SHORT_MS

const isBefore = (one: Check, other: Check): boolean =>
  one.used_ms < other.used_ms || (one.used_ms === other.used_ms && one.age < other.age)
