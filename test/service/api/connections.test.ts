// What a connection may send besides valid requests.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { serverLimits } from '../../../src/service/api/server.ts'
import { kept_ms } from '../../balancer.ts'
import { dial, eventually, exchange, result, type Service, serviceOfSuite, startService } from './service.ts'

const line = 'GET /api/v1/check?domain=a.com HTTP/1.1\r\n'
const target = (service: Service, more = '') => `${line}Host: x\r\nX-API-Key: ${service.key}\r\n${more}`
/** A request for another target. After a refused first request it must never run. */
const hidden = (service: Service) =>
  `GET /api/v1/check?domain=hidden.com HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\n\r\n`

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(match => Number(match[1]))

function assertProblem(received: string, status: number, code: string): void {
  assert.deepEqual(statuses(received), [status], received)
  const [head = '', body = ''] = received.split('\r\n\r\n')
  assert.match(head, /^content-type: application\/problem\+json/im)
  assert.match(head, /^connection: close$/im)
  assert.match(head, /^x-ratelimit-limit: 0$/im)
  assert.match(head, /^x-ratelimit-reset: \d+$/im)
  assert.match(head, /^x-request-id: [A-Za-z0-9_-]{1,64}$/im)
  assert.equal(JSON.parse(body).code, code)
}

describe('the server', () => {
  it('tells of each connection and each request when they arrive', async t => {
    const arrivals: string[] = []
    const service = await startService(t, { arrived: what => void arrivals.push(what) })
    const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
    const received = await exchange(service.port, `${health}\r\n${health}Connection: close\r\n\r\n`)
    assert.deepEqual(statuses(received), [200, 200])
    await exchange(service.port, '\x16\x03\x01\r\n\r\n')
    assert.deepEqual(arrivals, ['connection', 'request', 'request', 'connection'])
  })
})

