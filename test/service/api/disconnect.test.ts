// What happens to a check when its client disconnects.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { createMetrics } from '../../../src/service/api/metrics.ts'
import { dial, eventually, result, type Service, startService } from './service.ts'

/** An engine that answers on demand, or rejects when aborted. */
function slowChecker() {
  const running: { readonly signal: AbortSignal; answer(): void }[] = []
  const check = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<CheckResult>((resolve, reject) => {
      running.push({ signal, answer: () => resolve({ result, class: 'complete' }) })
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  return { running, checker: { check } }
}

const ask = async ({ port, key }: Service, domain: string) => {
  const socket = await dial(port)
  socket.write(`GET /api/v1/check?domain=${domain} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
  return socket
}

async function used({ store }: Service): Promise<number> {
  const [key] = await store.keys.list()
  return (await store.quota.usage(key?.account ?? '', { quota: 10_000, period: 'month' })).used
}

describe('a client that disconnects', () => {
  it('ends its check at once and pays for it', async t => {
    const { running, checker } = slowChecker()
    const metrics = createMetrics()
    const service = await startService(t, { checker, metrics: { of: metrics, read_here: false } })
    const socket = await ask(service, 'example.com')
    await eventually(() => running.length === 1)
    socket.destroy()
    await eventually(() => running[0]?.signal.aborted === true, 1_000)
    await eventually(() => service.lines().length === 1)
    const counted = (await metrics.text())
      .split('\n')
      .filter(line => /^assay_(requests|results)_total|^assay_\w+_seconds_count/.test(line))
    assert.deepEqual(counted, ['assay_requests_total{status="none",code=""} 1', 'assay_check_seconds_count 0'])
    assert.equal(await used(service), 1)
    const [line] = service.lines()
    assert.deepEqual([line?.['status'], line?.['code'], line?.['target']], [null, 'client-closed', 'example.com'])
  })

  it('does not end a check that others wait for', async t => {
    const { running, checker } = slowChecker()
    const service = await startService(t, { checker })
    const leader = await ask(service, 'example.com')
    await eventually(() => running.length === 1)
    const other = service.get('/api/v1/check?domain=example.com')
    await eventually(() => service.checked.length === 1)
    await new Promise(resolve => setTimeout(resolve, 50))
    leader.destroy()
    await eventually(() => service.lines().length === 1)
    assert.equal(running[0]?.signal.aborted, false)
    running[0]?.answer()
    assert.equal((await other).status, 200)
    assert.equal(running.length, 1)
    assert.equal(await used(service), 2)
  })

  it('does not affect the next check of the same target', async t => {
    const { running, checker } = slowChecker()
    const service = await startService(t, { checker })
    const socket = await ask(service, 'example.com')
    await eventually(() => running.length === 1)
    socket.destroy()
    await eventually(() => running[0]?.signal.aborted === true)
    const next = service.get('/api/v1/check?domain=example.com')
    await eventually(() => running.length === 2)
    running[1]?.answer()
    const response = await next
    assert.deepEqual([response.status, response.headers.get('x-cache')], [200, 'MISS'])
  })
})
