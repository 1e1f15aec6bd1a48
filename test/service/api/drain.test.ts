// How the service shuts down.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { dial, eventually, result, startService } from './service.ts'

/** An engine that answers on demand. */
function slowChecker() {
  const waiting: (() => void)[] = []
  const check = () =>
    new Promise<CheckResult>(resolve => waiting.push(() => resolve({ result, class: 'complete' as const })))
  return { waiting, checker: { check } }
}

/** No more than start while loop iterations are long, as they are while other tests load. */
const many = 8
/** Milliseconds for all of them to start, on a machine however busy. */
const patience_ms = 120_000
const head = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

describe('draining', () => {
  it('answers running requests, closes idle and silent connections, and accepts no others', async t => {
    const { waiting, checker } = slowChecker()
    const service = await startService(t, { checker, wait_ms: patience_ms })
    const [silent, idle] = [await dial(service.port), await dial(service.port)]
    idle.write(head)
    await once(idle, 'data')
    const inFlight = Array.from({ length: many }, (_, i) => service.get(`/api/v1/check?domain=d${i}.com`))
    await eventually(() => waiting.length === many)
    const closed = Promise.all([once(silent, 'close'), once(idle, 'close')])
    const drained = service.drain()
    await closed
    await assert.rejects(dial(service.port), { code: 'ECONNREFUSED' })
    for (const answer of waiting) answer()
    const answers = await Promise.all(inFlight)
    await Promise.all(answers.map(answer => answer.text()))
    await drained
    for (const { status, headers } of answers) assert.deepEqual([status, headers.get('connection')], [200, 'close'])
  })

  it('answers requests that arrive while the process is busy, also on connections that it has not accepted', async t => {
    const service = await startService(t, { limits: { silent_ms: patience_ms } })
    const kept = await dial(service.port)
    kept.write(head)
    await once(kept, 'data')
    const others = Array.from({ length: many }, () => connect(service.port, '127.0.0.1'))
    const sockets = [kept, ...others]
    for (const socket of sockets) socket.write(head)
    const drained = service.drain()
    const answers = await Promise.all(sockets.map(async socket => String(await once(socket, 'data'))))
    await drained
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n/is)
  })

  it('answers the first request of a new connection', async t => {
    const service = await startService(t, { limits: { silent_ms: patience_ms } })
    const fresh = await dial(service.port)
    const [drained] = [service.drain(), await pause(50)]
    fresh.write(head)
    const [answer] = await once(fresh, 'data')
    await drained
    assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n/is)
  })

  it('runs no request that follows the last one of a connection', async t => {
    const { waiting, checker } = slowChecker()
    const service = await startService(t, { checker, limits: { silent_ms: patience_ms } })
    const asked = (name: string) =>
      `GET /api/v1/check?domain=${name} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\n\r\n`
    const fresh = await dial(service.port)
    const drained = service.drain()
    let received = ''
    fresh.on('data', chunk => {
      received += chunk
    })
    fresh.write(asked('last.com') + asked('hidden.com'))
    await eventually(() => waiting.length > 0)
    // Both were read in one go, so that the second would be checked by now.
    for (let turns = 0; turns < 10; turns++) await turn()
    for (const answer of waiting) answer()
    await once(fresh, 'close')
    await drained
    assert.deepEqual([waiting.length, received.match(/HTTP\/1\.1 \d+/g)], [1, ['HTTP/1.1 200']])
  })

  it('cuts off requests that take too long', async t => {
    const { waiting, checker } = slowChecker()
    const service = await startService(t, { checker, limits: { drain_ms: 50 } })
    const cut = assert.rejects(service.get('/api/v1/check?domain=example.com'))
    await eventually(() => waiting.length === 1)
    await service.drain()
    await cut
  })

  it('does nothing the second time', async t => {
    const service = await startService(t)
    await Promise.all([service.drain(), service.drain()])
  })
})