describe('input other than HTTP', () => {
  const malformed: readonly (readonly [what: string, request: (service: Service) => string])[] = [
    ['garbage', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
    ['no host', () => `${line}\r\n`],
    ['two hosts', () => `${line}Host: x\r\nHost: y\r\n\r\n`],
    ['a space before a colon', s => target(s, 'X-A : b\r\n\r\n')],
    ['a folded header', s => target(s, 'X-A: b\r\n c\r\nX-B: c\r\n\r\n')],
    ['bare line feeds', s => target(s, 'X-A: b\nX-B: c\r\n\r\n')],
    ['a NUL in a header', s => target(s, 'X-A: b\0c\r\n\r\n')],
    [
      'Content-Length beside Transfer-Encoding',
      s => target(s, 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    ['two Content-Lengths', s => target(s, 'Content-Length: 0\r\nContent-Length: 5\r\n\r\n')],
    ['a negative Content-Length', s => target(s, 'Content-Length: -1\r\n\r\n')],
    ['an unknown transfer coding', s => target(s, 'Transfer-Encoding: xchunked\r\n\r\n')],
    ['an octet above 127 in the URI', s => target(s, '\r\n').replace('a.com', 'b\u00fc.de')],
    ['an unknown version', () => 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
  ]
  const suite = serviceOfSuite()
  for (const [what, request] of malformed) {
    it(`is refused and closed: ${what}`, async () => {
      const service = suite()
      const received = await exchange(service.port, request(service) + hidden(service))
      assertProblem(received, 400, 'invalid-request')
      assert.deepEqual(service.checked, [])
    })
  }

  it('is refused with 431 when the headers have more than 16 KiB', async t => {
    const service = await startService(t)
    for (const request of [target(service, `X-A: ${'a'.repeat(17_000)}\r\n\r\n`), `GET /${'a'.repeat(1_000_000)}`]) {
      assertProblem(await exchange(service.port, request), 431, 'headers-too-large')
    }
  })

  it('is refused with 405 for CONNECT', async t => {
    const service = await startService(t)
    const received = await exchange(service.port, 'CONNECT a.com:443 HTTP/1.1\r\nHost: a.com:443\r\n\r\n')
    assertProblem(received, 405, 'method-not-allowed')
    assert.match(received, /^allow: GET, HEAD$/im)
  })
})

describe('a request body', () => {
  const bodies: readonly (readonly [what: string, headers: string, body: string, status: number, code: string])[] = [
    ['in chunks', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n', 400, 'invalid-request'],
    [
      'in chunks with a long extension',
      'Transfer-Encoding: chunked',
      `5;${'a'.repeat(20_000)}\r\n`,
      400,
      'invalid-request',
    ],
    ['of more than 64 KiB', 'Content-Length: 10485760', 'a'.repeat(100_000), 413, 'content-too-large'],
  ]
  const suite = serviceOfSuite()
  for (const [what, headers, body, status, code] of bodies) {
    it(`${what} closes the connection, and nothing after it runs`, async () => {
      const service = suite()
      const received = await exchange(service.port, `${target(service, headers)}\r\n\r\n`, body + hidden(service))
      assert.deepEqual(statuses(received), [status])
      assert.match(received, new RegExp(`"code":"${code}"`))
      assert.match(received, /^connection: close$/im)
      assert.deepEqual(service.checked, [])
    })
  }

  it('that is small is skipped, and the connection stays open', async t => {
    const service = await startService(t)
    const first = `${target(service, 'Content-Length: 5')}\r\n\r\nhello`
    const received = await exchange(service.port, first, target(service, 'Connection: close\r\n\r\n'))
    assert.deepEqual(statuses(received), [200, 200])
  })

  it('is not requested by 100 Continue', async t => {
    const service = await startService(t)
    const expecting = target(service, 'Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n')
    assert.deepEqual(statuses(await exchange(service.port, expecting)), [413])
  })

  it('is handled as usual with an unknown Expect header', async t => {
    const service = await startService(t)
    const expecting = target(service, 'Expect: the-best\r\nConnection: close\r\n\r\n')
    const received = await exchange(service.port, expecting)
    assert.deepEqual(statuses(received), [200])
    assert.match(received, /^x-request-id: /im)
  })
})

describe('a request URI', () => {
  it('in absolute form is read as its path', async t => {
    const service = await startService(t)
    const request = `GET http://any.host/api/v1/check?domain=a.com HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\nConnection: close\r\n\r\n`
    assert.deepEqual(statuses(await exchange(service.port, request)), [200])
    assert.equal(service.checked[0]?.domain, 'a.com')
  })

  it('that is invalid is refused', async t => {
    const service = await startService(t)
    const closing = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    assert.deepEqual(statuses(await exchange(service.port, `GET http://a:b/ ${closing}`)), [400])
    assert.deepEqual(statuses(await exchange(service.port, `OPTIONS * ${closing}`)), [405])
  })

  it('with thousands of parameters is refused', async t => {
    const service = await startService(t)
    const closing = `HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\nConnection: close\r\n\r\n`
    const long = await exchange(service.port, `GET /api/v1/check?${'a&'.repeat(2_000)} ${closing}`)
    assert.deepEqual(statuses(long), [400])
    const longer = await exchange(service.port, `GET /api/v1/check?${'a&'.repeat(7_000)} ${closing}`)
    assert.deepEqual(statuses(longer), [414])
  })
})

describe('unusual headers', () => {
  const odd = [
    '__proto__: x',
    'Host: a@b',
    'Host: [::1',
    `Host: ${'h'.repeat(8_000)}`,
    `X-Forwarded-Proto: ${','.repeat(8_000)}`,
    'X-Forwarded-Host: evil.example\r\nX-Forwarded-For: 127.0.0.1',
    'Upgrade: websocket\r\nConnection: upgrade, close',
    'Accept-Encoding: gzip;q=x\r\nRange: bytes=0-1\r\nIf-None-Match: *',
  ]
  const suite = serviceOfSuite()
  for (const headers of odd) {
    it(`change nothing: ${headers.slice(0, 40)}`, async () => {
      const service = suite()
      const host = headers.startsWith('Host') ? '' : 'Host: x\r\n'
      const request = `${line}${host}X-API-Key: ${service.key}\r\n${headers}\r\nConnection: close\r\n\r\n`
      assert.deepEqual(statuses(await exchange(service.port, request)), [200])
    })
  }
})

describe('an upgrade', () => {
  it('is ignored and closes the connection, so that nothing after it runs as a request', async t => {
    const service = await startService(t)
    const asking = target(service, 'Connection: upgrade\r\nUpgrade: h2c\r\n\r\n')
    const received = await exchange(service.port, `${asking}GET /`, hidden(service))
    assert.deepEqual(statuses(received), [200])
    assert.match(received, /^connection: close$/im)
    assert.deepEqual(
      service.checked.map(({ domain }) => domain),
      ['a.com'],
    )
  })
})

describe('a slow client', () => {
  const limits = { headers_ms: 100, sweep_ms: 20 }

  it('is disconnected when its headers do not arrive in time', async t => {
    const service = await startService(t, { limits })
    const began = performance.now()
    const dripping = (async () => {
      const socket = await dial(service.port)
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 20)
      socket.write(line)
      let received = ''
      socket.on('data', chunk => {
        received += chunk
      })
      await once(socket, 'close')
      clearInterval(timer)
      return received
    })()
    assertProblem(await dripping, 408, 'request-timeout')
    assert.ok(performance.now() - began < serverLimits.headers_ms, 'by this limit, not by the default')
  })

  it('is disconnected when it sends nothing', async t => {
    const service = await startService(t, { limits })
    assertProblem(await exchange(service.port), 408, 'request-timeout')
  })

  it('is disconnected when it keeps an idle connection', async t => {
    const service = await startService(t, { limits: { keep_alive_ms: 50 } })
    const received = await exchange(service.port, target(service, '\r\n'))
    assert.deepEqual(statuses(received), [200])
  })

  it('is disconnected when it does not read its response', async t => {
    const large = { text: 'x'.repeat(8 * 1024 * 1024) }
    const service = await startService(t, {
      limits: { unread_ms: 100, sweep_ms: 20 },
      checker: { check: async () => ({ result: large, class: 'complete' }) },
    })
    const accepted: Socket[] = []
    const onAccept = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
    subscribe('net.server.socket', onAccept)
    t.after(() => unsubscribe('net.server.socket', onAccept))
    const socket = await dial(service.port)
    socket.pause()
    socket.write(target(service, '\r\n'))
    await eventually(() => accepted.some(one => one.remotePort === socket.localPort || one.destroyed))
    await eventually(() => accepted.every(one => one.destroyed))
    socket.resume()
    await once(socket, 'close')
    assert.ok(socket.bytesRead < large.text.length)
  })
})

describe('a stream', () => {
  it('is not cut while its reader takes every line, however long the next one takes', async t => {
    let answer: (result: CheckResult) => void = () => {}
    const promise = new Promise<CheckResult>(resolve => {
      answer = resolve
    })
    let swept = 0
    const service = await startService(t, {
      limits: { unread_ms: 0, sweep_ms: 10 },
      monotonic: () => {
        swept += 1
        return performance.now()
      },
      checker: { check: () => promise },
    })
    const body = JSON.stringify({ targets: ['a.com'] })
    const asked = service.get('/api/v1/checks', { method: 'POST', body })
    const response = await asked
    const before = swept
    await eventually(() => swept > before + 20)
    answer({ result, class: 'complete' })
    assert.match(await response.text(), /"input":"a\.com"/)
  })
})

describe('a kept-alive connection', () => {
  it('stays open longer than load balancers keep theirs, so that none sends on a closing connection', async t => {
    const service = await startService(t)
    const { headers } = await service.get('/healthz')
    const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? []
    assert.ok(Number(seconds) * 1_000 > kept_ms, `${seconds} s`)
  })
})

describe('too many connections', () => {
  it('are refused while all wait for responses, which are still sent', async t => {
    let answerAll: (result: CheckResult) => void = () => {}
    const promise = new Promise<CheckResult>(resolve => {
      answerAll = resolve
    })
    const service = await startService(t, { limits: { connections: 2 }, checker: { check: () => promise } })
    const clients = [await dial(service.port), await dial(service.port)]
    clients[0]?.write(target(service, '\r\n'))
    clients[1]?.write(hidden(service))
    await eventually(() => service.checked.length === 2)
    assert.equal(await exchange(service.port, target(service, '\r\n')), '')
    answerAll({ result, class: 'complete' })
    for (const client of clients) assert.match(String(await once(client, 'data')), /^HTTP\/1\.1 200 /)
  })

  it('close the one that was idle longest', async t => {
    const service = await startService(t, { limits: { connections: 3 } })
    const [first, second, third] = [await dial(service.port), await dial(service.port), await dial(service.port)]
    // The first connection is the oldest, but the last to send a request.
    first.write(target(service, '\r\n'))
    assert.match(String(await once(first, 'data')), /^HTTP\/1\.1 200 /)
    const gone = once(second, 'close')
    assert.match(await exchange(service.port, target(service, 'Connection: close\r\n\r\n')), /^HTTP\/1\.1 200 /)
    await gone
    assert.deepEqual([first.destroyed, third.destroyed], [false, false])
    third.write(target(service, 'Connection: close\r\n\r\n'))
    assert.match(String(await once(third, 'data')), /^HTTP\/1\.1 200 /)
  })

  it('that send nothing keep nobody out', async t => {
    const service = await startService(t, { limits: { connections: 20 } })
    const idle = await Promise.all(Array.from({ length: 200 }, () => dial(service.port)))
    const asked = Array.from({ length: 20 }, () => exchange(service.port, target(service, 'Connection: close\r\n\r\n')))
    for (const answer of await Promise.all(asked)) assert.match(answer, /^HTTP\/1\.1 200 /)
    for (const client of idle) client.destroy()
  })
})
