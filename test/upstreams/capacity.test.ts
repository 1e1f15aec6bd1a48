// How many queries an upstream gets from one process.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { type Capacity, createCapacityLimiter } from '../../src/upstreams/capacity.ts'

const never = new AbortController().signal
const patient = { signal: never, wait_ms: 60_000 }
const two: Capacity = { at_once: 2, per_second: null }
const one: Capacity = { at_once: 1, per_second: null }

const limiterOf = (capacity: Capacity, monotonic = systemClock.monotonic) =>
  createCapacityLimiter({ capacityOf: () => capacity, monotonic })

/** Queries that end on demand. */
function asker() {
  const asked: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string) => () => {
    asked.push(name)
    return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
  }
  return { asked, ask, end: (name: string) => ends.get(name)?.() }
}

describe('the capacity of an upstream', () => {
  it('lets queries run in order, as many at once as configured, independently of other upstreams', async () => {
    const limiter = limiterOf(two)
    const { asked, ask, end } = asker()
    const all = ['a', 'b', 'c', 'd'].map(name => limiter.run('one', patient, ask(name)))
    const other = limiter.run('other', patient, ask('other'))
    await pause(0)
    assert.deepEqual(asked, ['a', 'b', 'other'])
    end('b')
    assert.equal(await all[1], 'b')
    await pause(0)
    assert.deepEqual(asked, ['a', 'b', 'other', 'c'])
    for (const name of ['a', 'c', 'other']) end(name)
    assert.deepEqual(await Promise.all([all[0], all[2], other]), ['a', 'c', 'other'])
    await pause(0)
    end('d')
    assert.equal(await all[3], 'd')
  })

  it('is that of the source', async () => {
    const capacityOf = (source: string) => (source === 'narrow' ? one : two)
    const limiter = createCapacityLimiter({ capacityOf, monotonic: systemClock.monotonic })
    const { asked, ask } = asker()
    const over = new AbortController()
    for (const source of ['narrow', 'wide'])
      for (const n of [1, 2, 3]) void limiter.run(source, { ...patient, signal: over.signal }, ask(source + n))
    await pause(0)
    over.abort()
    assert.deepEqual(asked, ['narrow1', 'wide1', 'wide2'])
  })

  it('has a rate per second', async () => {
    let now = 0
    const limiter = limiterOf({ at_once: 10, per_second: 2 }, () => now)
    const begun: number[] = []
    const run = () => limiter.run('one', patient, async () => void begun.push(now))
    await Promise.all([run(), run()])
    const third = run()
    await pause(0)
    assert.deepEqual(begun, [0, 0])
    now = 1_000
    void run()
    await third
    assert.deepEqual(begun.slice(0, 3), [0, 0, 1_000])
  })

  it('gives no slot to a query whose signal aborts', async () => {
    const limiter = limiterOf(one)
    const { asked, ask, end } = asker()
    const leaving = new AbortController()
    const left = { ...patient, signal: leaving.signal }
    const first = limiter.run('one', patient, ask('first'))
    const second = limiter.run('one', left, ask('second'))
    const third = limiter.run('one', patient, ask('third'))
    leaving.abort()
    assert.equal(await second, null)
    assert.equal(await limiter.run('one', left, ask('late')), null)
    end('first')
    await first
    await pause(0)
    end('third')
    assert.equal(await third, 'third')
    assert.deepEqual(asked, ['first', 'third'])
  })

  it('gives no slot to a query that has waited as long as it may', async () => {
    const limiter = limiterOf(one)
    const { asked, ask, end } = asker()
    void limiter.run('one', patient, ask('first'))
    assert.equal(await limiter.run('one', { signal: never, wait_ms: 10 }, ask('second')), null)
    end('first')
    await pause(0)
    assert.equal(await limiter.run('one', patient, async () => 'third'), 'third')
    assert.deepEqual(asked, ['first'])
  })

  it('goes on when a query fails', async () => {
    const limiter = limiterOf(one)
    const failing = limiter.run('one', patient, () => Promise.reject(new Error('no')))
    const next = limiter.run('one', patient, async () => 'next')
    await assert.rejects(failing, /no/)
    assert.equal(await next, 'next')
  })

  it('goes last to queries that nobody waits for', async () => {
    const limiter = limiterOf(one)
    const { asked, ask, end } = asker()
    void limiter.run('one', patient, ask('first'))
    void limiter.run('one', { signal: never, wait_ms: null }, ask('later'))
    void limiter.run('one', patient, ask('second'))
    for (const name of ['first', 'second', 'later']) {
      await pause(0)
      end(name)
    }
    assert.deepEqual(asked, ['first', 'second', 'later'])
  })

  it('is refused at once to a query that would wait too long, as the wait of others shows', async () => {
    let now = 0
    const limiter = limiterOf(one, () => now)
    const { ask, end } = asker()
    const names = Array.from({ length: 40 }, (_, n) => `q${n}`)
    for (const name of names) void limiter.run('one', patient, ask(name))
    for (const name of names.slice(0, 20)) {
      await pause(0)
      now += 1_000
      end(name)
    }
    await pause(0)
    const asked = { signal: never, wait_ms: 3_000 }
    assert.equal(await limiter.run('one', asked, async () => 'asked'), null)
    for (const name of names.slice(20)) {
      end(name)
      await pause(0)
    }
    assert.equal(await limiter.run('one', asked, async () => 'asked'), 'asked')
  })
})
