// What every store of watches does, run over the embedded one and over a real Redis.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { openEmbeddedWatches } from '../../src/store/embedded/watches.ts'
import { createLink } from '../../src/store/redis/link.ts'
import { createRedisWatches } from '../../src/store/redis/watches.ts'
import {
  type Delivery,
  isDeliveryId,
  isWatchId,
  KEPT_DELIVERIES,
  newDeliveryId,
  newWatchId,
  nothingChecked,
  type Watch,
  type WatchStore,
} from '../../src/store/watches.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const NOW = Date.parse('2026-11-15T00:00:00Z')
const DAY = 86_400_000

let redis: RedisServer
before(async () => {
  if (!withoutRedis) redis = await startRedis()
})
after(() => redis?.stop())

const openers: Readonly<Record<string, (t: TestContext) => Promise<WatchStore>>> = {
  async embedded(t) {
    const store = await openEmbeddedWatches({
      ...{ directory: freshDirectory(t), now: () => NOW, patience: PATIENT_MS, damaged: () => {} },
    })
    t.after(() => store.close())
    return store
  },
  async redis(t) {
    const link = createLink({ url: redis.confined, command_ms: PATIENT_MS })
    await link.start()
    await redis.empty()
    t.after(() => link.close())
    return createRedisWatches({ run: link.run, now: () => NOW })
  },
}

const watchId = (name: string) => `watch_${name.padEnd(16, '_')}`
const deliveryId = (name: string) => `msg_${name.padEnd(16, '_')}`

function watch(name: string, given: Partial<Watch> = {}): Watch {
  return {
    ...{ id: watchId(name), account: 'acc_a', key: 'key_a', target: 'shop.example', every_ms: DAY, format: 'json' },
    ...{ notify: 'https://hooks.example/x', secret: 'whsec_eA==', created: NOW, state: nothingChecked, next_at: NOW },
    ...given,
  }
}

function delivery(name: string, given: Partial<Delivery> = {}): Delivery {
  return {
    ...{
      id: deliveryId(name),
      watch: watchId('one'),
      account: 'acc_a',
      type: 'watch.changed',
      event: '{"data":{"a":"é"}}',
    },
    ...{ created: NOW, state: 'pending', attempt: 0, failed: 0, next_at: NOW, last: null },
    ...given,
  }
}

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)
const failedAt = (at: number) => ({ at, status: 500, failure: 'status_500' })

it('makes IDs that it recognises', () => {
  assert.deepEqual([isWatchId(newWatchId()), isDeliveryId(newDeliveryId()), isWatchId('watch_x')], [true, true, false])
})

