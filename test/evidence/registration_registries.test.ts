import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Registration } from '../../src/evidence/registration/facts.ts'
import { notRegistered } from '../../src/evidence/registration/facts.ts'
import { createRegistrationCache } from '../../src/evidence/registration/lookup.ts'
import { createRegistryPauses, registryCapacity } from '../../src/evidence/registration/registry.ts'

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
    assert.deepEqual(left, names.slice(-9))
  })
})

describe('the capacity of a registry', () => {
  const hosts = { 'rdap.wide.test': { at_once: 32 }, 'rdap.slow.test': { per_second: 2 } }
  const capacityOf = registryCapacity({ at_once: 8, per_second: null, hosts })
  const expected = [
    ['rdap.any.test', { at_once: 8, per_second: null }],
    ['rdap.wide.test', { at_once: 32, per_second: null }],
    ['rdap.slow.test', { at_once: 8, per_second: 2 }],
  ] as const
  for (const [host, capacity] of expected) {
    it(`is ${JSON.stringify(capacity)} at ${host}`, () => {
      assert.deepEqual(capacityOf(`registry ${host}`), capacity)
    })
  }
})
