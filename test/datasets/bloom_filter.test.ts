import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createBloomFilter, createKeyHash } from '../../src/datasets/feed/key_table.ts'

const hash = createKeyHash(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))
type Filter = ReturnType<typeof createBloomFilter>

function addNames(filter: Filter, names: readonly string[]): void {
  const added = filter.reserve(names.length)
  for (const name of names) {
    hash.of(name)
    filter.add(hash.high, hash.low)
  }
  added()
}

const knows = (filter: Filter, name: string): boolean => {
  hash.of(name)
  return filter.has(hash.high, hash.low)
}

const names = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${n}.example`)

describe('the filter of the names in feeds', () => {
  it('knows every name of every feed, however often it has grown since', () => {
    const feeds = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(feeds, counts => {
        const filter = createBloomFilter()
        const listed = counts.map((count, feed) => names(`feed-${feed}`, count))
        for (const feed of listed) addNames(filter, feed)
        assert.deepEqual(
          listed.flat().filter(name => !knows(filter, name)),
          [],
        )
      }),
      { numRuns: 20 },
    )
  })

  it('has room for feeds that are read at the same time', () => {
    const alone = createBloomFilter()
    addNames(alone, names('feed', 100_000))
    const together = createBloomFilter()
    for (let feed = 0; feed < 10; feed++) together.reserve(10_000)
    assert.equal(together.bytes, alone.bytes)
  })

  const sizes: readonly (readonly [count: number, octets: number])[] = [
    [0, 8 * 1024],
    [10_000, 8 * 1024],
    [500_000, 512 * 1024],
    [100_000_000, 8 * 1024 * 1024],
  ]
  for (const [count, octets] of sizes) {
    it(`takes ${octets / 1024} KiB for ${count} names`, () => {
      const filter = createBloomFilter()
      filter.reserve(count)
      assert.equal(filter.bytes, octets)
    })
  }

  it('takes over a filter of its own size as if its names had been added', () => {
    const [some, others] = [names('some', 30_000), names('other', 30_000)]
    const [filter, kept] = [createBloomFilter(), createBloomFilter()]
    kept.reserve(some.length + others.length)()
    addNames(kept, others)
    assert.equal(filter.merge(kept.words), false)
    filter.reserve(some.length + others.length)()
    addNames(filter, some)
    assert.equal(filter.merge(kept.words), true)
    assert.deepEqual(
      [...some, ...others].filter(name => !knows(filter, name)),
      [],
    )
  })

  it('counts what it takes over: it grows for further names when it is full', () => {
    const [filter, added] = [createBloomFilter(), createBloomFilter()]
    const kept = createBloomFilter()
    addNames(kept, names('feed', 40_000))
    filter.reserve(40_000)()
    assert.equal(filter.merge(kept.words), true)
    addNames(added, names('feed', 40_000))
    for (let feed = 0; feed < 10; feed++) {
      for (const one of [filter, added]) addNames(one, names(`more-${feed}`, 10_000))
      assert.equal(filter.bytes, added.bytes)
    }
  })

  it('takes at most one in seven other names for a listed one when it is as full as it may be', () => {
    const filter = createBloomFilter()
    let feed = 0
    for (const { bytes } = filter; filter.bytes === bytes; feed++) addNames(filter, names(`feed-${feed}`, 1_000))
    const wrong = names('other', 20_000).filter(name => knows(filter, name)).length / 20_000
    assert.ok(wrong <= 1 / 7, `${wrong}`)
  })

  it('stays as large as it is while the same feed is read again and again', () => {
    const filter = createBloomFilter()
    const sizes = Array.from({ length: 10 }, () => {
      addNames(filter, names('feed', 50_000))
      return filter.bytes / 1024
    })
    assert.deepEqual(sizes, [64, ...Array(9).fill(128)])
  })
})