for (const [name, open] of Object.entries(openers)) {
  describe(`the ${name} watches`, { skip: name === 'redis' && withoutRedis }, () => {
    it('are listed for their account alone, oldest first', async t => {
      const store = await open(t)
      const [one, two] = [watch('one', { created: NOW - 1 }), watch('two')]
      for (const each of [two, one, watch('foreign', { account: 'acc_b' })]) await store.add(each, 10)
      assert.deepEqual(await store.list('acc_a'), [one, two])
      assert.deepEqual([await store.get(one.id), await store.get(watchId('none'))], [one, null])
    })

    it('are no more than the account may have', async t => {
      const store = await open(t)
      const added: boolean[] = []
      for (const each of ['one', 'two', 'three']) added.push(await store.add(watch(each), 2))
      assert.deepEqual(added, [true, true, false])
      assert.equal(await store.add(watch('other', { account: 'acc_b' }), 2), true)
    })

    it('are removed with their deliveries by their account alone', async t => {
      const store = await open(t)
      await store.add(watch('one'), 10)
      await store.enqueue(delivery('one'))
      assert.equal(await store.remove('acc_b', watchId('one')), false)
      assert.equal(await store.remove('acc_a', watchId('one')), true)
      assert.equal(await store.remove('acc_a', watchId('one')), false)
      assert.deepEqual([await store.delivery(deliveryId('one')), await store.nextDue()], [null, null])
      assert.deepEqual(await store.list('acc_a'), [])
    })

    it('tell what is due, the longest waiting first', async t => {
      const store = await open(t)
      assert.equal(await store.nextDue(), null)
      await store.add(watch('later', { next_at: NOW + 5 }), 10)
      await store.add(watch('one', { next_at: NOW - 5 }), 10)
      await store.add(watch('now', { next_at: NOW }), 10)
      assert.deepEqual(idsOf(await store.dueWatches(NOW, 10)), [watchId('one'), watchId('now')])
      assert.deepEqual(idsOf(await store.dueWatches(NOW, 1)), [watchId('one')])
      assert.equal(await store.nextDue(), NOW - 5)
      await store.enqueue(delivery('one', { next_at: NOW - 9 }))
      assert.equal(await store.nextDue(), NOW - 9)
      assert.deepEqual(await store.dueDeliveries(NOW, 10), [delivery('one', { next_at: NOW - 9 })])
    })

    it('write what a check found together with its event, once', async t => {
      const store = await open(t)
      await store.add(watch('one'), 10)
      const state = { ...nothingChecked, failure: { code: 'overloaded', at: NOW } }
      const outcome = { state, next_at: NOW + DAY, delivery: delivery('one') }
      assert.equal(await store.checked(watchId('one'), NOW, outcome), true)
      assert.deepEqual(await store.get(watchId('one')), watch('one', { state, next_at: NOW + DAY }))
      assert.deepEqual(await store.delivery(deliveryId('one')), delivery('one'))
      // By a process that read the watch before.
      const second = { ...outcome, delivery: delivery('two') }
      assert.equal(await store.checked(watchId('one'), NOW, second), false)
      assert.equal(await store.checked(watchId('none'), NOW, second), false)
      assert.deepEqual(idsOf(await store.deliveries(watchId('one'), 10)), [deliveryId('one')])
    })

    it('write a check without an event', async t => {
      const store = await open(t)
      await store.add(watch('one'), 10)
      assert.equal(
        await store.checked(watchId('one'), NOW, { state: nothingChecked, next_at: NOW + 1, delivery: null }),
        true,
      )
      assert.deepEqual([await store.nextDue(), await store.deliveries(watchId('one'), 10)], [NOW + 1, []])
    })

    it('stop for good', async t => {
      const store = await open(t)
      await store.add(watch('one'), 10)
      await store.stop(watchId('one'), 'receiver-gone')
      const { state, next_at } = (await store.get(watchId('one'))) ?? assert.fail('the watch is gone')
      assert.deepEqual([state.stopped, next_at, await store.nextDue()], ['receiver-gone', null, null])
    })

    it('begin an attempt once, and let only the latest one end', async t => {
      const store = await open(t)
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      await store.enqueue(delivery('one'))
      const id = deliveryId('one')
      assert.deepEqual(await Promise.all([store.claim(id, 0, NOW + 20), store.claim(id, 0, NOW + 20)]), [true, false])
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
      await store.settle(id, 3, {
        state: 'delivered',
        failed: 0,
        next_at: null,
        last: { at: NOW, status: 204, failure: null },
      })
      assert.equal(await store.claim(id, 3, NOW + 80), false)
      assert.equal(await store.nextDue(), NOW + DAY)
    })

    it('replay a delivery under its ID, and count on', async t => {
      const store = await open(t)
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      await store.enqueue(delivery('one', { attempt: 9, failed: 9 }))
      await store.claim(deliveryId('one'), 9, NOW + 1)
      await store.settle(deliveryId('one'), 10, { state: 'dead', failed: 10, next_at: null, last: failedAt(NOW) })
      assert.deepEqual(await store.dueDeliveries(NOW, 9), [])
      assert.equal(await store.replay(deliveryId('one'), NOW), true)
      const [again] = await store.dueDeliveries(NOW, 9)
      assert.deepEqual([again?.state, again?.attempt, again?.failed], ['pending', 10, 0])
      assert.equal(await store.replay(deliveryId('none'), NOW), false)
    })

    it('forget settled deliveries that are old or many, and none that is pending', async t => {
      const store = await open(t)
      await store.add(watch('one', { next_at: NOW + DAY }), 10)
      const settled = { state: 'delivered', next_at: null } as const
      const end = async (name: string, created: number) => {
        await store.enqueue(delivery(name, { created }))
        await store.claim(deliveryId(name), 0, NOW + 1)
        await store.settle(deliveryId(name), 1, {
          ...settled,
          failed: 0,
          last: { at: NOW, status: 204, failure: null },
        })
      }
      await end('old', NOW - KEPT_DELIVERIES.ms - 1)
      await store.enqueue(delivery('pending', { created: NOW - KEPT_DELIVERIES.ms - 2 }))
      await end('young', NOW - 1)
      assert.deepEqual(idsOf(await store.deliveries(watchId('one'), 9)), [deliveryId('young'), deliveryId('pending')])
      for (let at = 0; at < KEPT_DELIVERIES.count; at++) await store.enqueue(delivery(`more${at}`))
      const all = idsOf(await store.deliveries(watchId('one'), 200))
      assert.equal(all.includes(deliveryId('young')), false)
      assert.equal(all.includes(deliveryId('pending')), true)
    })

    it('are due when a clock that was years ahead has planned them', async t => {
      const store = await open(t)
      const wrong = NOW + 700 * DAY
      await store.add(watch('one', { next_at: wrong }), 10)
      await store.add(watch('monthly', { next_at: NOW + 32 * DAY }), 10)
      assert.equal(await store.nextDue(), NOW)
      assert.deepEqual(idsOf(await store.dueWatches(NOW, 10)), [watchId('one')])
      await store.enqueue(delivery('one', { next_at: wrong }))
      assert.deepEqual(idsOf(await store.dueDeliveries(NOW, 10)), [deliveryId('one')])
    })

    it('run beside one that cannot be read, which is not due again', async t => {
      const store = await open(t)
      await store.add(watch('one'), 10)
      await store.add(watch('bad', { notify: null as never }), 10)
      await store.enqueue(delivery('bad', { event: '{' }))
      await store.enqueue(delivery('one'))
      for (const _ of [1, 2]) {
        assert.deepEqual(idsOf(await store.dueWatches(NOW, 10)), [watchId('one')])
        assert.deepEqual(idsOf(await store.dueDeliveries(NOW, 10)), [deliveryId('one')])
      }
      assert.deepEqual(idsOf(await store.list('acc_a')), [watchId('one')])
      assert.deepEqual([await store.get(watchId('bad')), await store.delivery(deliveryId('bad'))], [null, null])
    })

    it('have one runner at a time', async t => {
      const store = await open(t)
      assert.deepEqual(await store.lease('a', 60_000), { held: true, until: NOW + 60_000 })
      const other = await store.lease('b', 60_000)
      assert.equal(other.held, false)
      assert.ok(other.until > NOW && other.until <= NOW + 60_000, 'the other one is told when to try again')
      assert.equal((await store.lease('a', 60_000)).held, true)
      await store.release('b')
      assert.equal((await store.lease('b', 60_000)).held, false)
      await store.release('a')
      assert.equal((await store.lease('b', 60_000)).held, true)
    })
  })
}

