// What an account does at once, over the processes that share a store.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../../src/service/api/problem.ts'
import { createSeats } from '../../../src/service/api/seats.ts'
import { RENEWAL_MS } from '../../../src/store/sql/claims.ts'
import { claimsPlaces } from '../../store/claim_places.ts'

const checks = { at_once: 1, per_second: 1, waiting: 1, key_at_once: 1, key_per_second: 1 }
const LIMITS = { name: 'search', at_once: 2, per_second: 100, retry_after: 7 }

/** Work that lasts until it is ended. */
function lasting() {
  let end = () => {}
  const over = new Promise<void>(resolve => {
    end = resolve
  })
  return { work: () => over, end: () => end() }
}

const refused = (error: unknown) =>
  error instanceof Problem && error.code === 'rate-limited' && error.headers['Retry-After']

for (const { name, create } of claimsPlaces) {
  describe(`seats in ${name}`, () => {
    it('are as many as may be, over all processes and for each account', async t => {
      const store = await create()
      const [one, other] = [await store.open(checks), await store.open(checks)]
      t.after(() => Promise.all([one.close(), other.close()]))
      const [here, there] = [createSeats(one, LIMITS), createSeats(other, LIMITS)]
      const [first, second] = [lasting(), lasting()]
      const running = [here.run('a', first.work), there.run('a', second.work)]
      assert.equal(await here.run('b', async () => 'b'), 'b')
      await assert.rejects(
        here.run('a', async () => {}),
        error => refused(error) === '7',
      )
      assert.equal(await createSeats(one, { ...LIMITS, name: 'lookalikes' }).run('a', async () => 'x'), 'x')
      // The seats are kept by renewal.
      await new Promise(resolve => setTimeout(resolve, 5 * RENEWAL_MS))
      await assert.rejects(
        there.run('a', async () => {}),
        error => refused(error) === '7',
      )
      first.end()
      await running[0]
      assert.equal(await eventually(() => there.run('a', async () => 'again')), 'again')
      second.end()
      await running[1]
    })

    it('are free again after work that fails', async t => {
      const claims = await (await create()).open(checks)
      t.after(() => claims.close())
      const seats = createSeats(claims, { ...LIMITS, at_once: 1 })
      await assert.rejects(
        seats.run('a', () => Promise.reject(new Error('gone'))),
        /gone/,
      )
      assert.equal(await eventually(() => seats.run('a', async () => 'again')), 'again')
    })

    it('are taken so often in a second', async t => {
      const claims = await (await create()).open(checks, () => 5_000)
      t.after(() => claims.close())
      const seats = createSeats(claims, { ...LIMITS, per_second: 2 })
      for (const _ of [1, 2]) await eventually(() => seats.run('a', async () => {}))
      await assert.rejects(
        seats.run('a', async () => {}),
        error => refused(error) === '1',
      )
    })
  })
}

/** A seat is free a moment after its work: its end is not waited for. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work()
    } catch (error) {
      if (attempt > 100) throw error
      await new Promise(resolve => setTimeout(resolve, 10))
    }
}
