import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Registration } from '../../src/evidence/registration/facts.ts'
import { notRegistered } from '../../src/evidence/registration/facts.ts'
import { createRegistrationCache } from '../../src/evidence/registration/lookup.ts'
import { createRegistryLimiter, createRegistryPauses } from '../../src/evidence/registration/registry.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A clock that moves only on demand. */
function stoppedClock() {
  let passed = 0
  return {
    now: () => START + passed,
    monotonic: () => passed,
    pass: (ms: number) => {
      passed += ms
    },
  }
}

describe('the pause of a registry', () => {
  const lengths = [
    ['120', 2 * MINUTE],
    ['3600', HOUR],
    ['86400', HOUR],
    ['999999999999', HOUR],
    ['0', 0],
    ['Fri, 20 Nov 2026 12:05:00 GMT', 5 * MINUTE],
    ['Sat, 21 Nov 2026 12:05:00 GMT', HOUR],
    ['Fri, 20 Nov 2026 11:05:00 GMT', 0],
    ['soon', MINUTE],
    ['-5', MINUTE],
    ['', MINUTE],
    [null, MINUTE],
  ] as const
  for (const [retryAfter, expected] of lengths) {
    it(`lasts ${expected / 1000} s for Retry-After ${JSON.stringify(retryAfter)}`, () => {
      const clock = stoppedClock()
      const pauses = createRegistryPauses(clock)
      pauses.pause('rdap.test', retryAfter)
      clock.pass(Math.max(0, expected - 1))
      assert.equal(pauses.isPaused('rdap.test'), expected > 0)
      clock.pass(1)
      assert.equal(pauses.isPaused('rdap.test'), false)
    })
  }

  it('applies to one registry, and a shorter pause does not end it', () => {
    const clock = stoppedClock()
    const pauses = createRegistryPauses(clock)
    pauses.pause('rdap.test', '3600')
    pauses.pause('rdap.test', '1')
    clock.pass(30 * MINUTE)
    assert.deepEqual([pauses.isPaused('rdap.test'), pauses.isPaused('other.test')], [true, false])
  })
})

describe('the cache of registrations', () => {
  const registration = (domain: string, registered: boolean): Registration => ({
    source: 'rdap',
    domain,
    ...notRegistered,
    registered,
  })

  it('keeps a registration for a day and an unregistered name for five minutes', () => {
    const clock = stoppedClock()
    const cache = createRegistrationCache('registrations', clock)
    cache.put('taken.test', registration('taken.test', true))
    cache.put('free.test', registration('free.test', false))
    clock.pass(5 * MINUTE - 1)
    assert.deepEqual(cache.get('free.test'), registration('free.test', false))
    clock.pass(1)
    assert.equal(cache.get('free.test'), null)
    clock.pass(24 * HOUR - 5 * MINUTE - 1)
    assert.deepEqual(cache.get('taken.test'), registration('taken.test', true))
    clock.pass(1)
    assert.equal(cache.get('taken.test'), null)
  })

  it('evicts the oldest entry when it is full', () => {
    const cache = createRegistrationCache('registrations', stoppedClock(), 4_000)
    const names = Array.from({ length: 50 }, (_, at) => `d${at}.test`)
    for (const name of names) cache.put(name, registration(name, true))
    const left = names.filter(name => cache.get(name) !== null)
    assert.deepEqual(left, names.slice(-7))
  })
})

describe('the limiter of a registry', () => {
  const signal = new AbortController().signal

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

  it('runs queries in order, a few at once, independently of other registries', async () => {
    const limiter = createRegistryLimiter(2)
    const { asked, ask, end } = asker()
    const all = ['a', 'b', 'c', 'd'].map(name => limiter.run('one.test', signal, ask(name)))
    const other = limiter.run('other.test', signal, ask('other'))
    await Promise.resolve()
    assert.deepEqual(asked, ['a', 'b', 'other'])
    end('b')
    assert.equal(await all[1], 'b')
    assert.deepEqual(asked, ['a', 'b', 'other', 'c'])
    for (const name of ['a', 'c', 'other']) end(name)
    assert.deepEqual(await Promise.all([all[0], all[2], other]), ['a', 'c', 'other'])
    end('d')
    assert.equal(await all[3], 'd')
  })

  it('drops a waiting query when its signal aborts', async () => {
    const limiter = createRegistryLimiter(1)
    const { asked, ask, end } = asker()
    const leaving = new AbortController()
    const first = limiter.run('one.test', signal, ask('first'))
    const second = limiter.run('one.test', leaving.signal, ask('second'))
    const third = limiter.run('one.test', signal, ask('third'))
    leaving.abort()
    assert.equal(await second, null)
    assert.equal(await limiter.run('one.test', leaving.signal, ask('late')), null)
    end('first')
    await first
    await Promise.resolve()
    end('third')
    assert.equal(await third, 'third')
    assert.deepEqual(asked, ['first', 'third'])
  })

  it('continues when a query fails', async () => {
    const limiter = createRegistryLimiter(1)
    const failing = limiter.run('one.test', signal, () => Promise.reject(new Error('no')))
    const next = limiter.run('one.test', signal, async () => 'next')
    await assert.rejects(failing, /no/)
    assert.equal(await next, 'next')
  })
})
