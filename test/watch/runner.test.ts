// The runner over a real store and real sockets: it checks what is due, tells changes, retries, and stays the only one.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openEmbeddedWatches } from '../../src/store/embedded/watches.ts'
import { createLink } from '../../src/store/redis/link.ts'
import { createRedisWatches } from '../../src/store/redis/watches.ts'
import { nothingChecked, type Watch, type WatchStore } from '../../src/store/watches.ts'
import { type AskFor, testDelivery } from '../../src/watch/check.ts'
import { type Attempt, deliver } from '../../src/watch/deliver.ts'
import { observe } from '../../src/watch/matters.ts'
import { createRunner, type RunnerOptions } from '../../src/watch/runner.ts'
import { newSecret } from '../../src/watch/signature.ts'
import { eventually } from '../api/service.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from '../store/backends.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { openWebhooks, type Receiver, startReceiver } from './receiver.ts'

const HOUR = 3_600_000

const webhooks = openWebhooks()
let receiver: Receiver
let redis: RedisServer
before(async () => {
  receiver = await startReceiver()
  if (!withoutRedis) redis = await startRedis()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answer(response => response.writeHead(204).end())
})
after(async () => {
  receiver.close()
  await Promise.all([redis?.stop(), webhooks.close()])
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

const openers: Readonly<Record<string, (t: TestContext, clock: Clock) => Promise<WatchStore>>> = {
  async embedded(t, { now }) {
    const store = await openEmbeddedWatches({
      ...{ directory: freshDirectory(t), now, patience: PATIENT_MS, damaged: () => {} },
    })
    t.after(() => store.close())
    return store
  },
  async redis(t, { now }) {
    const link = createLink({ url: redis.url, command_ms: PATIENT_MS })
    await link.start()
    await link.run(client => client.flushAll())
    t.after(() => link.close())
    return createRedisWatches({ run: link.run, now })
  },
}

const watchOf = (clock: Clock, given: Partial<Watch> = {}): Watch => ({
  ...{ id: 'watch_aaaaaaaaaaaaaaaa', account: 'acc_a', key: 'key_a', target: 'shop.example', format: 'json' },
  ...{ every_ms: HOUR, notify: receiver.url, secret: newSecret(), created: clock.now(), next_at: clock.now() },
  state: nothingChecked,
  ...given,
})

/** Answers with these verdicts one after the other, then with the last one again. */
function verdicts(...all: readonly string[]): AskFor & { asked: number } {
  const ask = async () => {
    const verdict = all[Math.min(ask.asked++, all.length - 1)]
    const judged = { risk_score: 9, checked_at: '2026-11-15T00:00:00Z', recommendation: 'allow' }
    return { ok: true as const, result: { domain: 'shop.example', verdict, ...judged, coverage: { sections: {} } } }
  }
  ask.asked = 0
  return ask
}

interface Run extends Pick<RunnerOptions, 'ask'> {
  readonly store: WatchStore
  readonly clock: Clock
  readonly limits?: RunnerOptions['limits']
}

function start(t: TestContext, { store, clock, ask, limits = {} }: Run) {
  const attempts: Attempt[] = []
  const ends: string[] = []
  const failures: unknown[] = []
  const runner = createRunner({
    ...{ store, webhooks, clock, ask, public_url: 'https://checks.example/', limits },
    checked: end => ends.push(end),
    attempted: attempt => attempts.push(attempt),
    failed: error => failures.push(error),
  })
  t.after(() => runner.close())
  runner.start()
  return { runner, attempts, ends, failures }
}

for (const [name, open] of Object.entries(openers)) {
  describe(`watches in the ${name} store`, { skip: name === 'redis' && withoutRedis }, () => {
    it('tell a change by a signed webhook, and nothing else', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock)
      await store.add(watch, 1)
      const { runner, ends } = start(t, { store, clock, ask: verdicts('safe', 'safe', 'malicious') })
      for (const count of [1, 2, 3]) {
        await eventually(() => ends.length === count)
        clock.pass(2 * HOUR)
        runner.wake()
      }
      await eventually(() => receiver.received.length === 1)
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
      assert.deepEqual(ends.slice(0, 3), ['same', 'same', 'changed'])
      assert.equal(headers['webhook-attempt'], '1')
      const { type, data } = JSON.parse(body)
      assert.deepEqual(
        [type, data.target, data.changes.map(({ message }: { message: string }) => message)],
        ['watch.changed', 'shop.example', ['Verdict: safe → malicious']],
      )
      // The library allows five minutes between the clocks.
      const timestamp = Math.floor(clock.now() / 1_000) - Number(headers['webhook-timestamp'])
      assert.ok(Math.abs(timestamp) < 7 * 3_600, 'the time of the attempt is sent')
      const stored = await store.get(watch.id)
      assert.equal(stored?.state.last?.verdict, 'malicious')
    })

    it('are signed so that the library of Standard Webhooks accepts them', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { next_at: clock.now() + HOUR })
      await store.add(watch, 1)
      await store.enqueue(testDelivery(watch, clock.now()))
      start(t, { store, clock, ask: verdicts('safe') })
      await eventually(() => receiver.received.length === 1)
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
      const verified = new Webhook(watch.secret).verify(body, headers as Record<string, string>)
      assert.equal((verified as { type: string }).type, 'watch.test')
    })

    it('are tried again with the same ID and the next number, until they are accepted', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { state: { ...nothingChecked, facts: factsOf('safe') } })
      await store.add(watch, 1)
      let left = 2
      receiver.answer(response => response.writeHead(left-- > 0 ? 500 : 200).end())
      const { runner, attempts } = start(t, { store, clock, ask: verdicts('malicious') })
      for (const count of [1, 2, 3]) {
        await eventually(() => attempts.length === count)
        clock.pass(6 * 60_000)
        runner.wake()
      }
      assert.deepEqual(
        attempts.map(({ attempt, end, status }) => [attempt, end, status]),
        [
          [1, 'failed', 500],
          [2, 'failed', 500],
          [3, 'delivered', 200],
        ],
      )
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-attempt']),
        ['1', '2', '3'],
      )
    })

    it('are given up after ten attempts, and delivered when they are replayed', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { every_ms: 1_000 * HOUR, state: { ...nothingChecked, facts: factsOf('safe') } })
      await store.add(watch, 1)
      receiver.answer(response => response.writeHead(500).end())
      const { runner, attempts } = start(t, { store, clock, ask: verdicts('malicious') })
      for (let count = 1; count <= 10; count++) {
        await eventually(() => attempts.length === count)
        clock.pass(27 * HOUR)
        runner.wake()
      }
      assert.deepEqual(attempts.map(({ end }) => end).slice(-2), ['failed', 'dead'])
      const [dead] = await store.deliveries(watch.id, 9)
      assert.deepEqual([dead?.state, dead?.attempt, dead?.last?.failure], ['dead', 10, 'status_500'])
      receiver.answer(response => response.writeHead(200).end())
      await store.replay(dead?.id ?? '', clock.now())
      runner.wake()
      await eventually(() => attempts.length === 11)
      assert.deepEqual([attempts.at(-1)?.end, attempts.at(-1)?.attempt], ['delivered', 11])
    })

    it('stop when the receiver is gone, and a test is sent once', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { next_at: clock.now() + HOUR })
      await store.add(watch, 1)
      receiver.answer(response => response.writeHead(410).end())
      await store.enqueue(testDelivery(watch, clock.now()))
      const { attempts } = start(t, { store, clock, ask: verdicts('safe') })
      await eventually(() => attempts.length === 1)
      assert.equal(attempts[0]?.end, 'dead')
      const stopped = await store.get(watch.id)
      assert.deepEqual([stopped?.state.stopped, stopped?.next_at, await store.nextDue()], ['receiver-gone', null, null])
    })

    it('note why there is no result, keep what they know, and check again', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { state: { ...nothingChecked, facts: factsOf('safe') } })
      await store.add(watch, 1)
      let asked = 0
      const busy: AskFor = async () => {
        asked += 1
        return { ok: false, code: 'target-busy', retry_ms: 60_000 }
      }
      const { runner, ends } = start(t, { store, clock, ask: busy })
      await eventually(() => ends.length === 1)
      const { state, next_at } = (await store.get(watch.id)) ?? assert.fail('the watch is gone')
      assert.deepEqual([state.failure?.code, state.facts], ['target-busy', watch.state.facts])
      assert.ok((next_at ?? 0) - clock.now() <= 60_000, 'the next attempt is before the next regular check')
      clock.pass(61_000)
      runner.wake()
      await eventually(() => ends.length === 2)
      assert.deepEqual([asked, receiver.received.length], [2, 0])
    })

    it('make up for many missed checks with one', async t => {
      const clock = movable()
      const store = await open(t, clock)
      await store.add(watchOf(clock, { next_at: clock.now() - 100 * HOUR }), 1)
      const ask = verdicts('safe')
      const { ends } = start(t, { store, clock, ask })
      await eventually(() => ends.length === 1)
      assert.ok(((await store.nextDue()) ?? 0) > clock.now() + HOUR / 2, 'the next check is an interval away')
      assert.equal(ask.asked, 1)
    })

    it('are run by one of two runners, and by the other when that one dies', async t => {
      const clock = movable()
      const store = await open(t, clock)
      for (let at = 0; at < 6; at++) await store.add(watchOf(clock, { id: `watch_aaaaaaaaaaaaaaa${at}` }), 10)
      const ask = verdicts('safe')
      // One that died with the lease.
      await store.lease('dead', 300)
      const limits = { look_ms: 50 }
      const runners = [start(t, { store, clock, ask, limits }), start(t, { store, clock, ask, limits })]
      await eventually(() => ask.asked === 6 && runners.flatMap(({ ends }) => ends).length === 6)
      assert.deepEqual(
        runners.flatMap(({ failures }) => failures),
        [],
      )
      assert.equal(ask.asked, 6)
    })

    it('end with the service: what runs may finish', async t => {
      const clock = movable()
      const store = await open(t, clock)
      const watch = watchOf(clock, { next_at: clock.now() + HOUR })
      await store.add(watch, 1)
      await store.enqueue(testDelivery(watch, clock.now()))
      let finish = () => {}
      receiver.answer(response => {
        finish = () => response.writeHead(204).end()
      })
      const { runner, attempts } = start(t, { store, clock, ask: verdicts('safe') })
      await eventually(() => receiver.received.length === 1)
      const closed = runner.close()
      finish()
      await closed
      assert.equal(attempts[0]?.end, 'delivered')
      assert.equal((await store.lease('another', 1_000)).held, true)
    })
  })
}

/** What a watch knows after a result with this verdict. */
const factsOf = (verdict: string) =>
  observe(null, { domain: 'shop.example', verdict, recommendation: 'allow', coverage: { sections: {} } }, 0).facts

describe('a delivery whose watch is gone', () => {
  it('is dead and not due again', async () => {
    const settled: unknown[] = []
    const store = {
      get: () => null,
      claim: async () => true,
      settle: async (...all: unknown[]) => void settled.push(all),
      stop: async () => {},
    }
    const clock = { now: () => 5_000, monotonic: () => 0 }
    const made = testDelivery(watchOf(movable()), 4_000)
    assert.equal(await deliver({ store, webhooks, clock }, made, new AbortController().signal), null)
    const last = { at: 5_000, status: null, failure: 'watch_gone' }
    assert.deepEqual(settled, [[made.id, 1, { state: 'dead', failed: 0, next_at: null, last }]])
  })
})
