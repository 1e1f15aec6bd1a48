// The usage of an account over HTTP.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { SCHEMAS } from '../../../src/service/api/operations.ts'
import { serviceOfSuite, startService } from './service.ts'

it('the usage of an account says what its keys used together, and costs nothing', async t => {
  const now = Date.parse('2026-11-25T12:00:00Z')
  const plans = { startup: { quota: 5, period: 'month' } } as const
  const service = await startService(t, { plans, now: () => now })
  const [first] = await service.store.keys.list()
  assert.ok(first)
  const { text } = await service.store.keys.create({ account: first.account, label: 'another key' })
  await service.get('/api/v1/check?domain=a.com')
  await service.get('/api/v1/check?domain=a.com', { headers: { 'X-API-Key': text } })
  for (let n = 0; n < 2; n++) {
    const response = await service.get('/api/v1/usage')
    const body = (await response.json()) as Record<string, unknown>
    const { account, key, ...usage } = body
    assert.deepEqual([response.status, account, key], [200, first.account, first.id])
    assert.deepEqual(usage, {
      plan: 'startup',
      period: 'month',
      limit: 5,
      used: 2,
      remaining: 3,
      reset_at: '2026-12-01T00:00:00Z',
    })
    assert.ok(new Ajv2020().compile(SCHEMAS.Usage)(body))
  }
})

it('the usage of an account needs a key', async t => {
  const service = await startService(t)
  assert.equal((await service.get('/api/v1/usage', { headers: {} })).status, 401)
})

it('the usage by day lists the days of the span on which the account was answered, with their total', async t => {
  let now = Date.parse('2026-11-25T12:00:00Z')
  const service = await startService(t, { now: () => now })
  const [key] = await service.store.keys.list()
  const asked = async (query: string) => {
    const response = await service.get(`/api/v1/usage?${query}`)
    const body = (await response.json()) as { used: number; by_day: unknown }
    assert.ok(new Ajv2020().compile(SCHEMAS.Usage)(body), 'as described')
    return [response.status, body.used, body.by_day]
  }
  await service.get('/api/v1/check?domain=a.com')
  await service.get('/api/v1/check?domain=a.com')
  const none = { from: '2026-10-26', to: '2026-11-25', total: 2, days: [{ day: '2026-11-25', answers: 2 }] }
  assert.deepEqual(await asked('by=day'), [200, 2, none])
  now = Date.parse('2026-12-01T00:00:00Z')
  await service.get('/api/v1/check?domain=b.com')
  const both = [...none.days, { day: '2026-12-01', answers: 1 }]
  assert.deepEqual(await asked('by=day'), [200, 1, { from: '2026-11-01', to: '2026-12-01', total: 3, days: both }])
  assert.deepEqual(await asked('by=day&from=2026-11-26&to=2026-11-30'), [
    200,
    1,
    { from: '2026-11-26', to: '2026-11-30', total: 0, days: [] },
  ])
  const other = await service.store.keys.create({ plan: key?.plan ?? '', label: 'another account' })
  const response = await service.get('/api/v1/usage?by=day', { headers: { 'X-API-Key': other.text } })
  const { by_day } = (await response.json()) as { by_day: { total: number } }
  assert.equal(by_day.total, 0)
})

const suite = serviceOfSuite({ now: () => Date.parse('2026-11-25T12:00:00Z') })
for (const [query, detail] of [
  ['by=hour', 'The parameter by is not day.'],
  ['from=2026-11-01', 'Set the parameter by=day: from and to need it.'],
  ['by=day&from=2026-02-30', 'The parameter from is not a day such as 2026-11-25.'],
  ['by=day&to=yesterday', 'The parameter to must look like 2026-11-25.'],
  ['by=day&from=2026-11-02&to=2026-11-01', 'The parameter from is later than to.'],
  ['by=day&by=day', 'The parameter by is repeated.'],
] as const) {
  it(`the usage with ${query} is refused`, async () => {
    const response = await suite().get(`/api/v1/usage?${query}`)
    const body = (await response.json()) as Record<string, unknown>
    assert.deepEqual([response.status, body['code'], body['detail']], [400, 'invalid-parameter', detail])
  })
}

it('the usage by day is unavailable while the store cannot read it, and the key is not blamed', async t => {
  const service = await startService(t)
  Object.assign(service.store.keys, { usageByDay: () => Promise.reject(new Error('the store is down')) })
  const response = await service.get('/api/v1/usage?by=day')
  const { code, detail } = (await response.json()) as Record<string, unknown>
  assert.deepEqual(
    [response.status, code, detail, response.headers.get('retry-after')],
    [503, 'store-unavailable', 'Usage by day cannot be read at present. Retry later.', '5'],
  )
})
