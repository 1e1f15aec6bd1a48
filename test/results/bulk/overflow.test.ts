import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createOverflow } from '../../../src/results/bulk/overflow.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const directory = temporaryDirectory()

describe('tasks on disk', () => {
  it('return completely, in order and by group, for any sequence of puts and takes', () => {
    const step = fc.record({ group: fc.constantFrom('a', 'b'), puts: fc.nat(150), takes: fc.nat(2) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), steps => {
        const overflow = createOverflow<{ n: number; text: string }>(directory)
        const expected: Record<string, number[]> = { a: [], b: [] }
        const taken: Record<string, number[]> = { a: [], b: [] }
        const take = (group: string) => taken[group]?.push(...overflow.take(group).map(({ n }) => n))
        let n = 0
        for (const { group, puts, takes } of steps) {
          for (let i = 0; i < puts; i++) {
            overflow.put(group, { n, text: '漢'.repeat(n % 50) })
            expected[group]?.push(n++)
          }
          for (let i = 0; i < takes; i++) take(group)
        }
        for (const group of ['a', 'b']) while (overflow.has(group)) take(group)
        assert.deepEqual(taken, expected)
        overflow.close()
      }),
      { numRuns: 20 },
    )
  })

  it('leave no file behind, and need none when there are no tasks', () => {
    const overflow = createOverflow<number>(directory)
    const before = readdirSync(directory).length
    assert.deepEqual([overflow.take('a'), overflow.has('a')], [[], false])
    overflow.put('a', 1)
    assert.equal(readdirSync(directory).length, before + 1)
    overflow.close()
    assert.deepEqual([readdirSync(directory).length, overflow.has('a')], [before, false])
  })
})
