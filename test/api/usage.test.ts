// The usage of an account over HTTP.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { accountSchemas } from '../../src/api/openapi_account.ts'
import { startService } from './service.ts'

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
      ...{ plan: 'startup', period: 'month', limit: 5, used: 2, remaining: 3 },
      reset_at: '2026-12-01T00:00:00Z',
    })
    assert.ok(new Ajv2020().compile(accountSchemas.Usage)(body))
  }
})

it('the usage of an account needs a key', async t => {
  const service = await startService(t)
  assert.equal((await service.get('/api/v1/usage', { headers: {} })).status, 401)
})
