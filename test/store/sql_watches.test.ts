// What the store of watches does, over both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Database } from '../../src/store/sql/database.ts'
import { createWatches } from '../../src/store/sql/watches.ts'
import {
  type Delivery,
  isDeliveryId,
  isWatchId,
  KEPT_DELIVERIES,
  newDeliveryId,
  newWatchId,
  nothingChecked,
  type Watch,
} from '../../src/store/watches.ts'
import { places } from './databases.ts'

const NOW = Date.parse('2026-11-15T00:00:00Z')
const DAY = 86_400_000

const watchId = (name: string) => `watch_${name.padEnd(16, '_')}`
const deliveryId = (name: string) => `msg_${name.padEnd(16, '_')}`

const watch = (name: string, given: Partial<Watch> = {}): Watch => ({
  id: watchId(name),
  account: 'acc_a',
  key: 'key_a',
  target: 'shop.example',
  every_ms: DAY,
  format: 'json',
  notify: 'https://hooks.example/ä',
  secret: 'whsec_eA==',
  created: NOW,
  state: nothingChecked,
  next_at: NOW,
  ...given,
})

const delivery = (name: string, given: Partial<Delivery> = {}): Delivery => ({
  id: deliveryId(name),
  watch: watchId('one'),
  account: 'acc_a',
  type: 'watch.changed',
  event: '{"data":{"a":1}}',
  created: NOW,
  state: 'pending',
  attempt: 0,
  failed: 0,
  next_at: NOW,
  last: null,
  ...given,
})

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)
const failedAt = (at: number) => ({ at, status: 500, failure: 'status_500' })
const accepted = {
  state: 'delivered',
  failed: 0,
  next_at: null,
  last: { at: NOW, status: 204, failure: null },
} as const

it('makes IDs that it recognises', () => {
  assert.deepEqual([isWatchId(newWatchId()), isDeliveryId(newDeliveryId()), isWatchId('watch_x')], [true, true, false])
})

