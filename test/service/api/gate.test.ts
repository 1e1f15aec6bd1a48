// When uncached checks of one process start, give up their slot and are refused, on a virtual event loop.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createGate, type GateOptions } from '../../../src/service/api/limits.ts'
import { Problem } from '../../../src/service/api/problem.ts'
import { createVirtualLoop } from '../../virtual_loop.ts'

const never = new AbortController().signal
const DEADLINE_MS = 8_000

function start(t: TestContext, options: Partial<GateOptions> = {}) {
  const loop = createVirtualLoop(t)
  const gate = createGate({ limit: 64, deadline_ms: DEADLINE_MS, monotonic: loop.now, ...options })
  const started: string[] = []
  const outcomes = new Map<string, string>()
  const ends = new Map<string, (error?: Error) => void>()
  let asked = 0
  return {
    loop,
    gate,
    started,
    outcomes,
    /** A check of the key, which runs until it is ended. */
    ask(key: string, signal = never, began = loop.now()): string {
      const name = `${key}${++asked}`
      const work = () => {
        started.push(name)
        return new Promise<string>((resolve, reject) => {
          ends.set(name, error => (error === undefined ? resolve('done') : reject(error)))
        })
      }
      const settled = (outcome: string) => void outcomes.set(name, outcome)
      gate
        .run({ key, began }, work, signal)
        .then(settled, (error: { code?: string; message: string }) => settled(error.code ?? error.message))
      return name
    },
    end: (name: string, error?: Error) => ends.get(name)?.(error),
    /** Runs each of these at its time, in milliseconds, and what follows. */
    async play(steps: Readonly<Record<number, () => void>>): Promise<void> {
      const times = Object.keys(steps).map(Number)
      for (const time of times) loop.at(time, () => steps[time]?.())
      await loop.turnUntil(Math.max(...times) + 1)
    },
    /** Each turn of the loop takes so long. */
    busy(ms: number) {
      const spend = () => {
        loop.spend(ms)
        setImmediate(spend)
      }
      setImmediate(spend)
    },
  }
}

const startedOf = (started: readonly string[], key: string) => started.filter(name => name.startsWith(key)).length

