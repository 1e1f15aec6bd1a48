import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MOST_COUNTED } from '../../../src/knowledge/datasets/key_table.ts'
import { tableOf } from './memory_table.ts'

describe('a table of keys', () => {
  // Few values, so that keys repeat and are both single and in pairs.
  const key = fc.constantFrom('', 'a', 'b', 'ab', 'a.b', 'ä', '/', '/a', 'x'.repeat(5_000))
  const entry = fc.oneof(fc.tuple(key), fc.tuple(key, key))
  const textOf = (one: readonly string[]) => JSON.stringify(one)

  it('agrees with sets and their order for any keys and pairs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 60 }), fc.array(entry, { maxLength: 20 }), async (some, asked) => {
        const table = await tableOf(builder => {
          for (const [first, second] of some) {
            if (second === undefined) builder.add(first)
            else builder.addPair(first, second)
          }
          return { some: 'details' }
        })
        const all = new Set(some.map(textOf))
        assert.deepEqual([table.rows, table.details], [all.size, { some: 'details' }])
        for (const one of [...some, ...asked]) {
          const [first, second] = one
          const pairs = [...all].filter(text => {
            const [begins, ...rest] = JSON.parse(text) as string[]
            return begins === first && rest.length > 0
          })
          assert.equal(second === undefined ? table.has(first) : table.hasPair(first, second), all.has(textOf(one)))
          assert.equal(table.countPairs(first), pairs.length)
          assert.equal(table.placeOf(first), null)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('keeps the place of each key, also over several batches', async () => {
    const count = 600_000
    const table = await tableOf(async builder => {
      for (let n = 0; n < count; n++) {
        builder.add(`host${n % (count / 2)}.example`)
        if (n % 256 === 0) await builder.settle()
      }
      return {}
    }, true)
    assert.equal(table.rows, count / 2)
    for (let n = 0; n < count; n += 997) {
      assert.equal(table.placeOf(`host${n}.example`), n < count / 2 ? n + 1 : null)
    }
  })

  it('counts the pairs of one key up to a limit, each listed and no other', async () => {
    const table = await tableOf(builder => {
      for (let n = 0; n < MOST_COUNTED + 7; n++) builder.addPair('many', `/${n}`)
      for (let n = 0; n < 7; n++) builder.addPair('few', `/${n}`)
      return {}
    })
    assert.deepEqual(
      [table.countPairs('many'), table.countPairs('few'), table.countPairs('none')],
      [MOST_COUNTED, 7, 0],
    )
    assert.deepEqual(
      [table.hasPair('few', '/6'), table.hasPair('few', '/7'), table.hasPair('many', '/9999')],
      [true, false, true],
    )
  })
})