for (const { name, create } of places) {
  describe(`watches in ${name}`, () => {
    let open: () => Promise<Database>
    let database: Database
    before(async () => {
      open = await create()
      database = await open()
    })
    after(() => database.close())

    /** An empty store. */
    async function watches(damaged = () => {}) {
      await database.transaction(change => change.deleteFrom('watches').execute())
      return createWatches(database, { now: () => NOW, onDamage: damaged })
    }
    async function second(t: TestContext) {
      const other = await open()
      t.after(() => other.close())
      return createWatches(other, { now: () => NOW })
    }

    it('are listed for their account alone, oldest first', async () => {
      const store = await watches()
      const [one, two] = [watch('one', { created: NOW - 1 }), watch('two')]
      for (const each of [two, one, watch('foreign', { account: 'acc_b' })]) await store.add(each, 10)
      assert.deepEqual(await store.list('acc_a'), [one, two])
      assert.deepEqual([await store.get(one.id), await store.get(watchId('none'))], [one, null])
    })

    it('keep what is silenced while a check of the watch ends in another process', async t => {
      const [store, other] = [await watches(), await second(t)]
      await store.add(watch('one'), 10)
      let ending: Promise<boolean> = Promise.resolve(false)
      const state = { ...nothingChecked, silenced: { mail: NOW + DAY } }
      await database.transaction(async change => {
        // As `silence` writes it; the end of the check begins before it is durable.
        await change
          .updateTable('watches')
          .set({ state: JSON.stringify(state) })
          .where('id', '=', watchId('one'))
          .execute()
        ending = other.checked(watchId('one'), NOW, { state: nothingChecked, next_at: NOW + DAY, delivery: null })
        await new Promise(resolve => setTimeout(resolve, 300))
      })
      assert.equal(await ending, true)
      const { state: kept, next_at } = (await store.get(watchId('one'))) ?? assert.fail()
      assert.deepEqual([kept.silenced, next_at], [{ mail: NOW + DAY }, NOW + DAY])
    })

    it('are no more than the account may have, also when two processes add at once', async t => {
      const both = [await watches(), await second(t)]
      const added = await Promise.all(
        Array.from({ length: 8 }, (_, at) => both[at % 2]?.add(watch(`n${at}`), 3) ?? Promise.resolve(false)),
      )
      assert.equal(added.filter(isAdded => isAdded).length, 3)
      assert.equal(await both[0]?.add(watch('other', { account: 'acc_b' }), 3), true)
    })

    it('are removed with their deliveries by their account alone', async () => {
      const store = await watches()
      await store.add(watch('one'), 10)
      await store.enqueue(delivery('one'))
      assert.equal(await store.remove('acc_b', watchId('one')), false)
      assert.equal(await store.remove('acc_a', watchId('one')), true)
      assert.equal(await store.remove('acc_a', watchId('one')), false)
      assert.deepEqual([await store.delivery(deliveryId('one')), await store.list('acc_a')], [null, []])
    })

    it('tell what is due, the longest waiting first', async () => {
      const store = await watches()
      await store.add(watch('later', { next_at: NOW + 5 }), 10)
      await store.add(watch('one', { next_at: NOW - 5 }), 10)
      await store.add(watch('now', { next_at: NOW }), 10)
      const one = { id: watchId('one'), at: NOW - 5 }
      assert.deepEqual(await store.dueWatches(NOW, 10), [one, { id: watchId('now'), at: NOW }])
      assert.deepEqual(await store.dueWatches(NOW, 1), [one])
      await store.enqueue(delivery('one', { next_at: NOW - 9 }))
      assert.deepEqual(await store.dueDeliveries(NOW, 10), [{ id: deliveryId('one'), at: NOW - 9 }])
      assert.deepEqual(await store.delivery(deliveryId('one')), delivery('one', { next_at: NOW - 9 }))
    })

    it('write what a check found together with its event, once, whichever process was first', async t => {
      const store = await watches()
      await store.add(watch('one'), 10)
      const state = { ...nothingChecked, failure: { code: 'überlastet', at: NOW } }
      const outcome = (event: string) => ({ state, next_at: NOW + DAY, delivery: delivery(event) })
      const other = await second(t)
      const written = await Promise.all([
        store.checked(watchId('one'), NOW, outcome('here')),
        other.checked(watchId('one'), NOW, outcome('there')),
      ])
      assert.equal(written.filter(isWritten => isWritten).length, 1)
      const [event] = await store.deliveries(watchId('one'), 10)
      assert.deepEqual(event, delivery(written[0] ? 'here' : 'there'))
      assert.equal((await store.deliveries(watchId('one'), 10)).length, 1)
      assert.deepEqual(await store.get(watchId('one')), watch('one', { state, next_at: NOW + DAY }))
      assert.equal(await store.checked(watchId('none'), NOW, outcome('none')), false)
    })

    it('write a check without an event', async () => {
      const store = await watches()
      await store.add(watch('one'), 10)
      const outcome = { state: nothingChecked, next_at: NOW + 1, delivery: null }
      assert.equal(await store.checked(watchId('one'), NOW, outcome), true)
      assert.deepEqual(await store.dueWatches(NOW + 1, 9), [{ id: watchId('one'), at: NOW + 1 }])
      assert.deepEqual(await store.deliveries(watchId('one'), 10), [])
    })

    it('stop for good', async () => {
      const store = await watches()
      await store.add(watch('one'), 10)
      await store.stop(watchId('one'), 'receiver-gone')
      const { state, next_at } = (await store.get(watchId('one'))) ?? assert.fail('the watch is gone')
      assert.deepEqual([state, next_at], [{ ...nothingChecked, stopped: 'receiver-gone' }, null])
      assert.deepEqual(await store.dueWatches(NOW, 9), [])
    })

    it('begin an attempt once, in one of two processes, and let only the latest one end', async t => {
      const store = await watches()
      const other = await second(t)
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      await store.enqueue(delivery('one'))
      const id = deliveryId('one')
      const claims = await Promise.all([store, other, store, other].map(each => each.claim(id, 0, NOW + 20)))
      assert.equal(claims.filter(isMine => isMine).length, 1)
      const begun = await store.delivery(id)
      assert.deepEqual([begun?.attempt, begun?.next_at, await store.dueDeliveries(NOW, 9)], [1, NOW + 20, []])
      // The first was cut off; its successor begins.
      assert.equal(await store.claim(id, 1, NOW + 40), true)
      const last = failedAt(NOW)
      await store.settle(id, 1, { state: 'dead', failed: 1, next_at: null, last })
      assert.equal((await store.delivery(id))?.state, 'pending')
      await store.settle(id, 2, { state: 'pending', failed: 1, next_at: NOW + 60, last })
      const retried = await store.delivery(id)
      assert.deepEqual(
        [retried?.state, retried?.failed, retried?.next_at, retried?.last],
        ['pending', 1, NOW + 60, last],
      )
      assert.equal(await store.claim(id, 2, NOW + 80), true)
      await store.settle(id, 3, accepted)
      assert.equal(await store.claim(id, 3, NOW + 80), false)
      assert.deepEqual(await store.dueDeliveries(NOW + DAY, 9), [])
    })

    it('replay a delivery under its ID, and count on', async () => {
      const store = await watches()
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      await store.enqueue(delivery('one', { attempt: 9, failed: 9 }))
      await store.claim(deliveryId('one'), 9, NOW + 1)
      await store.settle(deliveryId('one'), 10, { state: 'dead', failed: 10, next_at: null, last: failedAt(NOW) })
      assert.deepEqual(await store.dueDeliveries(NOW, 9), [])
      assert.equal(await store.replay(deliveryId('one'), NOW), true)
      assert.deepEqual(await store.dueDeliveries(NOW, 9), [{ id: deliveryId('one'), at: NOW }])
      const again = await store.delivery(deliveryId('one'))
      assert.deepEqual([again?.state, again?.attempt, again?.failed], ['pending', 10, 0])
      assert.equal(await store.replay(deliveryId('none'), NOW), false)
    })

    it('forget settled deliveries that are old or many, and none that is pending', async () => {
      const store = await watches()
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      const end = async (name: string, created: number) => {
        await store.enqueue(delivery(name, { created }))
        await store.claim(deliveryId(name), 0, NOW + 1)
        await store.settle(deliveryId(name), 1, accepted)
      }
      await end('old', NOW - KEPT_DELIVERIES.ms - 1)
      await store.enqueue(delivery('pending', { created: NOW - KEPT_DELIVERIES.ms - 2 }))
      await end('young', NOW - 1)
      assert.deepEqual(idsOf(await store.deliveries(watchId('one'), 9)), [deliveryId('young'), deliveryId('pending')])
      for (let at = 0; at < KEPT_DELIVERIES.count; at++) await store.enqueue(delivery(`more${at}`))
      const all = idsOf(await store.deliveries(watchId('one'), 200))
      assert.deepEqual([all.includes(deliveryId('young')), all.includes(deliveryId('pending'))], [false, true])
    })

    it('are due when a clock that was years ahead has planned them', async () => {
      const store = await watches()
      const wrong = NOW + 700 * DAY
      await store.add(watch('one', { next_at: wrong }), 10)
      await store.add(watch('monthly', { next_at: NOW + 32 * DAY }), 10)
      assert.deepEqual(idsOf(await store.dueWatches(NOW, 10)), [watchId('one')])
      await store.enqueue(delivery('one', { next_at: wrong }))
      assert.deepEqual(idsOf(await store.dueDeliveries(NOW, 10)), [deliveryId('one')])
    })

    it('run beside those that cannot be read, which are not due again', async () => {
      let damaged = 0
      const store = await watches(() => damaged++)
      await store.add(watch('one'), 10)
      await store.add(watch('bad', { notify: null as never }), 10)
      await store.enqueue(delivery('bad', { event: '{}' }))
      assert.deepEqual([await store.get(watchId('bad')), await store.delivery(deliveryId('bad'))], [null, null])
      for (const _ of [1, 2]) {
        await store.forgetWatch(watchId('bad'))
        await store.forgetDelivery(deliveryId('bad'))
      }
      assert.deepEqual(idsOf(await store.dueWatches(NOW, 10)), [watchId('one')])
      assert.deepEqual([await store.dueDeliveries(NOW, 10), damaged], [[], 2])
      assert.deepEqual(idsOf(await store.list('acc_a')), [watchId('one')])
    })
  })
}
