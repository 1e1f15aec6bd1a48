import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ResultClass } from '../../src/engine/completeness.ts'
import { cacheKey, createResultCache } from '../../src/store/result_cache.ts'
import type { Target } from '../../src/targets/target.ts'

const minute = 60_000
const body = (text: string) => Buffer.from(text)

function setUp(random = 0.5) {
  const clock = { now: 0 }
  return { clock, cache: createResultCache({ now: () => clock.now, random: () => random }) }
}

function domain(name: string, ip: string | null = null): Target {
  return { kind: 'domain', domain: name, ip, registrable: name, registered: name, url: null, visit: true }
}

const lives: readonly [ResultClass, number][] = [
  ['complete', 60 * minute],
  ['incomplete', minute],
  ['not_found', 5 * minute],
  ['withheld', 10 * minute],
]

for (const [kind, life] of lives) {
  test(`a result that is ${kind} lives ${life / minute} minutes`, () => {
    const { cache, clock } = setUp()
    cache.put('k', body(kind), kind)
    clock.now = life - 1
    const { bytes, class: class_ } = cache.get('k') ?? assert.fail()
    assert.deepEqual({ bytes, class_ }, { bytes: body(kind), class_: kind })
    clock.now = life
    assert.equal(cache.get('k'), null)
  })
}

test('lifetimes of complete and withheld results vary by a tenth, others are exact', () => {
  for (const [random, life, withheld] of [
    [0, 54 * minute, 9 * minute],
    [0.999999, 66 * minute, 11 * minute],
  ] as const) {
    const { cache, clock } = setUp(random)
    for (const [kind] of lives) cache.put(kind, body(kind), kind)
    clock.now = minute - 1
    assert.notEqual(cache.get('incomplete'), null)
    clock.now = minute
    assert.equal(cache.get('incomplete'), null)
    clock.now = withheld - 1_000
    assert.notEqual(cache.get('withheld'), null)
    clock.now = withheld
    assert.equal(cache.get('withheld'), null)
    clock.now = life - minute
    assert.notEqual(cache.get('complete'), null)
    clock.now = life
    assert.equal(cache.get('complete'), null)
  }
})

test('an incomplete result does not replace a live complete one', () => {
  const { cache } = setUp()
  cache.put('k', body('whole'), 'complete')
  cache.put('k', body('part'), 'incomplete')
  assert.equal(cache.get('k')?.bytes.toString(), 'whole')
})

test('an incomplete result is served instead of an expired one, which is kept as stale', () => {
  const { cache, clock } = setUp()
  cache.put('k', body('whole'), 'complete')
  clock.now = 61 * minute
  cache.put('k', body('part'), 'incomplete')
  assert.equal(cache.get('k')?.bytes.toString(), 'part')
  assert.equal(cache.getStale('k')?.bytes.toString(), 'whole')
  clock.now = 24 * 60 * minute - 1
  assert.equal(cache.getStale('k')?.bytes.toString(), 'whole')
  clock.now = 24 * 60 * minute
  assert.equal(cache.getStale('k'), null)
})

test('a cache of size zero stores nothing', () => {
  const cache = createResultCache({ bytes_max: 0 })
  cache.put('k', body('whole'), 'complete')
  assert.deepEqual([cache.get('k'), cache.getStale('k'), cache.size], [null, null, 0])
})

test('a newer complete result replaces any other', () => {
  const { cache } = setUp()
  for (const kind of ['incomplete', 'withheld', 'not_found', 'complete'] as const) {
    cache.put('k', body('old'), kind)
    cache.put('k', body('new'), 'complete')
    assert.equal(cache.get('k')?.bytes.toString(), 'new')
    assert.equal(cache.getStale('k')?.bytes.toString(), 'new')
  }
})

test('a name that no longer exists has no stale result', () => {
  const { cache } = setUp()
  cache.put('k', body('whole'), 'complete')
  cache.put('k', body('gone'), 'not_found')
  assert.equal(cache.get('k')?.bytes.toString(), 'gone')
  assert.equal(cache.getStale('k'), null)
})

test('a result that was never complete is never served as stale', () => {
  const { cache } = setUp()
  cache.put('k', body('part'), 'incomplete')
  assert.equal(cache.getStale('k'), null)
  assert.equal(cache.getStale('other'), null)
})

test('the cache never exceeds its limit, and keeps the most recently used results', () => {
  const cache = createResultCache({ bytes_max: 1024 * 1024 })
  cache.put('kept', Buffer.alloc(4096), 'complete')
  for (let n = 0; n < 5_000; n++) {
    cache.put(`name-${n}.example.com`, Buffer.alloc(4096), 'complete')
    assert.notEqual(cache.get('kept'), null)
    assert.ok(cache.size <= 1024 * 1024)
  }
  assert.equal(cache.get('name-0.example.com'), null)
  assert.notEqual(cache.get('name-4999.example.com'), null)
})

test('ten thousand results stored together expire evenly over a fifth of their lifetime', () => {
  const clock = { now: 0 }
  const cache = createResultCache({ now: () => clock.now, bytes_max: 2 ** 30 })
  for (let n = 0; n < 10_000; n++) cache.put(`${n}`, Buffer.alloc(0), 'complete')
  const living = (at: number) => {
    clock.now = at * minute
    return Array.from({ length: 10_000 }, (_, n) => cache.get(`${n}`)).filter(found => found !== null).length
  }
  assert.equal(living(53.9), 10_000)
  const ends = Array.from({ length: 12 }, (_, at) => living(54 + at) - living(55 + at))
  // 833 are to end in each minute: 200 off is seven standard deviations.
  for (const count of ends) assert.ok(Math.abs(count - 10_000 / 12) < 200, `${ends} end in each minute`)
  assert.equal(living(66.1), 0)
})

test('names of object properties are ordinary names', () => {
  const { cache } = setUp()
  const names = ['constructor.com', '__proto__.com', 'tostring.com', 'hasownproperty.com', '__proto__', 'constructor']
  for (const name of names) {
    assert.equal(cache.get(name), null)
    cache.put(name, body(name), 'complete')
  }
  for (const name of names) assert.equal(cache.get(name)?.bytes.toString(), name)
})

test('different targets and policies have different keys, for any names', () => {
  const keys = [
    cacheKey(domain('a.b'), 'c'),
    cacheKey(domain('a'), 'b.c'),
    cacheKey(domain('a', '192.0.2.1'), 'c'),
    cacheKey(domain('a"', null), ',"c'),
    cacheKey(domain('a', null), '","c'),
    cacheKey(
      { kind: 'ip', domain: null, ip: '192.0.2.1', registrable: null, registered: null, url: null, visit: true },
      'c',
    ),
    cacheKey(domain('192.0.2.1'), 'c'),
  ]
  assert.equal(new Set(keys).size, keys.length)
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (name, policy, other, otherPolicy) => {
      const same = name === other && policy === otherPolicy
      assert.equal(cacheKey(domain(name), policy) === cacheKey(domain(other), otherPolicy), same)
    }),
  )
})
