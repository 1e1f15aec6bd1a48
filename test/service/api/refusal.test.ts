// What a refusal must not disclose: which keys exist, what listens inside.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateKey } from '../../../src/store/api_key.ts'
import { StoreError } from '../../../src/store/store.ts'
import { exchange, startService } from './service.ts'

describe('a key', () => {
  it('in two headers is malformed', async t => {
    const { port, key } = await startService(t)
    const header = `X-API-Key: ${key}\r\n`
    const request = `GET /api/v1/check?domain=a.com HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}${header}\r\n`
    assert.match(await exchange(port, request), /^HTTP\/1\.1 403 .*"code":"invalid-api-key"/s)
  })

  it('that is malformed is refused without asking the store', async t => {
    const service = await startService(t, {
      store: store => ({
        ...store,
        keys: { ...store.keys, find: () => Promise.reject(new StoreError('key_store_error', 'down')) },
      }),
    })
    for (const key of ['x', `${service.key}x`, service.key.slice(1), service.key.toUpperCase(), 'k'.repeat(8_000)]) {
      const response = await service.get('/api/v1/check?domain=a.com', { headers: { 'x-api-key': key } })
      assert.equal(response.status, 403)
    }
  })

  it('gets the same refusal when unknown, malformed, revoked or expired', async t => {
    let now = Date.now()
    const service = await startService(t, { now: () => now })
    const { store } = service
    const revoked = await store.keys.create({ plan: 'startup', label: 'r' })
    const expired = await store.keys.create({ plan: 'startup', label: 'e', expires: new Date(now + 1_000) })
    await store.keys.revoke(revoked.key.id)
    now += 2_000
    const bodies = []
    for (const key of ['assay_x', generateKey('assay'), revoked.text, expired.text]) {
      const response = await service.get('/api/v1/check?domain=a.com', {
        headers: { 'x-api-key': key, 'x-request-id': 'r' },
      })
      bodies.push([response.status, await response.text()])
    }
    assert.equal(new Set(bodies.map(body => JSON.stringify(body))).size, 1)
    assert.equal(bodies[0]?.[0], 403)
  })
})

describe('a private IP address', () => {
  it('gets the same refusal for every reason of the guard', async t => {
    const service = await startService(t, { vetting: { refuse: ip => `reason ${ip}` } })
    const bodies = new Set<string>()
    for (const ip of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1']) {
      const response = await service.get(`/api/v1/check?ip=${ip}`, {
        headers: { 'x-api-key': service.key, 'x-request-id': 'r' },
      })
      bodies.add(await response.text())
    }
    assert.equal(bodies.size, 1)
    assert.equal(service.checked.length, 0)
  })
})
