import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serialize, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCache, createTable, ENTRY as OVERHEAD } from '../../../src/base/cache/cache.ts'
import { tables } from '../../../src/base/cache/caps.ts'

/** What an entry of a name of one character and a small number counts. */
const ENTRY = OVERHEAD + 1 + serialize(1).length

describe('a cache', () => {
  it('evicts the least recently used entries, and reports it', () => {
    const gone: number[] = []
    const cache = createCache<number>('pauses', { octets: 3 * ENTRY, onForget: value => gone.push(value) })
    for (const value of [1, 2, 3]) cache.set(`${value}`, value)
    cache.get('1')
    for (const value of [4, 5]) cache.set(`${value}`, value)
    assert.deepEqual(
      [
        cache
          .entries()
          .map(([key]) => key)
          .sort(),
        gone,
      ],
      [
        ['1', '4', '5'],
        [2, 3],
      ],
    )
    assert.equal(cache.octets, 3 * ENTRY)
  })

  it('counts a replaced entry once, with its new size', () => {
    const cache = createCache<string>('pauses')
    for (const value of ['', 'x'.repeat(100), 'x'.repeat(8)]) cache.set('a', value)
    assert.deepEqual([cache.octets, cache.get('a')], [OVERHEAD + 1 + serialize('x'.repeat(8)).length, 'x'.repeat(8)])
    cache.delete('a')
    assert.deepEqual([cache.octets, cache.get('a')], [0, undefined])
  })

  it('stores a copy that later changes do not affect', () => {
    const cache = createCache<{ list: string[] }>('lookups')
    const given = { list: ['a'] }
    const kept = cache.set('key', given)
    given.list.push('b')
    assert.deepEqual(kept, { list: ['a'] })
    assert.equal(cache.get('key'), kept)
  })

  it('keeps nothing of the answers that keys and values were cut from', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const cutFrom = (text: string) =>
      Buffer.from(text + 'x'.repeat(65_536))
        .toString()
        .slice(0, text.length)
    const cache = createCache<{ name: string }>('lookups')
    collect()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 1_000; n++) cache.set(cutFrom(`name-${n}.example.com`), { name: cutFrom(`host of name-${n}`) })
    collect()
    const taken = process.memoryUsage().heapUsed - before
    assert.equal(cache.entries().length, 1_000)
    // The answers take 131 MB; what else the process compiles meanwhile, a few.
    assert.ok(taken < 2 ** 25, `${taken} octets for ${cache.octets}`)
  })

  it('stores values without a copy if their owner weighs them', () => {
    const cache = createCache<number[]>('rates', { weigh: ({ length }) => 8 * length })
    const list = [1]
    assert.equal(cache.set('key', list), list)
    list.push(2)
    cache.set('key', list)
    assert.deepEqual([cache.get('key'), cache.octets], [[1, 2], OVERHEAD + 3 + 16])
  })

  it('stores nothing larger than its limit, and removes the previous entry', () => {
    const cache = createCache<string>('lookups', { octets: 2 * ENTRY })
    cache.set('a', 'small')
    assert.equal(cache.set('a', 'x'.repeat(1_000)).length, 1_000)
    assert.deepEqual([cache.get('a'), cache.octets], [undefined, 0])
  })

  it('serves an entry during its lifetime, by the given clock', () => {
    let now = 0
    const cache = createCache<number>('keys', { life_ms: 1_000, now: () => now })
    cache.set('usual', 1)
    cache.set('short', 2, 10)
    cache.set('long', 3, Number.POSITIVE_INFINITY)
    const living = () => [
      cache.entries().map(([key]) => key),
      cache.get('usual'),
      cache.get('short'),
      cache.get('long'),
    ]
    now = 9
    assert.deepEqual(living(), [['long', 'short', 'usual'], 1, 2, 3])
    now = 10
    assert.deepEqual(living(), [['long', 'usual'], 1, undefined, 3])
    now = 1_000
    assert.deepEqual(living(), [['long'], undefined, undefined, 3])
    assert.equal(cache.entries().length, 1)
  })

  it('takes almost no memory while empty', () => {
    const before = process.memoryUsage()
    const caches = Array.from({ length: 50 }, () => createCache<number>('results'))
    const after = process.memoryUsage()
    const taken = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    assert.ok(taken < 2 ** 22, `${caches.length} of them take ${taken} octets`)
  })
})

describe('a table of state in use', () => {
  const { entries: most } = tables.uses
  const fill = (isIdle: (value: number) => boolean, count: number) => {
    const table = createTable<number>('uses', isIdle)
    for (let n = 0; n < count; n++) table.add(`${n}`, () => n)
    return [...table.values()]
  }

  it('holds the maximum number of entries', () => {
    assert.equal(fill(() => true, most).length, most)
  })

  it('removes the oldest tenth when it is full', () => {
    const left = fill(() => true, most + 1)
    assert.deepEqual([left.length, left[0], left.at(-1)], [most * 0.9 + 1, most * 0.1, most])
  })

  it('removes no entry that is in use', () => {
    const left = fill(value => value % 2 === 1, most + 1)
    assert.deepEqual(left.slice(0, 2), [0, 2])
    assert.equal(left.filter(value => value % 2 === 0).length, most / 2 + 1)
    assert.equal(fill(() => false, most + 5).length, most + 5)
  })

  it('searches for idle entries a bounded number of times, also when all are in use', () => {
    let looks = 0
    const count = 5 * most
    fill(() => {
      looks += 1
      return false
    }, count)
    assert.ok(looks <= 50 * count, `${looks / count} for each addition`)
  })

  it('is as small as before once entries that were in use are idle', () => {
    let isIdle = false
    const table = createTable<number>('uses', () => isIdle)
    for (let n = 0; n < 3 * most; n++) table.add(`${n}`, () => n)
    isIdle = true
    for (let n = 0; n < 2 * most; n++) table.add(`later ${n}`, () => n)
    assert.ok([...table.values()].length <= most)
  })

  it('passes a copy of the name to the constructor of entries', () => {
    const table = createTable<{ name: string }>('uses', () => true)
    const made = table.add('name', own => ({ name: own }))
    assert.deepEqual([table.get('name'), made], [made, { name: 'name' }])
    table.delete('name')
    assert.equal(table.get('name'), undefined)
  })
})
