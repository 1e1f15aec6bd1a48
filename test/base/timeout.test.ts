import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../src/base/timeout.ts'

const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
const never = new Promise<string>(() => {})

describe('withTimeout', () => {
  it('returns the value of work that ends before the timeout', async () => {
    assert.equal(await withTimeout(sleep(1, 'value'), 60_000), 'value')
  })

  it('returns null when the work does not end before the timeout', async () => {
    assert.equal(await withTimeout(never, 1), null)
  })

  it('returns what onTimeout returns', async () => {
    assert.equal(await withTimeout(never, 1, () => 'late'), 'late')
  })

  it('rejects with what onTimeout throws', async () => {
    const fail = () => {
      throw new Error('late')
    }
    await assert.rejects(withTimeout(never, 1, fail), { message: 'late' })
  })

  it('rejects when the work does', async () => {
    await assert.rejects(withTimeout(Promise.reject(new Error('no')), 60_000), { message: 'no' })
  })

  it('leaves no timer behind', async () => {
    const before = timers()
    await withTimeout(Promise.resolve(), 60_000)
    await sleep(0)
    assert.equal(timers(), before)
  })
})