describe('the limits of a process', () => {
  for (const [title, cpu, turn_ms, keys, running] of [
    ['start all checks while there is room', { isBehind: false, long: 0 }, 0, { a: 20 }, { a: 20 }],
    ['start no more than eight while the CPU is busy', { isBehind: true, long: 0 }, 0, { a: 20 }, { a: 8 }],
    ['start no more than eight while turns are long', { isBehind: false, long: 0 }, 12, { a: 20 }, { a: 8 }],
    ['do not count long checks among the eight', { isBehind: true, long: 5 }, 0, { a: 20 }, { a: 13 }],
    [
      'start some of a key that has fewer than another',
      { isBehind: true, long: 0 },
      0,
      { a: 20, b: 10 },
      { a: 8, b: 7 },
    ],
  ] as const) {
    it(title, async t => {
      const { loop, ask, busy, started, gate } = start(t, { cpu, settings: { slow_ms: 60_000 } })
      if (turn_ms > 0) busy(turn_ms)
      const all = Object.entries(keys)
      for (const [key, count] of all) {
        for (let n = 0; n < count; n++) ask(key)
        await loop.turnUntil(loop.now() + 20 + 60 * turn_ms)
      }
      assert.deepEqual(Object.fromEntries(all.map(([key]) => [key, startedOf(started, key)])), running)
      const { waiting } = gate.figures
      assert.equal(
        waiting + started.length,
        all.reduce((sum, [, count]) => sum + count, 0),
      )
    })
  }

  it('start a check later while connections arrive, but not later than 50 ms, and others at once for as long again', async t => {
    const { loop, ask, busy, gate, started } = start(t, { settings: { slow_ms: 60_000 } })
    const startedIn = async (ms: number) => {
      const before = started.length
      for (const end = loop.now() + ms; loop.now() < end; ) {
        gate.postpone()
        await loop.turnUntil(loop.now() + 1)
      }
      return started.length - before
    }
    busy(1)
    for (let n = 0; n < 60; n++) ask('a')
    await loop.turnUntil(2)
    const counts = [await startedIn(45), await startedIn(50), await startedIn(45)]
    assert.deepEqual(
      counts.map(count => (count > 8 ? 'many' : count > 0 && count < 3 ? 'few' : count)),
      [0, 'many', 'few'],
    )
  })

  it('give the slot of a slow check to another, so that tarpits starve nobody', async t => {
    const { play, ask, end, gate, outcomes } = start(t, { limit: 2 })
    const seen: number[][] = []
    const look = () => {
      const { running, waiting } = gate.figures
      seen.push([gate.slow.running, running, waiting])
    }
    const ask4 = () => ['a', 'a', 'a', 'a'].forEach(key => void ask(key))
    await play({
      0: ask4,
      100: look,
      1600: look,
      1700: () => ask('b'),
      1750: () => end('b5'),
      1800: () => ask('a'),
      1801: () => ask('a'),
      4000: look,
      4100: () => [1, 2, 3, 4, 6, 7].forEach(n => void end(`a${n}`)),
      4200: look,
    })
    // Four are slow at most, however long the others take.
    assert.deepEqual(seen, [
      [0, 2, 2],
      [4, 0, 0],
      [4, 2, 0],
      [0, 0, 0],
    ])
    assert.equal(outcomes.get('b5'), 'done')
  })

  it('refuse a check that waited too long, and one that has too little time left to start', async t => {
    const { play, ask, end, outcomes, gate } = start(t, { limit: 1, settings: { slow_ms: 60_000 } })
    const seen: object[] = []
    const look = () => void seen.push(Object.fromEntries(outcomes))
    await play({
      0: () => ask('a'),
      // The third waits for half of the time that it has left.
      1: () => ask('a'),
      2: () => ask('a', never, 2 - 6_000),
      900: look,
      1100: look,
      2900: look,
      3100: look,
      3200: () => end('a1'),
      3300: () => ask('a', never, 3_300 - 7_500),
      3400: look,
    })
    const third = { a3: 'overloaded' }
    const both = { ...third, a2: 'overloaded' }
    assert.deepEqual(seen, [{}, third, third, both, { ...both, a1: 'done', a4: 'overloaded' }])
    assert.equal(gate.figures.refused, 2)
  })

  it('start checks that waited only because the event loop was blocked, but no more than there are slots', async t => {
    const { loop, play, ask, outcomes, started } = start(t, { limit: 2, settings: { wait_ms: 20, slow_ms: 60_000 } })
    const askAll = () => {
      for (const key of ['a', 'b', 'c']) ask(key)
      loop.spend(60)
    }
    await play({ 0: askAll, 200: () => {} })
    assert.deepEqual(started, ['a1', 'b2'])
    assert.deepEqual([...outcomes], [['c3', 'overloaded']])
  })

  it('free the slot when a check fails, and forget one whose client leaves', async t => {
    const { play, ask, end, outcomes, started } = start(t, { limit: 1 })
    const leaving = new AbortController()
    await play({
      0: () => ask('a'),
      10: () => ask('b', leaving.signal),
      20: () => ask('c'),
      30: () => leaving.abort(new Error('gone')),
      40: () => ask('d', leaving.signal),
      50: () => end('a1', new Error('broken')),
      60: () => end('c3'),
      70: () => {},
    })
    assert.deepEqual(started, ['a1', 'c3'])
    assert.deepEqual(Object.fromEntries(outcomes), { a1: 'broken', b2: 'gone', c3: 'done', d4: 'gone' })
  })

  it('tell at once what they would refuse, and when to retry', async t => {
    const { play, ask, gate } = start(t, { limit: 1, settings: { slow_ms: 60_000 } })
    const retries: string[] = []
    const attempt = (key: string) => () => {
      try {
        gate.attempt(key)
        retries.push('none')
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'overloaded')
        retries.push(error.headers['Retry-After'] ?? '')
      }
    }
    const ask3 = () => ['a', 'a', 'a'].forEach(key => void ask(key))
    await play({ 0: attempt('a'), 1: ask3, 10: attempt('b'), 11: attempt('a'), 2600: attempt('a'), 2601: () => {} })
    assert.deepEqual(retries, ['none', 'none', '1', '3'])
  })
})
