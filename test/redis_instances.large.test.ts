// Four instances behind a plain proxy act as one.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { AnalysisUnavailable } from '../src/engine/analysis.ts'
import type { CheckResult } from '../src/engine/engine.ts'
import { cacheKey, prepareBody } from '../src/store/result_cache.ts'
import { type Answer, type Instances, type InstancesOptions, startInstances } from './redis_instances.ts'
import { type RedisServer, startRedis, withoutRedis } from './redis_server.ts'
import { openFor, PATIENT_MS } from './store/backends.ts'

const result: CheckResult = { result: { domain: 'example.com', risk_score: 3 }, class: 'complete' }

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

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

describe('four instances on one Redis', { skip: withoutRedis }, () => {
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

  it('accept a key that one of them created, and reject one that another revoked', async t => {
    const instances = await four(t, 1_000)
    const path = fresh()
    const { key, text } =
      (await instances.stores[1]?.keys.create({ plan: 'startup', label: 'second' })) ?? assert.fail()
    for (let n = 0; n < 4; n++) assert.equal((await instances.get(path, text)).status, 200)
    await instances.stores[2]?.keys.revoke(key.id)
    await pause(1_500)
    for (let n = 0; n < 8; n++) assert.equal((await instances.get(path, text)).status, 403)
  })

  it('serve a result of another instance: one miss, then only hits', async t => {
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

  it('check a target once for all concurrent requests', async t => {
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

  it('do not share a failed instrument: another instance runs the check', async t => {
    let checks = 0
    const instances = await four(t, 1_000, async () => {
      await pause(200)
      if (checks++ === 0) throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
      return result
    })
    const path = fresh()
    const waiting = await Promise.all(Array.from({ length: 12 }, () => instances.get(path)))
    const codes = waiting.map(({ status, body }) => `${status} ${body['code'] ?? ''}`)
    assert.deepEqual(new Set(codes), new Set(['503 analysis-unavailable', '200 ']))
    assert.equal(checks, 2)
  })

  it('serve the last result of any instance while none can check', async t => {
    const instances = await four(t, 1_000, async () => {
      throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
    })
    const path = fresh()
    const domain = path.split('=')[1] ?? ''
    const name = cacheKey(
      { kind: 'domain', domain, ip: null, registrable: domain, registered: domain, url: null, visit: true },
      'test',
    )
    await instances.stores[0]?.cache.put(name, prepareBody(result.result), 'complete', 1)
    await pause(20)
    for (let n = 0; n < 4; n++) {
      const { status, headers, body } = await instances.get(path)
      assert.deepEqual([status, headers['x-cache'], body['risk_score'], body['stale']], [200, 'HIT', 3, true])
    }
    assert.equal((await instances.get(fresh())).status, 503)
  })

  it('take over the check of a dead instance', async t => {
    const instances = await four(t, 1_000)
    const [first, second] = instances.stores
    const name = `left-${process.pid}`
    const gone = first?.flights.run(name, () => new Promise<Buffer>(() => {}))
    gone?.catch(() => {})
    await pause(100)
    const taken = second?.flights.run(name, async () => Buffer.from('mine'))
    await pause(300)
    // What a killed process does: its lead is not renewed.
    await first?.close()
    assert.equal(String(await taken), 'mine')
  })

  it('share what one of them learned about a source', async t => {
    const { stores } = await four(t, 1_000)
    const [first, second] = stores
    for (let n = 0; n < 3; n++) assert.equal(first?.upstreams.take('list a', 5), true)
    first?.upstreams.pause('registry b', 60_000)
    await pause(2_500)
    assert.equal(second?.upstreams.isPaused('registry b'), true)
    assert.deepEqual(
      [1, 2, 3].map(() => second?.upstreams.take('list a', 5)),
      [true, true, false],
    )
  })
})

describe('four instances that check names of one registrable domain', { skip: withoutRedis }, () => {
  type Bounds = Pick<InstancesOptions, 'limits' | 'target_wait_ms'>
  const four = (t: TestContext, bounds: Bounds, check: () => Promise<CheckResult>) => {
    const plans = { startup: { quota: 10_000, period: 'month' } } as const
    return startInstances(t, { url: redis.url, count: 4, plans, checker: { check }, ...bounds })
  }
  const waits = new Map([['a', 1]])
  const ask = async ({ get }: Instances, domain: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => get(`/api/v1/check?domain=n${n}.${domain}`)))
  const busy = (answers: readonly Answer[]) =>
    answers.filter(({ status, body }) => status === 503 && body['code'] === 'target-busy')

  it('run no more checks at once than one instance, and check other domains in the meantime', async t => {
    let running = 0
    let most = 0
    const ends: (() => void)[] = []
    const instances = await four(t, { limits: { per_domain: 2 }, target_wait_ms: 1_000 }, async () => {
      most = Math.max(most, ++running)
      await new Promise<void>(resolve => ends.push(resolve))
      running -= 1
      return result
    })
    const domain = `at-once-${process.pid}.com`
    const name = (n: number) => `/api/v1/check?domain=n${n}.${domain}`
    const two = [instances.get(name(1)), instances.get(name(2))]
    while (running < 2) await pause(5)
    const others = await Promise.all(Array.from({ length: 10 }, (_, n) => instances.get(name(n + 3))))
    assert.deepEqual([busy(others).length, most], [10, 2])
    for (const { headers } of others) assert.match(String(headers['retry-after']), /^[1-9]\d?$/)
    const other = instances.get(fresh())
    while (running < 3) await pause(5)
    for (const end of ends) end()
    assert.deepEqual(
      (await Promise.all([...two, other])).map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await instances.get(name(1))).headers['x-cache'], 'HIT')
    assert.equal(most, 3)
  })

  it('do not let one key block the domain for others', async t => {
    let running = 0
    let most = 0
    const instances = await four(t, { limits: { per_domain: 2 } }, async () => {
      most = Math.max(most, ++running)
      await pause(10)
      running -= 1
      return result
    })
    const other = (await instances.stores[0]?.keys.create({ plan: 'startup', label: 'other' }))?.text
    const domain = `loops-${process.pid}.com`
    let names = 0
    let loops = true
    const loop = async () => {
      while (loops) await instances.get(`/api/v1/check?domain=s${names++}.${domain}`)
    }
    const looping = Array.from({ length: 24 }, loop)
    const answers: Answer[] = []
    for (let n = 0; n < 12; n++) answers.push(await instances.get(`/api/v1/check?domain=b${n}.${domain}`, other))
    loops = false
    await Promise.all(looping)
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(12).fill(200),
    )
    assert.equal(most, 2)
  })

  it('start no more checks per second', async t => {
    const begun: number[] = []
    const limits = { per_domain: 1_000, per_domain_per_second: 5 }
    const instances = await four(t, { limits, target_wait_ms: 1_000 }, async () => {
      begun.push(performance.now())
      return result
    })
    const from = performance.now()
    const answers = await ask(instances, `a-second-${process.pid}.com`, 40)
    const seconds = Math.floor((performance.now() - from) / 1_000) + 1
    assert.ok(begun.length >= 5 && begun.length <= 5 * seconds, `${begun.length} begun in ${seconds} s`)
    assert.equal(busy(answers).length, 40 - begun.length)
  })

  it('each apply the limits alone while Redis is down', async t => {
    const own = await startRedis()
    t.after(() => own.stop())
    const { targets } = await openFor(t, { store: own.url })
    const claim = async () => (await targets.claim('a.com', waits, { at_once: 1, per_second: 100 })).key
    const first = await targets.claim('a.com', waits, { at_once: 1, per_second: 100 })
    assert.deepEqual([first.key, await claim()], ['a', null])
    await own.stop()
    assert.equal(await claim(), null)
    if (first.key !== null) first.leave()
    assert.deepEqual([await claim(), await claim()], ['a', null])
  })

  it('do not wait forever for a dead instance', async t => {
    const { targets } = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
    const name = `gone-${process.pid}.com`
    const limits = { at_once: 1, per_second: 100 }
    const place = await targets.claim(name, waits, limits)
    const client = await createClient({ url: redis.url }).connect()
    t.after(() => client.destroy())
    const lives = await client.pTTL(`assay:v1:target-running:${name}`)
    assert.ok(lives > 5_000 && lives <= 10_000, `${lives} ms`)
    if (place.key !== null) place.leave()
    while (await client.exists(`assay:v1:target-running:${name}`)) await pause(10)
    assert.equal((await targets.claim(name, waits, limits)).key, 'a')
  })
})
