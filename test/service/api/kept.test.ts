// Cached results: under load, after clock changes, and while nothing can be checked.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { createResultCache } from '../../../src/store/result_cache.ts'
import { result, type Service, startService } from './service.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const NOON = Date.parse('2026-11-15T12:00:00Z')

/** A service with fake clocks, whose engine the test controls: `clock` is that of its cache, and of the wall unless `now` is given. */
async function setUp(t: TestContext, now?: () => number) {
  const clock = { ms: 0 }
  const engine: { check: () => Promise<CheckResult> } = { check: async () => ({ result, class: 'complete' }) }
  const service = await startService(t, {
    checker: { check: () => engine.check() },
    cache: createResultCache({ now: () => clock.ms, random: () => 0.5 }),
    now: now ?? (() => NOON + clock.ms),
  })
  return { service, clock, engine }
}

const path = '/api/v1/check?domain=example.com'

interface Answer {
  readonly status: number
  readonly cache: string | null
  readonly body: Readonly<Record<string, unknown>>
}

async function ask(service: Service): Promise<Answer> {
  const response = await service.get(path)
  const body = (await response.json()) as Answer['body']
  return { status: response.status, cache: response.headers.get('x-cache'), body }
}

describe('a result that many request', () => {
  it('is computed once when it expires, for all requests', async t => {
    const { service, clock, engine } = await setUp(t)
    await ask(service)
    engine.check = async () => {
      await pause(300)
      return { result, class: 'complete' }
    }
    const answers: Promise<Answer>[] = []
    // 500 in a second, and the result expires meanwhile.
    for (let burst = 0; burst < 50; burst++) {
      if (burst === 20) clock.ms = hour
      for (let n = 0; n < 10; n++) answers.push(ask(service))
      await pause(20)
    }
    const seen = await Promise.all(answers)
    assert.deepEqual(new Set(seen.map(({ status, body }) => `${status} ${body['code'] ?? ''}`)), new Set(['200 ']))
    assert.equal(service.checked.length, 2)
    const { cache, body } = await ask(service)
    assert.deepEqual([cache, body['cached']], ['HIT', true])
  })
})

describe('a change of the wall clock', () => {
  for (const [how, ms] of [
    ['on by an hour', hour],
    ['back by an hour', -hour],
    ['on by a day', day],
    ['back by a day', -day],
  ] as const) {
    it(`${how} neither expires results nor extends their lifetime`, async t => {
      let now = NOON
      const { service, clock } = await setUp(t, () => now)
      await ask(service)
      now += ms
      clock.ms = hour - 1
      assert.equal((await ask(service)).cache, 'HIT')
      now -= ms
      assert.equal((await ask(service)).cache, 'HIT')
      now += ms
      clock.ms = hour
      assert.equal((await ask(service)).cache, 'MISS')
      assert.equal(service.checked.length, 2)
    })
  }
})

describe('while nothing can be checked', () => {
  const blind = async () => {
    throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
  }

  it('the last complete result is served for a day, marked as stale, and counted', async t => {
    const { service, clock, engine } = await setUp(t)
    const fresh = await ask(service)
    assert.equal('stale' in fresh.body, false)
    engine.check = blind
    for (const [ms, status] of [
      [hour, 200],
      [day - 1, 200],
      [day, 503],
    ] as const) {
      clock.ms = ms
      const { cache, body, ...answer } = await ask(service)
      assert.equal(answer.status, status)
      if (status === 503) {
        assert.deepEqual([body['code'], cache], ['analysis-unavailable', null])
        continue
      }
      const { process_time_ms, cached, stale, ...rest } = body
      assert.deepEqual([cache, cached, stale, rest], ['HIT', true, true, result])
    }
    const [key] = await service.store.keys.list()
    assert.equal((await service.store.quota.usage(key?.account ?? '', { quota: 10, period: 'month' })).used, 3)
    assert.deepEqual(
      service.lines().map(({ cache, status }) => [cache ?? null, status]),
      [
        ['MISS', 200],
        ['STALE', 200],
        ['STALE', 200],
        ['MISS', 503],
      ],
    )
  })

  it('a result that has not expired is served unmarked, and incomplete results are not kept', async t => {
    const { service, clock, engine } = await setUp(t)
    await ask(service)
    engine.check = blind
    assert.equal('stale' in (await ask(service)).body, false)
    const other = await setUp(t)
    other.engine.check = async () => ({ result, class: 'incomplete' })
    await ask(other.service)
    other.engine.check = blind
    other.clock.ms = hour
    assert.equal((await ask(other.service)).status, 503)
    clock.ms = hour
    engine.check = async () => ({ result: { ...result, risk_score: 4 }, class: 'complete' })
    const again = await ask(service)
    assert.deepEqual([again.cache, again.body['risk_score'], 'stale' in again.body], ['MISS', 4, false])
  })

  it('a new partial result is served instead of the old one', async t => {
    const { service, clock, engine } = await setUp(t)
    await ask(service)
    clock.ms = hour
    engine.check = async () => ({ result: { ...result, risk_score: 9 }, class: 'incomplete' })
    assert.deepEqual((await ask(service)).body['risk_score'], 9)
    engine.check = blind
    clock.ms += minute
    const { body } = await ask(service)
    assert.deepEqual([body['risk_score'], body['stale']], [3, true])
  })

  it('other failures do not serve a stale result', async t => {
    const { service, clock, engine } = await setUp(t)
    await ask(service)
    clock.ms = hour
    engine.check = async () => {
      throw new Error('a defect')
    }
    assert.equal((await ask(service)).status, 500)
  })

  it('a stream ends with the stale result, which is marked', async t => {
    const { service, clock, engine } = await setUp(t)
    await ask(service)
    clock.ms = hour
    engine.check = blind
    const headers = { 'X-API-Key': service.key, Accept: 'text/event-stream' }
    const text = await (await service.get(path, { headers })).text()
    const { cached, stale } = JSON.parse(/event: result\ndata: (.*)\n/.exec(text)?.[1] ?? '{}')
    assert.deepEqual([cached, stale], [true, true])
  })
})
