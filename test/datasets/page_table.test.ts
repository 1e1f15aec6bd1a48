import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createKeyHash } from '../../src/datasets/feed/key_table.ts'
import { collectPages } from '../../src/datasets/feed/page_table.ts'
import { yieldToEventLoop } from '../../src/datasets/feed/yield_to_event_loop.ts'

type Key = readonly [hostHigh: number, hostLow: number, pathHigh: number, pathLow: number]

async function tableOf(keys: readonly Key[]) {
  const pages = collectPages()
  for (const key of keys) pages.add(...key)
  return pages.toTable(yieldToEventLoop())
}

/** The bits that are kept. */
const hostOf = ([high, low]: Key) => `${high} ${low >>> 16}`
const pathOf = ([, , high, low]: Key) => `${high} ${low >>> 24}`

describe('a table of pages', () => {
  it('agrees with a map of sets for any keys', async () => {
    // Few values a word, so that keys repeat and share some of their octets.
    const word = fc.constantFrom(0, 1, 0xff, 0x10000, 0xff0000, 0x7fffffff, 0x80000000, 0xffff0000, 0xffffffff)
    const key = fc.tuple(word, word, word, word)
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 200 }), fc.array(key, { maxLength: 50 }), async (some, asked) => {
        const table = await tableOf(some)
        const expected = new Map<string, Set<string>>()
        for (const one of some) expected.set(hostOf(one), (expected.get(hostOf(one)) ?? new Set()).add(pathOf(one)))
        assert.equal(
          table.size,
          [...expected.values()].reduce((sum, { size }) => sum + size, 0),
        )
        for (const one of [...some, ...asked]) {
          const pages = table.of(one[0], one[1])
          assert.equal(pages?.count ?? 0, expected.get(hostOf(one))?.size ?? 0)
          assert.equal(pages?.has(one[2], one[3]) ?? false, expected.get(hostOf(one))?.has(pathOf(one)) ?? false)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps 100 000 pages of 30 000 hosts apart, each listed and no other', async () => {
    const hash = createKeyHash(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]))
    const keyOf = (host: number, path: number): Key => {
      hash.of(`h${host}.example.com`)
      const { high, low } = hash
      hash.of(`/p${path}`)
      return [high, low, hash.high, hash.low]
    }
    const table = await tableOf(Array.from({ length: 100_000 }, (_, n) => keyOf(n % 30_000, n)))
    assert.equal(table.size, 100_000)
    assert.ok(table.bytes < 100_000 * 11.2)
    for (let n = 0; n < 30_000; n += 7) {
      const [high, low, pathHigh, pathLow] = keyOf(n, n)
      const pages = table.of(high, low)
      assert.equal(pages?.count, n < 10_000 ? 4 : 3)
      assert.ok(pages?.has(pathHigh, pathLow))
      const [, , ...unlisted] = keyOf(n, n + 1)
      assert.equal(pages?.has(...unlisted), false)
    }
    for (let n = 30_000; n < 40_000; n++) {
      const [high, low] = keyOf(n, 0)
      assert.equal(table.of(high, low), null)
    }
  })

  it('takes no more memory for a page that is repeated', async () => {
    const table = await tableOf(Array.from({ length: 10_000 }, () => [1, 2, 3, 4] as const))
    assert.equal(table.size, 1)
    assert.ok(table.bytes < 2_000, String(table.bytes))
  })

  it('may be empty', async () => {
    const table = await tableOf([])
    assert.deepEqual([table.size, table.of(0, 1), table.of(0xffffffff, 0xffffffff)], [0, null, null])
  })
})
