// Four instances behind a plain proxy act as one.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckResult } from '../src/engine/engine.ts'
import { AnalysisUnavailable } from '../src/engine/outcome.ts'
import { type Answer, type Instances, startInstances } from './redis_instances.ts'
import { type RedisServer, startRedis } from './redis_server.ts'

const result: CheckResult = { result: { domain: 'example.com', risk_score: 3 }, class: 'complete' }

let redis: RedisServer
before(async () => {
  redis = await startRedis()
})
after(() => redis.stop())

const four = (t: TestContext, quota: number, check: () => Promise<CheckResult> = async () => result) =>
  startInstances(t, {
    url: redis.url,
    count: 4,
    plans: { startup: { quota, period: 'month' } },
    checker: { check },
  })

let names = 0
/** A target that no other test asks for. */
const fresh = () => `/api/v1/check?domain=d${++names}-${process.pid}.com`

/** Asks with so many under way at a time. */
async function load({ get }: Instances, requests: number, together: number, path: (n: number) => string) {
  const answers: Answer[] = []
  let next = 0
  const client = async () => {
    while (next < requests) answers.push(await get(path(next++)))
  }
  await Promise.all(Array.from({ length: together }, client))
  return answers
}

describe('four instances on one Redis', () => {
  it('answer exactly as many requests as the quota allows', async t => {
    const instances = await four(t, 250)
    const paths = Array.from({ length: 5 }, fresh)
    const answers = await load(instances, 500, 100, n => paths[n % 5] ?? '')
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(
      [statuses.filter(status => status === 200).length, statuses.filter(status => status === 429).length],
      [250, 250],
    )
    const left = answers.flatMap(({ status, headers }) =>
      status === 200 ? [Number(headers['x-ratelimit-remaining'])] : [],
    )
    assert.deepEqual(
      left.sort((a, b) => a - b),
      Array.from({ length: 250 }, (_, n) => n),
    )
    assert.equal((await instances.get('/api/v1/check?domain=%')).headers['x-ratelimit-remaining'], '0')
  })

  it('know a key that one of them made, and forget one that another revoked', async t => {
    const instances = await four(t, 1_000)
    const path = fresh()
    const { key, text } =
      (await instances.stores[1]?.keys.create({ plan: 'startup', label: 'second' })) ?? assert.fail()
    for (let n = 0; n < 4; n++) assert.equal((await instances.get(path, text)).status, 200)
    await instances.stores[2]?.keys.revoke(key.id)
    await pause(1_500)
    for (let n = 0; n < 8; n++) assert.equal((await instances.get(path, text)).status, 403)
  })

  it('serve a result that one of them found: a miss, then hits alone', async t => {
    const instances = await four(t, 1_000)
    const path = fresh()
    const first = await instances.get(path)
    assert.deepEqual([first.headers['x-cache'], first.body['cached']], ['MISS', false])
    for (let n = 0; n < 8; n++) {
      const { headers, body } = await instances.get(path)
      assert.deepEqual([headers['x-cache'], body['cached']], ['HIT', true])
    }
    assert.equal(instances.checked.length, 1)
  })

  it('check a target once for all who ask at once', async t => {
    const instances = await four(t, 1_000, async () => {
      await pause(1_000)
      return result
    })
    const path = fresh()
    const answers = await Promise.all(Array.from({ length: 40 }, () => instances.get(path)))
    assert.deepEqual(
      new Set(answers.map(({ status, headers }) => `${status} ${headers['x-cache']}`)),
      new Set(['200 MISS']),
    )
    assert.equal(instances.checked.length, 1)
  })

  it('share the failure of a check, and try anew for the next request', async t => {
    let fails = true
    const instances = await four(t, 1_000, async () => {
      await pause(500)
      if (fails) throw new AnalysisUnavailable('resolver_timeout')
      return result
    })
    const path = fresh()
    const answers = await Promise.all(Array.from({ length: 12 }, () => instances.get(path)))
    assert.deepEqual(
      new Set(answers.map(({ status, body }) => `${status} ${body['code']}`)),
      new Set(['503 analysis-unavailable']),
    )
    assert.equal(instances.checked.length, 1)
    fails = false
    assert.equal((await instances.get(path)).status, 200)
  })

  it('take over the check of an instance that is gone', async t => {
    const instances = await four(t, 1_000)
    const [first, second] = instances.stores
    const name = `left-${process.pid}`
    const gone = first?.flights.run(name, () => new Promise<Buffer>(() => {}))
    gone?.catch(() => {})
    await pause(100)
    const began = performance.now()
    const taken = second?.flights.run(name, async () => Buffer.from('mine'))
    await pause(300)
    // What a killed process does: its lead is not renewed.
    await first?.close()
    assert.equal(String(await taken), 'mine')
    assert.ok(performance.now() - began < 8_000)
  })

  it('heed together what one of them learned of a source', async t => {
    const { stores } = await four(t, 1_000)
    const [first, second] = stores
    for (let n = 0; n < 3; n++) assert.equal(first?.board.take('list a', 5), true)
    first?.board.pause('registry b', 60_000)
    await pause(2_500)
    assert.equal(second?.board.isPaused('registry b'), true)
    assert.deepEqual(
      [1, 2, 3].map(() => second?.board.take('list a', 5)),
      [true, true, false],
    )
  })
})
