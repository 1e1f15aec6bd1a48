// Watches over a real store, its queues and real sockets: what is due is checked, changes are told, and told again until they arrive.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type AskFor, testDelivery } from '../../../src/service/watch/check.ts'
import type { DeliveryAttempt } from '../../../src/service/watch/deliver.ts'
import { observe } from '../../../src/service/watch/matters.ts'
import { newSecret } from '../../../src/service/watch/signature.ts'
import { startWatchWork, WATCH_LIMITS } from '../../../src/service/watch/work.ts'
import type { QueueLimits } from '../../../src/store/sql/queues.ts'
import { createWatches, type Watches } from '../../../src/store/sql/watches.ts'
import { nothingChecked, type Watch } from '../../../src/store/watches.ts'
import { startPostgres } from '../../postgres_server.ts'
import { sampled } from '../../sample.ts'
import { openAt, queuePlaces } from '../../store/queue_places.ts'
import { tier } from '../../tiers.ts'
import { eventually } from '../api/service.ts'
import { noMail, openWebhooks, type Receiver, startReceiver } from './receiver.ts'

const HOUR = 3_600_000
const LIMITS: QueueLimits = { lease_ms: 2_000, look_ms: 200, failure_ms: 50, end_ms: 2_000 }

const webhooks = openWebhooks()
let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answer(response => response.writeHead(204).end())
})
after(async () => {
  receiver.close()
  await webhooks.close()
})

/** A wall clock that tests move on. */
function movable() {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now(),
    pass(ms: number) {
      ahead += ms
    },
  }
}
type Clock = ReturnType<typeof movable>

const watchOf = (clock: Clock, given: Partial<Watch> = {}): Watch => ({
  id: 'watch_aaaaaaaaaaaaaaaa',
  account: 'acc_a',
  key: 'key_a',
  target: 'shop.example',
  format: 'json',
  every_ms: HOUR,
  notify: receiver.url,
  secret: newSecret(),
  created: clock.now(),
  next_at: clock.now(),
  state: nothingChecked,
  ...given,
})

const resultOf = (verdict: string | undefined) => ({
  domain: 'shop.example',
  verdict,
  risk_score: 9,
  checked_at: '2026-11-15T00:00:00Z',
  recommendation: 'allow',
  coverage: { sections: {} },
})

/** What a watch knows after a result with this verdict. */
const knowing = (verdict: string) => ({
  state: { ...nothingChecked, facts: observe(null, { ...resultOf(verdict) }, 0).facts },
})

/** Answers with these verdicts one after the other, then with the last one again. */
function verdicts(...all: readonly string[]): AskFor & { asked: number } {
  const ask = async () => ({ ok: true as const, result: resultOf(all[Math.min(ask.asked++, all.length - 1)]) })
  ask.asked = 0
  return ask
}

