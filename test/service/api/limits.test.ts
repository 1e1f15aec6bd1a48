// Limits of one client, one target and one machine.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { addressBlock, createClientAddress } from '../../../src/service/api/client_address.ts'
import { createEventLoopThrottle, createRateLimit, TURNS_APART } from '../../../src/service/api/limits.ts'
import { turn } from './event_loop.ts'
import { eventually, result, startService } from './service.ts'

describe('a rate limit', () => {
  it('allows a number of requests in any window, and returns the wait for the rest', () => {
    let now = 0
    const burst = createRateLimit(3, 60_000, () => now)
    assert.deepEqual(
      [1, 2, 3, 4].map(() => burst.take('a')),
      [0, 0, 0, 60],
    )
    assert.equal(burst.take('b'), 0)
    now = 30_000
    assert.equal(burst.take('a'), 30)
    now = 60_000
    assert.deepEqual(
      [1, 2, 3, 4].map(() => burst.take('a')),
      [0, 0, 0, 60],
    )
  })

  it('never allows more in any window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.integer({ min: 0, max: 400 })), (most, gaps) => {
        let now = 0
        const burst = createRateLimit(most, 1_000, () => now)
        const passed: number[] = []
        for (const gap of gaps) {
          now += gap
          if (burst.take('a') === 0) passed.push(now)
        }
        for (const from of passed) assert.ok(passed.filter(at => at >= from && at < from + 1_000).length <= most)
      }),
    )
  })
})

describe('the client’s address', () => {
  const from = (trusted: string[], remoteAddress: string, forwarded?: string) =>
    createClientAddress(trusted)({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as never)

  for (const [title, trusted, socket, forwarded, expected] of [
    ['is the socket’s when nobody is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is the socket’s when that is not trusted', ['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is what a trusted proxy says', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    [
      'is the last that a trusted proxy added, not what the client claimed',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '8.8.8.8, 198.51.100.7',
      '198.51.100.7',
    ],
    ['is found behind several proxies', ['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['is the proxy’s when it says nothing', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
    ['is the proxy’s when it says what is no address', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7, unknown', '10.1.2.3'],
    ['survives 16 KiB of commas', ['10.0.0.1'], '10.0.0.1', ','.repeat(16_384), '10.0.0.1'],
    ['is IPv4 also on a socket of both families', ['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['may be IPv6', ['::1'], '::1', '2001:db8::7', '2001:db8::7'],
  ] as const) {
    it(title, () => assert.equal(from([...trusted], socket, forwarded), expected))
  }

  it('is limited by its /64 for IPv6', () => {
    assert.equal(addressBlock('2001:db8:1:2:3::4'), '2001:db8:1:2::/64')
    assert.equal(addressBlock('192.0.2.1'), '192.0.2.1')
  })
})

function occupyLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('the event loop throttle', () => {
  it('starts one task in several iterations of the loop', async () => {
    let [turned, left] = [0, 3]
    const begun: number[] = []
    const throttle = createEventLoopThrottle(() => {
      begun.push(turned)
      left -= 1
      return left > 0
    })
    throttle.wake()
    throttle.wake()
    for (; turned < 5 * TURNS_APART; turned++) await turn()
    const [first = 0] = begun
    assert.deepEqual(begun, [first, first + TURNS_APART, first + 2 * TURNS_APART])
  })

  it('reports long iterations', async () => {
    const told: boolean[] = []
    const throttle = createEventLoopThrottle(calm => {
      told.push(calm)
      return told.length < 3
    })
    throttle.wake()
    while (told.length === 0) await turn()
    while (told.length < 2) {
      occupyLoop(30)
      await turn()
    }
    while (told.length < 3) await turn()
    assert.deepEqual([told[1], throttle.calm], [false, told[2]])
  })
})

describe('a client', () => {
  const unlimited = { take: () => 0 }

  it('that tries invalid keys is stopped after twenty per minute, while others at its address are not', async t => {
    const failures = createRateLimit(20, 60_000, () => 0)
    const service = await startService(t, { trusted: ['127.0.0.1'], bursts: { failures, requests: unlimited } })
    const ask = (key: string, from = '198.51.100.7') =>
      service.get('/api/v1/check?domain=a.com', { headers: { 'X-API-Key': key, 'X-Forwarded-For': from } })
    const statuses: number[] = []
    for (let n = 0; n < 22; n++) statuses.push((await ask(`assay_guess${n}`)).status)
    assert.deepEqual(statuses, [...Array(20).fill(403), 429, 429])
    const refused = await ask('assay_guess')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(((await refused.json()) as { code: string }).code, 'rate-limited')
    assert.equal((await ask(service.key)).status, 200)
    assert.equal((await ask('assay_guess', '203.0.113.9')).status, 403)
  })

  it('may start a number of uncached checks per second, and read cached results without limit', async t => {
    // The clock stands still, however slow the machine is.
    const service = await startService(t, { claimLimits: { key_per_second: 3 }, monotonic: () => 0 })
    const ask = (n: number) => service.get(`/api/v1/check?domain=d${n}.com`)
    for (let n = 0; n < 3; n++) assert.equal((await ask(n)).status, 200)
    assert.equal((await ask(3)).status, 429)
    for (let n = 0; n < 3; n++) assert.equal((await ask(n)).status, 200)
  })

  it('is also limited when its checks are refused, and does not pay for refusals', async t => {
    const ends: (() => void)[] = []
    const check = () => new Promise<CheckResult>(resolve => ends.push(() => resolve({ result, class: 'complete' })))
    const service = await startService(t, {
      checker: { check },
      monotonic: () => 0,
      target_wait_ms: 1,
      claimLimits: { key_per_second: 6, at_once: 1 },
    })
    const first = service.get('/api/v1/check?domain=first.victim.com')
    await eventually(() => ends.length === 1)
    const codes: string[] = []
    for (let n = 0; n < 8; n++) {
      const refused = await service.get(`/api/v1/check?domain=s${n}.victim.com`)
      codes.push(((await refused.json()) as { code: string }).code)
      assert.equal(refused.headers.get('x-ratelimit-remaining'), '10000')
      assert.equal(refused.headers.get('retry-after'), '1')
    }
    assert.deepEqual(codes, [...Array(5).fill('target-busy'), ...Array(3).fill('rate-limited')])
    for (const end of ends) end()
    assert.equal((await first).headers.get('x-ratelimit-remaining'), '9999')
  })

  it('may be limited in all requests', async t => {
    const requests = createRateLimit(2, 60_000, () => 0)
    const service = await startService(t, { bursts: { failures: unlimited, requests } })
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await service.get('/api/v1/check?domain=a.com')).status)
    assert.deepEqual(statuses, [200, 200, 429])
  })
})
