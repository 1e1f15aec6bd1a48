// Responses without a key.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from './service.ts'

const anonymous = { headers: {} }

describe('/healthz', () => {
  it('is 200 regardless of conditions', async t => {
    const service = await startService(t, { conditions: [{ name: 'store', fault: () => 'store-closed' }] })
    const response = await service.get('/healthz', anonymous)
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }])
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
})

describe('/readyz', () => {
  it('is 200 while every condition holds, and otherwise lists those that do not', async t => {
    let fault: string | null = null
    const conditions = [
      { name: 'serving', fault: () => fault },
      { name: 'store', fault: () => null },
    ]
    const service = await startService(t, { conditions })
    const ask = async () => {
      const response = await service.get('/readyz', anonymous)
      return [response.status, await response.json()]
    }
    assert.deepEqual(await ask(), [200, { status: 'ready' }])
    fault = 'draining'
    assert.deepEqual(await ask(), [503, { status: 'not_ready', faults: { serving: 'draining' } }])
  })

  it('answers HEAD, and no other methods', async t => {
    const service = await startService(t)
    const head = await service.get('/readyz', { method: 'HEAD', ...anonymous })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const post = await service.get('/readyz', { method: 'POST', ...anonymous })
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD'])
  })
})

describe('/openapi.json', () => {
  it('is the given document', async t => {
    const service = await startService(t)
    const response = await service.get('/openapi.json', anonymous)
    assert.equal(await response.text(), '{"openapi":"3.1.0"}')
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=300')
  })
})
