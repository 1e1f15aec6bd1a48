// The queue of bulk runs on a real Redis: what its scripts do when a call is repeated.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type BulkQueue,
  type BulkSubmission,
  type BulkWork,
  createBulkQueue,
} from '../../src/store/redis/bulk_queue.ts'
import { createLink, type RedisLink } from '../../src/store/redis/link.ts'
import { tag_length } from '../../src/store/redis/protocol.ts'
import { asAdmin, type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'

const LEASE_MS = 60_000
const ANSWER = Buffer.from('an answer')

describe('the queue of bulk runs', { skip: withoutRedis }, () => {
  let redis: RedisServer
  let link: RedisLink
  let queue: BulkQueue
  before(async () => {
    redis = await startRedis()
    link = createLink({ url: redis.url, command_ms: PATIENT_MS })
    await link.start()
    queue = createBulkQueue(link.run, 'lab')
  })
  afterEach(() => redis.empty())
  after(async () => {
    link.close()
    await redis.stop()
  })

  const submit = (submitter: string, sent: Partial<BulkSubmission>) =>
    queue.submit(submitter, { asks: [], waits: [], done: [], ...sent })
  const work = (worker: string, sent: Partial<BulkWork> = {}) =>
    queue.work(worker, { lease_ms: LEASE_MS, policy: 'lab', free: 0, running: [], answered: [], retried: [], ...sent })
  const ask = (age_ms = 60_000, is_shared = true) => ({ asks: [{ id: 'a', target: 'target of a', age_ms, is_shared }] })
  const answered = (life_ms: number) => ({ answered: [{ id: 'a', body: ANSWER, life_ms }] })
  const done = [{ id: 'a', is_damaged: false }]
  const key = (part: string) => `assay:v1:bulk-${part}:lab`
  const taken = (tries = 0) => [{ id: 'a', target: 'target of a', tries }]
  const answers = async (submitter: string, sent: Partial<BulkSubmission>) =>
    (await submit(submitter, sent)).answers.map(([id, body]) => [id, body.toString()])

  it('counts a failed try once when its report is repeated', async () => {
    const failed = { retried: [{ id: 'a', tries: 0, wait_ms: 0 }] }
    await submit('one', ask())
    await work('w', { free: 1 })
    assert.deepEqual(await work('w', { ...failed, free: 1 }), taken(1))
    assert.deepEqual(await work('w', { ...failed, free: 1 }), [])
    assert.deepEqual(await work('w', { retried: [{ id: 'a', tries: 1, wait_ms: 0 }], free: 1 }), taken(2))
  })

  it('has an uncollected answer for the submitter that repeats its ask', async () => {
    await submit('one', ask(0))
    await work('w', { free: 1 })
    await work('w', answered(0))
    assert.deepEqual(await answers('one', ask(0)), [['a', ANSWER.toString()]])
    assert.deepEqual(await work('w', { free: 1 }), [])
    assert.deepEqual(await answers('one', { done, ...ask(0) }), [])
    assert.deepEqual(await work('w', { free: 1 }), taken())
  })

  it('keeps a shared answer that every submitter has, and forgets another', async () => {
    for (const is_shared of [true, false]) {
      await submit('one', ask(60_000, is_shared))
      await submit('two', ask(60_000, is_shared))
      await work('w', { free: 1 })
      await work('w', answered(60_000))
      await submit('one', { done })
      assert.deepEqual(await answers('two', { waits: ['a'] }), [['a', ANSWER.toString()]])
      await submit('two', { done })
      await asAdmin(redis.url, async client => {
        const found = [
          await client.exists(`${key('job')}:a`),
          await client.zCard(key('spare')),
          await client.hGet(key('state'), 'bytes'),
        ]
        assert.deepEqual(found, is_shared ? [1, 1, `${ANSWER.length + tag_length}`] : [0, 0, '0'])
      })
    }
  })

  it('keeps nothing longer than an hour after the last call', async () => {
    await submit('one', ask())
    await work('w', { free: 1 })
    await work('w', answered(60_000))
    await asAdmin(redis.url, async client => {
      for (const name of await client.keys('assay:v1:bulk-*')) {
        const left = await client.pTTL(name)
        assert.ok(left > 0 && left <= 3_600_000, `${name} has ${left} ms`)
      }
    })
  })

  it('hands out and takes back jobs when the clock of Redis was an hour ahead', async () => {
    const hour = 3_600_000
    const setBack = () =>
      asAdmin(redis.url, async client => {
        for (const part of ['waiting', 'running', 'workers'])
          for (const { value, score } of await client.zRangeWithScores(key(part), 0, -1))
            await client.zAdd(key(part), { value, score: score + hour })
        await client.hIncrBy(key('state'), 'now', hour)
      })
    await submit('one', ask())
    await setBack()
    assert.deepEqual(await work('w', { free: 1, lease_ms: 1 }), taken())
    await setBack()
    await work('other')
    await pause(5)
    assert.deepEqual(await work('other', { free: 1 }), taken())
    await setBack()
    assert.equal((await submit('one', { waits: ['a'] })).workers, 1)
  })

  it('gives up a job whose workers die', async () => {
    await submit('one', ask())
    for (let deaths = 0; deaths < 4; deaths++) {
      assert.deepEqual(await work('w', { free: 1, lease_ms: 1 }), taken())
      await pause(5)
    }
    assert.deepEqual(await work('w', { free: 1 }), [])
    assert.deepEqual((await submit('one', { waits: ['a'] })).answers, [['a', 'not_completed']])
  })

  const altered: Readonly<Record<string, Buffer | string>> = {
    'is null': 'null',
    'has no result': '{"ok":true}',
    'has an octet more': 'x',
    'is larger than a reply may be': Buffer.alloc(5 * 1024 * 1024, 'x'),
  }
  for (const [title, bytes] of Object.entries(altered)) {
    it(`calls an answer or a target damaged that ${title}`, async () => {
      const job = `${key('job')}:a`
      await submit('one', ask())
      await asAdmin(redis.url, client => client.hSet(job, 'target', bytes))
      assert.deepEqual(await work('w', { free: 1 }), [{ id: 'a', target: null, tries: 0 }])
      await work('w', answered(60_000))
      await asAdmin(redis.url, client => client.hSet(job, 'answer', bytes))
      assert.deepEqual((await submit('one', { waits: ['a'] })).answers, [['a', 'damaged']])
      await submit('one', { done: [{ id: 'a', is_damaged: true }] })
      await submit('two', ask())
      assert.deepEqual(await work('w', { free: 1 }), taken())
    })
  }

  it('loses a damaged job and no other, and takes it again from its submitter', async () => {
    const asks = ['a', 'b', 'c', 'd'].map(id => ({ id, target: `target of ${id}`, age_ms: 0, is_shared: true }))
    await submit('one', { asks })
    await asAdmin(redis.url, async client => {
      await client.hSet(`${key('job')}:a`, 'tries', 'x')
      await client.hSet(`${key('job')}:b`, 'ended', '-1')
      await client.del(`${key('job')}:c`)
      await client.set(`${key('job')}:c`, 'no hash')
    })
    assert.deepEqual(await work('w', { free: 9 }), [{ id: 'd', target: 'target of d', tries: 0 }])
    const waits = asks.map(({ id }) => id)
    assert.deepEqual((await submit('one', { waits })).unknown, ['a', 'b', 'c'])
    await submit('one', { asks: asks.slice(0, 3) })
    assert.deepEqual(
      (await work('w', { free: 9 })).map(({ id }) => id),
      ['a', 'b', 'c'],
    )
  })
})
