import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Entry, Ledger } from '../../src/store/embedded/quota.ts'
import { watchWrites } from '../../src/store/embedded/write_watch.ts'
import { StoreError } from '../../src/store/store.ts'

const ENTRY: Entry = { account: 'a', before: null, after: { month: [0, 1], day: [0, 1] } as never }

/** A ledger whose disk works or not, and what was written to it. */
function setUp() {
  let now = 0
  let works = true
  const writes: number[] = []
  const ledger: Ledger = {
    read: () => null,
    async record(entries) {
      if (!works) throw new StoreError('quota_store_error', 'the disk is full')
      writes.push(entries.length)
      return entries.map(() => true)
    },
  }
  return {
    writes,
    watched: watchWrites(ledger, () => now),
    break: () => {
      works = false
    },
    mend: () => {
      works = true
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('whether the store can be written', () => {
  it('is found out by a write of nothing, and known for five seconds', async () => {
    const { watched, writes, pass } = setUp()
    assert.equal(await watched.fault(), null)
    pass(4_999)
    assert.equal(watched.fault(), null)
    assert.deepEqual(writes, [0])
    pass(1)
    await watched.fault()
    assert.deepEqual(writes, [0, 0])
  })

  it('is known from what is counted', async () => {
    const { watched, writes } = setUp()
    await watched.record([ENTRY])
    assert.equal(watched.fault(), null)
    assert.deepEqual(writes, [1])
  })

  it('is denied as soon as a count fails, and until a write succeeds', async () => {
    const { watched, ...disk } = setUp()
    await watched.record([ENTRY])
    disk.break()
    assert.equal(await watched.fault(), null)
    await assert.rejects(watched.record([ENTRY]))
    assert.equal(await watched.fault(), 'not-writable')
    assert.equal(await watched.fault(), 'not-writable')
    disk.mend()
    assert.equal(await watched.fault(), null)
  })

  it('takes one write for all who ask at once', async () => {
    const { watched, writes } = setUp()
    assert.deepEqual(await Promise.all([watched.fault(), watched.fault()]), [null, null])
    assert.deepEqual(writes, [0])
  })
})
