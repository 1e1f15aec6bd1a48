// An event loop whose clock advances only by the work that is done, and to the next event when there is none: what follows from
// how long things take does not depend on the machine.
import type { TestContext } from 'node:test'

export interface VirtualLoop {
  now(): number
  /** The work of the current callback takes so long. */
  spend(ms: number): void
  /** Calls back in the turn in which `time` has come, as when a socket becomes readable. */
  at(time: number, run: () => void): void
  /** Calls back for a connection that arrives; the loop accepts one in each turn, as libuv does. */
  accept(run: () => void): void
  /** Turns until nothing is left to do or `time` has come. */
  turnUntil(time: number): Promise<void>
}

interface Timer {
  at: number
  readonly every: number | null
  readonly run: () => void
  ref(): Timer
  unref(): Timer
}

/** Milliseconds of a turn without any work. */
const EMPTY_TURN_MS = 0.03

/** Replaces the timers and `performance.now` for the rest of the test. */
export function createVirtualLoop(t: TestContext): VirtualLoop {
  let now = 0
  let immediates: (() => void)[] = []
  let events: { readonly at: number; readonly run: () => void }[] = []
  const connections: (() => void)[] = []
  const timers = new Set<Timer>()
  /** Lets all promises settle that can. */
  const realImmediate = setImmediate
  const settle = () => new Promise<void>(resolve => void realImmediate(resolve))

  function start(run: () => void, ms: number, every: number | null): Timer {
    const timer: Timer = { at: now + ms, every, run, ref: () => timer, unref: () => timer }
    timers.add(timer)
    return timer
  }

  const replace = (name: string, replacement: unknown) =>
    t.mock.method(globalThis as never, name as never, replacement as never)
  replace(
    'setImmediate',
    (run: (...args: unknown[]) => void, ...args: unknown[]) => void immediates.push(() => run(...args)),
  )
  replace('setTimeout', (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    start(() => run(...args), ms, null),
  )
  replace('setInterval', (run: () => void, ms: number) => start(run, ms, ms))
  for (const name of ['clearTimeout', 'clearInterval']) replace(name, (timer: Timer) => void timers.delete(timer))
  t.mock.method(performance, 'now', () => now)

  async function call(callbacks: readonly (() => void)[]): Promise<void> {
    for (const run of callbacks) {
      run()
      await settle()
    }
  }

  function fire(timer: Timer): void {
    if (!timers.has(timer)) return
    if (timer.every === null) timers.delete(timer)
    else timer.at = now + timer.every
    timer.run()
  }

  async function turn(): Promise<void> {
    await call([...timers].filter(({ at }) => at <= now).map(timer => () => fire(timer)))
    const due = events.filter(({ at }) => at <= now)
    events = events.filter(({ at }) => at > now)
    await call(due.map(({ run }) => run))
    await call(connections.splice(0, 1))
    const checked = immediates
    immediates = []
    await call(checked)
    now += EMPTY_TURN_MS
  }

  return {
    now: () => now,
    spend(ms) {
      now += ms
    },
    at: (time, run) => void events.push({ at: time, run }),
    accept: run => void connections.push(run),
    async turnUntil(time) {
      while (now < time) {
        await turn()
        if (immediates.length > 0 || connections.length > 0) continue
        const next = Math.min(...[...events, ...timers].map(({ at }) => at))
        if (next === Number.POSITIVE_INFINITY) return
        now = Math.max(now, next)
      }
    },
  }
}
