// What the log says about a request, and what it never says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Checker } from '../../../src/service/api/answers.ts'
import type { AddressDetail } from '../../../src/service/api/client_address.ts'
import { describeError } from '../../../src/service/api/log.ts'
import { displayKey, generateKey } from '../../../src/store/api_key.ts'
import { dial, exchange, result, startService } from './service.ts'

describe('the log', () => {
  it('has one line per request', async t => {
    const service = await startService(t)
    const headers = { 'x-api-key': service.key, 'x-request-id': 'one' }
    for (const path of ['domain=Example.com', 'domain=example.com&ip=8.8.8.8', 'domain=com']) {
      await (await service.get(`/api/v1/check?${path}`, { headers })).arrayBuffer()
    }
    const [key] = await service.store.keys.list()
    const common = { level: 'info', request_id: 'one', method: 'GET', path: '/api/v1/check', key: key?.id }
    const lines = service.lines().map(({ time, duration_ms, ...line }) => {
      assert.ok(Math.abs(Number(time) - Date.now()) < 60_000)
      assert.ok(Number(duration_ms) >= 0)
      return line
    })
    assert.deepEqual(lines, [
      { ...common, status: 200, cache: 'MISS', target: 'example.com' },
      { ...common, status: 200, cache: 'MISS', target: 'example.com 8.8.8.8' },
      { ...common, status: 422, code: 'target-not-checkable' },
    ])
  })

  it('says what a check of a second or more waited for', async t => {
    let now = 0
    const checker: Checker = {
      async check({ domain }, { waited }) {
        waited?.('registry', 0.4)
        waited?.('cpu', 90.2)
        waited?.('cpu', 5)
        now += domain === 'slow.com' ? 1_000 : 999
        return { result, class: 'complete' }
      },
    }
    const service = await startService(t, { checker, monotonic: () => now })
    for (const domain of ['fast.com', 'slow.com', 'slow.com'])
      await (await service.get(`/api/v1/check?domain=${domain}`)).arrayBuffer()
    assert.deepEqual(
      service.lines().map(({ target, cache, waited_ms }) => [target, cache, waited_ms]),
      [
        ['fast.com', 'MISS', undefined],
        ['slow.com', 'MISS', { cpu: 95 }],
        ['slow.com', 'HIT', undefined],
      ],
    )
  })

  it('has one line per failed attempt at a request', async t => {
    const service = await startService(t)
    await exchange(service.port, 'garbage\r\n\r\n')
    const [line, ...rest] = service.lines()
    assert.deepEqual(rest, [])
    assert.deepEqual([line?.['status'], line?.['code']], [400, 'invalid-request'])
  })

  const shown: readonly (readonly [
    mode: AddressDetail,
    trusted: readonly string[],
    forwarded: string,
    client: unknown,
  ])[] = [
    ['prefix', [], '203.0.113.77', '127.0.0.0/24'],
    ['prefix', ['127.0.0.1'], '203.0.113.77', '203.0.113.0/24'],
    ['prefix', ['127.0.0.1'], '198.51.100.9, 2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['prefix', ['127.0.0.1'], '::ffff:203.0.113.77', '203.0.113.0/24'],
    ['prefix', ['127.0.0.1'], 'unknown', '127.0.0.0/24'],
    ['full', ['127.0.0.1'], '203.0.113.77', '203.0.113.77'],
    ['full', ['127.0.0.1'], '2001:DB8:1:2:0:0:0:6', '2001:db8:1:2::6'],
    ['none', ['127.0.0.1'], '203.0.113.77', undefined],
  ]
  for (const [mode, trusted, forwarded, client] of shown) {
    const from = trusted.length > 0 ? 'trusted' : 'untrusted'
    it(`has ${client ?? 'no address'} for ${forwarded} behind a ${from} proxy, in mode ${mode}`, async t => {
      const service = await startService(t, { trusted, client_address: mode })
      const headers = { 'x-api-key': service.key, 'x-forwarded-for': forwarded }
      await (await service.get('/api/v1/check?domain=a.com', { headers })).arrayBuffer()
      await (await service.get('/nothing', { headers })).arrayBuffer()
      await exchange(service.port, `CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${forwarded}\r\n\r\n`)
      await exchange(service.port, 'garbage\r\n\r\n')
      const near = mode === 'none' ? undefined : mode === 'full' ? '127.0.0.1' : '127.0.0.0/24'
      assert.deepEqual(
        service.lines().map(({ status, client }) => [status, client]),
        [
          [200, client],
          [404, client],
          [405, client],
          [400, near],
        ],
      )
    })
  }

  it('has the address of a client that disconnected before its response', async t => {
    let begun = () => {}
    const began = new Promise<void>(resolve => (begun = resolve))
    const check = async () => {
      begun()
      return new Promise<never>(() => {})
    }
    const service = await startService(t, { checker: { check }, client_address: 'full' })
    const socket = await dial(service.port)
    socket.write(`GET /api/v1/check?domain=a.com HTTP/1.1\r\nHost: a\r\nX-API-Key: ${service.key}\r\n\r\n`)
    await began
    socket.destroy()
    while (service.lines().length === 0) await pause(5)
    const [line] = service.lines()
    assert.deepEqual([line?.['status'], line?.['code'], line?.['client']], [null, 'client-closed', '127.0.0.1'])
  })

  it('contains no key, wherever it was sent, and no query', async t => {
    const service = await startService(t)
    const canary = generateKey('assay')
    const places: readonly (readonly [path: string, headers: Record<string, string>])[] = [
      ['/api/v1/check?domain=a.com', { 'x-api-key': canary }],
      [`/api/v1/check?domain=a.com&key=${canary}`, { 'x-api-key': service.key }],
      [`/api/v1/check?domain=${canary}`, { 'x-api-key': service.key }],
      ['/api/v1/check?domain=a.com', { authorization: `Bearer ${canary}`, cookie: `k=${canary}` }],
      ['/api/v1/check?domain=a.com', { 'x-request-id': `${canary}${canary}` }],
      [`/nothing?${canary}`, {}],
      ...['_', '%5f', '%5F'].map(mark => [`/a/${canary.replace('_', mark)}/b`, {}] as const),
    ]
    for (const [path, headers] of places) await (await service.get(path, { headers })).arrayBuffer()
    const text = JSON.stringify(service.lines())
    assert.equal(service.lines().length, places.length)
    for (const key of [canary, service.key]) assert.ok(!text.includes(key.slice(displayKey(key).length)))
  })

  it('cuts a long path', async t => {
    const service = await startService(t)
    await (await service.get(`/${'a'.repeat(3_000)}`)).arrayBuffer()
    assert.equal(String(service.lines()[0]?.['path']).length, 256)
  })

  it('has an unexpected error in the request’s line, which the client does not see', async t => {
    const error = Object.assign(new TypeError('connect ECONNREFUSED 10.1.2.3:6379 in /srv/secret.js'), { code: 'X' })
    const service = await startService(t, { checker: { check: () => Promise.reject(error) } })
    const response = await service.get('/api/v1/check?domain=a.com', {
      headers: { 'x-api-key': service.key, 'x-request-id': 'r' },
    })
    assert.equal(JSON.parse(await response.text()).detail, 'Internal error. Include the request ID when you report it.')
    assert.equal(service.lines().length, 1)
    const { level, request_id, status, code, error: told } = service.lines()[0] ?? {}
    assert.deepEqual([level, request_id, status, code], ['error', 'r', 500, 'internal-error'])
    assert.deepEqual(told, { name: 'TypeError', code: 'X', message: 'connect ECONNREFUSED … in …' })
  })
})

/** Octets of a line without its end. */
const LINE_OCTETS = 1_024
const FLOOD = 1_000
/** Pipelined requests. */
const AHEAD = 100

describe('many failures', () => {
  it('have one line per request of at most a KiB', { timeout: 300_000 }, async t => {
    const [name, words] = ['\u001b"\\é'.repeat(100), '\u0000"\\世'.repeat(500)]
    const failure = Object.assign(new Error(words), { name, code: words })
    const service = await startService(t, {
      checker: { check: () => Promise.reject(failure) },
      trusted: ['127.0.0.1'],
      client_address: 'full',
    })
    const target = `domain=${'a.'.repeat(125)}com&ip=2a00:1450:4001:82b:aaaa:bbbb:cccc:200e`
    const id = 'i'.repeat(64)
    const client = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff'
    const request = `GET /api/v1/check?${target} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${service.key}\r\nX-Request-Id: ${id}\r\nX-Forwarded-For: ${client}\r\n\r\n`
    const socket = await dial(service.port)
    let [answers, rest] = [0, '']
    socket.setEncoding('latin1').on('data', (text: string) => {
      const parts = (rest + text).split('HTTP/1.1 500')
      answers += parts.length - 1
      rest = (parts.at(-1) ?? '').slice(-'HTTP/1.1 500'.length)
    })
    for (let sent = AHEAD; sent <= FLOOD; sent += AHEAD) {
      socket.write(request.repeat(AHEAD))
      while (answers < sent) await once(socket, 'data')
    }
    socket.destroy()
    const lines = service.lines()
    const { level, request_id, client: shown } = lines[0] ?? {}
    assert.deepEqual([lines.length, level, request_id, shown], [FLOOD, 'error', id, client])
    const longest = Math.max(...lines.map(line => Buffer.byteLength(JSON.stringify(line))))
    assert.ok(longest <= LINE_OCTETS, `${longest} octets`)
  })

  it('have no longer lines for paths of quotes or invalid octets', async t => {
    const service = await startService(t)
    for (const path of ['"'.repeat(3_000), '\\'.repeat(3_000), '\xff'.repeat(3_000)]) {
      await exchange(
        service.port,
        Buffer.from(`GET /${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1'),
      )
    }
    const lengths = service.lines().map(line => Buffer.byteLength(JSON.stringify(line)))
    assert.equal(lengths.length, 3)
    assert.ok(Math.max(...lengths) <= LINE_OCTETS, String(lengths))
  })
})

describe('a described error', () => {
  it('has no path, address or stack, and is short', () => {
    assert.deepEqual(describeError(new RangeError('no such file C:\\x\\y, at [::1]:80')), {
      name: 'RangeError',
      message: 'no such file … at …',
    })
    assert.equal(describeError(new Error('x'.repeat(1_000))).message?.length, 256)
    assert.deepEqual(describeError('thrown text'), { name: 'string' })
  })
})