describe('the file of watches', () => {
  const options = { now: () => NOW, patience: PATIENT_MS }

  it('survives its process, and a lease ends by itself', async t => {
    const directory = freshDirectory(t)
    let now = NOW
    const open = () => openEmbeddedWatches({ ...options, now: () => now, directory, damaged: () => {} })
    const first = await open()
    await first.add(watch('one'), 10)
    await first.lease('a', 1_000)
    await first.close()
    const second = await open()
    t.after(() => second.close())
    assert.deepEqual(await second.list('acc_a'), [watch('one')])
    assert.equal((await second.lease('b', 1_000)).held, false)
    now += 1_000
    assert.equal((await second.lease('b', 1_000)).held, true)
    now -= 700 * DAY
    assert.equal((await second.lease('a', 1_000)).held, true, 'a lease from the future is none')
  })

  it('is moved away when it is damaged', async t => {
    const directory = freshDirectory(t)
    mkdirSync(directory)
    writeFileSync(join(directory, 'watch.db'), 'x'.repeat(10_000))
    const moved: string[] = []
    const store = await openEmbeddedWatches({ ...options, directory, damaged: to => moved.push(to) })
    t.after(() => store.close())
    assert.deepEqual(moved, [join(directory, `watch.db.damaged-${NOW}`)])
    assert.equal(await store.add(watch('one'), 10), true)
  })
})
