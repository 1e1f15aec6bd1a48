// A result on the wire, and the request ID.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { result, serviceOfSuite, startService } from './service.ts'

describe('a result', () => {
  it('ends with process_time_ms and cached, which agrees with X-Cache', async t => {
    const service = await startService(t)
    const [miss, hit] = [
      await service.get('/api/v1/check?domain=example.com'),
      await service.get('/api/v1/check?domain=EXAMPLE.com.'),
    ]
    const bodies = [await miss.text(), await hit.text()]
    assert.deepEqual([miss.headers.get('x-cache'), hit.headers.get('x-cache')], ['MISS', 'HIT'])
    assert.match(bodies[0] ?? '', /,"process_time_ms":\d+,"cached":false\}$/)
    assert.match(bodies[1] ?? '', /,"process_time_ms":\d+,"cached":true\}$/)
    for (const body of bodies) {
      const { process_time_ms, cached, ...rest } = JSON.parse(body)
      assert.deepEqual(rest, result)
    }
    assert.equal(hit.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(hit.headers.get('x-ratelimit-remaining'), '9998')
    assert.equal(service.checked.length, 1)
  })

  it('and its log line have the time that its request took', async t => {
    let at = 0
    const service = await startService(t, {
      monotonic: () => at,
      checker: {
        check: async () => {
          at += 40
          return { result, class: 'complete' }
        },
      },
    })
    const times: unknown[] = []
    for (const _ of ['MISS', 'HIT']) {
      const body = await (await service.get('/api/v1/check?domain=example.com')).json()
      times.push((body as { process_time_ms: number }).process_time_ms)
    }
    const logged = service.lines().map(({ cache, duration_ms }) => [cache, duration_ms])
    assert.deepEqual(times, [40, 0])
    assert.deepEqual(logged, [
      ['MISS', 40],
      ['HIT', 0],
    ])
  })

  it('has the same headers without a body for HEAD, and is counted', async t => {
    const service = await startService(t, { monotonic: () => 0 })
    await service.get('/api/v1/check?domain=example.com')
    const [get, head] = [
      await service.get('/api/v1/check?domain=example.com'),
      await service.get('/api/v1/check?domain=example.com', { method: 'HEAD' }),
    ]
    assert.equal(await head.text(), '')
    assert.equal(head.headers.get('x-cache'), 'HIT')
    assert.equal(head.headers.get('x-ratelimit-remaining'), '9997')
    assert.equal(head.headers.get('content-length'), String((await get.arrayBuffer()).byteLength))
  })

  it('depends on an ip in addition to the domain, and on names like properties', async t => {
    const service = await startService(t)
    const queries = [
      'domain=example.com',
      'domain=example.com&ip=8.8.8.8',
      'ip=8.8.8.8',
      'domain=constructor.com',
      'domain=__proto__.com',
      'domain=tostring.com',
    ]
    for (const expected of ['MISS', 'HIT']) {
      for (const query of queries) {
        const response = await service.get(`/api/v1/check?${query}`)
        await response.text()
        assert.equal(response.headers.get('x-cache'), expected, query)
      }
    }
  })
})

describe('a request ID', () => {
  const given: readonly (readonly [id: string, kept: boolean])[] = [
    ['abc-DEF_123', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['a b', false],
    ['{"a":1}', false],
    ['', false],
  ]
  const suite = serviceOfSuite()
  for (const [id, kept] of given) {
    it(`${JSON.stringify(id.slice(0, 20))} of ${id.length} is ${kept ? 'kept' : 'replaced'}`, async () => {
      const response = await suite().get('/nothing', { headers: { 'x-request-id': id } })
      const answered = response.headers.get('x-request-id')
      assert.equal(answered === id, kept)
      assert.match(answered ?? '', /^[A-Za-z0-9_-]{1,64}$/)
      assert.equal(JSON.parse(await response.text()).request_id, answered)
    })
  }
})
