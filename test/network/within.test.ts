import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../src/network/within.ts'

const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length

describe('within', () => {
  it('brings the value of a promise that comes in time', async () => {
    assert.equal(await within(1_000, sleep(1, 'value')), 'value')
  })

  it('brings null when the promise is late', async () => {
    assert.equal(await within(1, sleep(50, 'value')), null)
  })

  it('rejects when the promise does', async () => {
    await assert.rejects(within(1_000, Promise.reject(new Error('no'))), { message: 'no' })
  })

  it('leaves no timer behind', async () => {
    const before = timers()
    await within(60_000, Promise.resolve())
    await sleep(0)
    assert.equal(timers(), before)
  })
})
