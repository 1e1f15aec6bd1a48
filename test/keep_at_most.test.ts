import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keepAtMost } from '../src/keep_at_most.ts'

describe('a cache that keeps so many entries', () => {
  it('lets go of those used longest ago, and tells so', () => {
    const gone: number[] = []
    const kept = keepAtMost<number>(3, { dispose: value => gone.push(value) })
    for (const value of [1, 2, 3]) kept.set(`${value}`, value)
    kept.get('1')
    for (const value of [4, 5]) kept.set(`${value}`, value)
    assert.deepEqual(
      [[...kept.keys()].sort(), gone],
      [
        ['1', '4', '5'],
        [2, 3],
      ],
    )
  })

  it('counts an entry that is set anew once', () => {
    const kept = keepAtMost<number>(2)
    for (const [key, value] of [
      ['a', 1],
      ['a', 2],
      ['b', 3],
      ['b', 4],
    ] as const)
      kept.set(key, value)
    assert.deepEqual([...kept.entries()].sort(), [
      ['a', 2],
      ['b', 4],
    ])
  })

  it('forgets what is too old', async () => {
    const kept = keepAtMost<number>(2, { ttl: 5, ttlResolution: 0 })
    kept.set('a', 1)
    const end = performance.now() + 10
    while (performance.now() < end);
    assert.equal(kept.get('a'), undefined)
  })

  it('takes next to no room while it is empty', () => {
    const before = process.memoryUsage()
    const caches = Array.from({ length: 50 }, () => keepAtMost<number>(1_000_000))
    const after = process.memoryUsage()
    const taken = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    assert.ok(taken < 2 ** 22, `${caches.length} of them take ${taken} octets`)
  })
})
