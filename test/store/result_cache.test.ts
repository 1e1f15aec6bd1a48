import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Target } from '../../src/engine/target.ts'
import { cacheKey, createResultCache, type ResultClass } from '../../src/store/result_cache.ts'

const minute = 60_000
const body = (text: string) => Buffer.from(text)

function setUp(random = 0.5) {
  const clock = { now: 0 }
  return { clock, cache: createResultCache({ now: () => clock.now, random: () => random }) }
}

function domain(name: string, ip: string | null = null): Target {
  return { kind: 'domain', domain: name, ip, registrable: name, registered: name }
}

const lives: readonly [ResultClass, number][] = [
  ['complete', 60 * minute],
  ['incomplete', minute],
  ['not_found', 5 * minute],
]

for (const [kind, life] of lives) {
  test(`a result that is ${kind} lives ${life / minute} minutes`, () => {
    const { cache, clock } = setUp()
    cache.put('k', body(kind), kind)
    clock.now = life - 1
    const { bytes, class: class_, born } = cache.get('k') ?? assert.fail()
    assert.deepEqual({ bytes, class_, born }, { bytes: body(kind), class_: kind, born: 0 })
    clock.now = life
    assert.equal(cache.get('k'), null)
  })
}

test('complete results live a tenth longer or shorter, the others just as long as said', () => {
  for (const [random, life] of [
    [0, 54 * minute],
    [0.999999, 66 * minute],
  ] as const) {
    const { cache, clock } = setUp(random)
    for (const [kind] of lives) cache.put(kind, body(kind), kind)
    clock.now = minute - 1
    assert.notEqual(cache.get('incomplete'), null)
    clock.now = minute
    assert.equal(cache.get('incomplete'), null)
    clock.now = life - minute
    assert.notEqual(cache.get('complete'), null)
    clock.now = life
    assert.equal(cache.get('complete'), null)
  }
})

test('an incomplete result does not replace a complete one that lives', () => {
  const { cache } = setUp()
  cache.put('k', body('whole'), 'complete')
  cache.put('k', body('part'), 'incomplete')
  assert.equal(cache.get('k')?.bytes.toString(), 'whole')
})

test('an incomplete result is served in place of one that has ended, which stays for when we cannot look', () => {
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

test('a newer complete result replaces whatever was there', () => {
  const { cache } = setUp()
  for (const kind of ['incomplete', 'not_found', 'complete'] as const) {
    cache.put('k', body('old'), kind)
    cache.put('k', body('new'), 'complete')
    assert.equal(cache.get('k')?.bytes.toString(), 'new')
    assert.equal(cache.getStale('k')?.bytes.toString(), 'new')
  }
})

test('a name that is gone is not remembered as it was', () => {
  const { cache } = setUp()
  cache.put('k', body('whole'), 'complete')
  cache.put('k', body('gone'), 'not_found')
  assert.equal(cache.get('k')?.bytes.toString(), 'gone')
  assert.equal(cache.getStale('k'), null)
})

test('what was never complete never stands in', () => {
  const { cache } = setUp()
  cache.put('k', body('part'), 'incomplete')
  assert.equal(cache.getStale('k'), null)
  assert.equal(cache.getStale('other'), null)
})

test('the cache stays within its octets whatever is put in, and keeps what was used last', () => {
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

test('names that every object has are ordinary names', () => {
  const { cache } = setUp()
  const names = ['constructor.com', '__proto__.com', 'tostring.com', 'hasownproperty.com', '__proto__', 'constructor']
  for (const name of names) {
    assert.equal(cache.get(name), null)
    cache.put(name, body(name), 'complete')
  }
  for (const name of names) assert.equal(cache.get(name)?.bytes.toString(), name)
})

test('different targets and policies have different keys, whatever their names hold', () => {
  const keys = [
    cacheKey(domain('a.b'), 'c'),
    cacheKey(domain('a'), 'b.c'),
    cacheKey(domain('a', '192.0.2.1'), 'c'),
    cacheKey(domain('a"', null), ',"c'),
    cacheKey(domain('a', null), '","c'),
    cacheKey({ kind: 'ip', domain: null, ip: '192.0.2.1', registrable: null, registered: null }, 'c'),
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