async function start(t: TestContext, place: string, { clock, ask }: { readonly clock: Clock; readonly ask: AskFor }) {
  const attempts: DeliveryAttempt[] = []
  const ends: string[] = []
  const { database, queues } = await openAt(place, { now: clock.now, limits: LIMITS, onFailure: () => {} })
  const store: Watches = createWatches(database, { now: clock.now })
  const work = startWatchWork({
    store,
    queues,
    webhooks,
    mail: noMail,
    clock,
    ask,
    public_url: 'https://checks.example/',
    checked: end => ends.push(end),
    attempted: attempt => attempts.push(attempt),
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= queues.close()
    return closed
  }
  t.after(close)
  return { store, work, attempts, ends, close }
}

for (const [name, create] of sampled(Object.entries(queuePlaces), 1)) {
  describe(`watches worked on in ${name}`, () => {
    it('tell a change by a signed webhook, and nothing else', async t => {
      const clock = movable()
      const ask = verdicts('safe', 'safe', 'malicious')
      const { store, work, ends } = await start(t, await create(), { clock, ask })
      const watch = watchOf(clock)
      await store.add(watch, 1)
      work.wake()
      for (const count of [1, 2, 3]) {
        await eventually(() => ends.length === count)
        if (count < 3) clock.pass(2 * HOUR)
      }
      await eventually(() => receiver.received.length === 1)
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
      assert.deepEqual(ends, ['same', 'same', 'changed'])
      assert.equal(headers['webhook-attempt'], '1')
      const { type, data } = JSON.parse(body)
      assert.deepEqual(
        [type, data.target, data.changes.map(({ message }: { message: string }) => message)],
        ['watch.changed', 'shop.example', ['Verdict: safe → malicious']],
      )
      assert.equal((await store.get(watch.id))?.state.last?.verdict, 'malicious')
    })

    it('are tried again with the same ID and the next number until they are accepted, or given up, and replayed', async t => {
      const clock = movable()
      const { store, work, attempts } = await start(t, await create(), { clock, ask: verdicts('malicious') })
      const watch = watchOf(clock, { every_ms: 1_000 * HOUR, ...knowing('safe') })
      await store.add(watch, 1)
      receiver.answer(response => response.writeHead(500).end())
      work.wake()
      for (let count = 1; count <= 10; count++) {
        await eventually(() => attempts.length === count)
        clock.pass(27 * HOUR)
      }
      assert.deepEqual(
        attempts.map(({ attempt, end, status }) => [attempt, end, status]),
        Array.from({ length: 10 }, (_, at) => [at + 1, at < 9 ? 'failed' : 'dead', 500]),
      )
      const [dead] = await store.deliveries(watch.id, 9)
      assert.deepEqual([dead?.state, dead?.attempt, dead?.last?.failure], ['dead', 10, 'status_500'])
      receiver.answer(response => response.writeHead(200).end())
      await store.replay(dead?.id ?? '', clock.now())
      work.wake()
      await eventually(() => attempts.length === 11)
      assert.deepEqual([attempts.at(-1)?.end, attempts.at(-1)?.attempt], ['delivered', 11])
      const sent = receiver.received
      assert.deepEqual([new Set(sent.map(({ headers }) => headers['webhook-id'])).size, sent.length], [1, 11])
    })

    it('stop when the receiver is gone, and a test is sent once', async t => {
      const clock = movable()
      const { store, work, attempts } = await start(t, await create(), { clock, ask: verdicts('safe') })
      const watch = watchOf(clock, { next_at: clock.now() + HOUR })
      await store.add(watch, 1)
      receiver.answer(response => response.writeHead(410).end())
      await store.enqueue(testDelivery(watch, clock.now()))
      work.wake()
      await eventually(() => attempts.length === 1)
      assert.equal(attempts[0]?.end, 'dead')
      const stopped = await store.get(watch.id)
      assert.deepEqual([stopped?.state.stopped, stopped?.next_at], ['receiver-gone', null])
      assert.deepEqual(await store.dueDeliveries(clock.now() + HOUR, 9), [])
    })

    it('note why there is no result, keep what they know, and check again', async t => {
      const clock = movable()
      let asked = 0
      const ask: AskFor = async () => {
        asked += 1
        return { ok: false, code: 'target-busy', retry_ms: 60_000 }
      }
      const { store, work, ends } = await start(t, await create(), { clock, ask })
      const watch = watchOf(clock, knowing('safe'))
      await store.add(watch, 1)
      work.wake()
      await eventually(() => ends.length === 1)
      const { state, next_at } = (await store.get(watch.id)) ?? assert.fail('the watch is gone')
      assert.deepEqual([state.failure?.code, state.facts], ['target-busy', watch.state.facts])
      assert.ok((next_at ?? 0) - clock.now() <= 60_000, 'the next attempt is before the next regular check')
      clock.pass(61_000)
      await eventually(() => ends.length === 2)
      assert.deepEqual([asked, receiver.received.length], [2, 0])
    })

    it('are checked once each by two processes, and one of them delivers each event', async t => {
      const clock = movable()
      const place = await create()
      const ask = verdicts('malicious')
      const both = [await start(t, place, { clock, ask }), await start(t, place, { clock, ask })]
      const [{ store }] = both as [(typeof both)[0]]
      for (let at = 0; at < 8; at++)
        await store.add(watchOf(clock, { id: `watch_aaaaaaaaaaaaaaa${at}`, ...knowing('safe') }), 10)
      for (const { work } of both) work.wake()
      await eventually(() => receiver.received.length >= 8)
      // Time for a second delivery, which must not come.
      await pause(3 * LIMITS.look_ms)
      assert.equal(receiver.received.length, 8)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 8)
      assert.deepEqual([ask.asked, both.flatMap(({ ends }) => ends).length], [8, 8])
    })

    it('of one account do not keep those of others waiting', async t => {
      const clock = movable()
      const { store, work, attempts } = await start(t, await create(), { clock, ask: verdicts('safe') })
      const silent = watchOf(clock, { account: 'acc_slow', next_at: clock.now() + HOUR })
      const other = watchOf(clock, { id: 'watch_bbbbbbbbbbbbbbbb', next_at: clock.now() + HOUR })
      await store.add(silent, 1)
      await store.add(other, 1)
      const sent = testDelivery(other, clock.now())
      let begun = 0
      receiver.answer((response, { headers }) => {
        if (headers['webhook-id'] === sent.id) response.writeHead(204).end()
        else begun += 1
      })
      for (let at = 0; at < 40; at++) await store.enqueue(testDelivery(silent, clock.now() - HOUR))
      work.wake()
      await eventually(() => begun === WATCH_LIMITS.deliveries_of_account)
      await store.enqueue(sent)
      work.wake()
      await eventually(() => attempts.length === 1)
      assert.deepEqual([attempts[0]?.end, begun], ['delivered', WATCH_LIMITS.deliveries_of_account])
    })

    it('end with the process: a delivery that runs may finish', async t => {
      const clock = movable()
      const { store, work, attempts, close } = await start(t, await create(), { clock, ask: verdicts('safe') })
      const watch = watchOf(clock, { next_at: clock.now() + HOUR })
      await store.add(watch, 1)
      await store.enqueue(testDelivery(watch, clock.now()))
      let finish = () => {}
      receiver.answer(response => {
        finish = () => response.writeHead(204).end()
      })
      work.wake()
      await eventually(() => receiver.received.length === 1)
      const closed = close()
      finish()
      await closed
      assert.equal(attempts[0]?.end, 'delivered')
    })
  })
}

// Long, as it waits for leases to end.
if (tier === 'all') {
  describe('watches in a PostgreSQL that crashes', () => {
    it('lose no event: it is delivered when the database is back', async t => {
      const server = await startPostgres()
      t.after(() => server.stop())
      const clock = movable()
      const place = await server.createDatabase()
      const { store, work, ends } = await start(t, place, { clock, ask: verdicts('malicious') })
      for (let at = 0; at < 8; at++)
        await store.add(watchOf(clock, { id: `watch_aaaaaaaaaaaaaaa${at}`, ...knowing('safe') }), 10)
      work.wake()
      await eventually(() => ends.length > 0)
      await server.crash()
      await pause(300)
      await server.restart()
      const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
      // An attempt that was cut off is made again after twenty seconds.
      await eventually(() => ids().size === 8)
      const events = await Promise.all((await store.list('acc_a')).map(({ id }) => store.deliveries(id, 9)))
      assert.deepEqual(
        events.map(({ length }) => length),
        Array.from({ length: 8 }, () => 1),
      )
    })
  })
}
