// Whose turn it is at an upstream source, in one process.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Claim, createLocalTargetShare, type TargetLimits } from '../../src/store/target_share.ts'

const polite: TargetLimits = { at_once: 2, per_second: 1_000 }

const granted = (claim: Claim) => (claim.key === null ? assert.fail(`no place: ${claim.wait_ms}`) : claim)

/** Keys in the order of their turns, each with what it waits for. */
const waiting = (...counts: readonly (readonly [string, number])[]) => new Map(counts)

describe('the slots of one process', () => {
  const on = () => {
    const clock = { now: 0 }
    return { clock, share: createLocalTargetShare(() => clock.now) }
  }

  it('are given to the first waiting key, up to the limit', () => {
    const { share } = on()
    const first = granted(share.claim('a.com', waiting(['a', 1], ['b', 1]), polite))
    const second = granted(share.claim('a.com', waiting(['b', 1], ['c', 1]), polite))
    assert.deepEqual([first.key, second.key], ['a', 'b'])
    assert.deepEqual(share.claim('a.com', waiting(['c', 1]), polite), { key: null, wait_ms: null })
    assert.equal(granted(share.claim('b.com', waiting(['c', 1]), polite)).key, 'c')
    first.leave()
    first.leave()
    assert.equal(granted(share.claim('a.com', waiting(['c', 1]), polite)).key, 'c')
    assert.equal(share.claim('a.com', waiting(['d', 1]), polite).key, null)
  })

  it('are limited per second, with the time of the next one', () => {
    const { clock, share } = on()
    const limits = { at_once: 10, per_second: 2 }
    for (const at of [0, 300]) {
      clock.now = at
      granted(share.claim('a.com', waiting(['a', 1]), limits))
    }
    clock.now = 400
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), limits), { key: null, wait_ms: 600 })
    clock.now = 1_000
    granted(share.claim('a.com', waiting(['a', 1]), limits))
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), limits), { key: null, wait_ms: 300 })
  })

  it('are all given to one key only if no other asked within ten seconds', () => {
    const { clock, share } = on()
    granted(share.claim('a.com', waiting(['b', 1]), polite)).leave()
    granted(share.claim('a.com', waiting(['a', 2]), polite))
    clock.now = 4_000
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), polite), { key: null, wait_ms: 6_000 })
    clock.now = 10_000
    granted(share.claim('a.com', waiting(['a', 1]), polite))
  })

  it('are given one at a time if the limit is one, whoever has asked', () => {
    const { share } = on()
    const limits = { at_once: 1, per_second: 1_000 }
    granted(share.claim('a.com', waiting(['b', 1]), limits)).leave()
    granted(share.claim('a.com', waiting(['a', 2]), limits)).leave()
    granted(share.claim('a.com', waiting(['a', 1]), limits))
  })

  it('are counted while they are held, however many other targets are checked', () => {
    const { share } = on()
    for (let n = 0; n < 20_000; n++) granted(share.claim(`d${n}.com`, waiting(['a', 1]), polite)).leave()
    const limits = { at_once: 1, per_second: 1 }
    granted(share.claim('a.com', waiting(['a', 1]), limits))
    assert.equal(share.claim('a.com', waiting(['a', 1]), limits).key, null)
  })
})
