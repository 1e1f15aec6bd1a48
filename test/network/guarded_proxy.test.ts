import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import { type GuardedProxy, openGuardedProxy } from '../../src/network/guarded_proxy.ts'
import type { Limits } from '../../src/network/limits.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { farDeadline, PATIENT } from '../patience.ts'

const here = '93.184.216.34'
let dns: LabDns
let web: LabWeb

before(async () => {
  const zones = {
    'a.example': { A: [here] },
    'inside.example': { A: ['10.0.0.1'] },
    'loop.example': { A: ['127.0.0.1'] },
    'metadata.example': { A: ['169.254.169.254'] },
    'denied.example': { A: [here] },
    'alias.example': { CNAME: ['denied.example'] },
  }
  dns = await startLabDns({ zones })
  web = await startLabWeb([
    {
      host: 'a.example',
      addresses: [here],
      http: ({ url, headers, body }) => ({
        headers: [['X-Seen', String(headers['proxy-authorization'] ?? headers['x-own'] ?? '')]],
        body: url === '/large' ? Buffer.alloc(64 * 1024) : `at ${url} ${body}`,
      }),
    },
  ])
})
after(async () => {
  await Promise.all([dns.close(), web.close()])
})

/** Uses a proxy of one visit; afterwards nothing of it is open. */
async function withProxy<T>(
  limits: Partial<Limits>,
  use: (proxy: GuardedProxy) => Promise<T>,
  options: Partial<Parameters<typeof openGuardedProxy>[0]> = {},
): Promise<T> {
  const guard = createGuard({ own: () => [], deny: ['denied.example', '93.184.216.99'] })
  const service = createNetwork({ resolvers: [dns.address], guard, dial: web.dial, limits: { ...PATIENT, ...limits } })
  const visit = new AbortController()
  const network = service.open({ signal: visit.signal, deadline: farDeadline() })
  const proxy = await openGuardedProxy({ network, signal: visit.signal, ...options })
  try {
    return await use(proxy)
  } finally {
    await proxy.close()
    visit.abort()
    await service.close()
  }
}

interface Got {
  readonly status: number
  readonly seen: string
  readonly text: string
}

const get = (proxy: GuardedProxy, url: string, { body = '', headers = {} as Record<string, string> } = {}) =>
  new Promise<Got>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: proxy.port, path: url, method: body === '' ? 'GET' : 'POST', headers }
    const asked = request({ ...options, agent: false }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, seen: String(response.headers['x-seen'] ?? ''), text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })

/** The status of the answer to a CONNECT, and the tunnel. */
const tunnel = (proxy: GuardedProxy, authority: string) =>
  new Promise<{ readonly status: number; readonly socket: Socket }>((resolve, reject) => {
    const socket = connect(proxy.port, '127.0.0.1', () => socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`))
    socket.on('error', reject)
    socket.once('data', data => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1] ?? 0), socket }))
    socket.once('close', () => resolve({ status: 0, socket }))
  })

const refusals: readonly (readonly [url: string, why: string])[] = [
  ['http://127.0.0.1/', 'to_non_public'],
  ['http://[::1]/', 'to_non_public'],
  ['http://[::ffff:127.0.0.1]/', 'to_non_public'],
  ['http://0x7f000001/', 'to_non_public'],
  ['http://10.0.0.1/', 'to_non_public'],
  ['http://169.254.169.254/latest/meta-data/', 'to_non_public'],
  ['http://100.100.100.200/', 'to_non_public'],
  ['http://93.184.216.99/', 'to_denied'],
  ['http://inside.example/', 'not_public'],
  ['http://loop.example/', 'not_public'],
  ['http://metadata.example/', 'not_public'],
  ['http://denied.example/', 'to_denied'],
  ['http://alias.example/', 'denied'],
  ['http://localhost/', 'to_non_public'],
  ['http://printer.local/', 'to_non_public'],
  ['http://intranet/', 'to_non_public'],
  ['http://a.example:22/', 'to_port'],
  ['http://a.example:6379/', 'to_port'],
  ['http://none.example/', 'not_found'],
]

describe('the proxy of a browser', () => {
  it('forwards a request in plain text, and keeps what is for the proxy', async () => {
    await withProxy({}, async proxy => {
      const headers = { 'Proxy-Authorization': 'Basic x', 'X-Own': 'kept' }
      const got = await get(proxy, 'http://a.example/page?q=1', { body: 'posted', headers })
      assert.deepEqual(got, { status: 200, seen: 'kept', text: 'at /page?q=1 posted' })
      assert.equal(proxy.traffic.requests, 1)
      assert.equal(proxy.traffic.sent, 6)
      assert.ok(proxy.traffic.received > 19, 'the response is counted')
    })
  })

  it('opens a tunnel and passes octets both ways', async () => {
    await withProxy({}, async proxy => {
      const { status, socket } = await tunnel(proxy, 'a.example:80')
      assert.equal(status, 200)
      const answer = new Promise(resolve => socket.once('data', data => resolve(String(data).split('\r\n')[0])))
      socket.write('GET /inner HTTP/1.1\r\nHost: a.example\r\n\r\n')
      assert.equal(await answer, 'HTTP/1.1 200 OK')
      socket.destroy()
    })
  })

  for (const [url, why] of refusals) {
    it(`refuses ${url} and its tunnel without a connection`, async () => {
      await withProxy({}, async proxy => {
        const before = web.seen.connections.length
        assert.equal((await get(proxy, url)).status, 502)
        const { host, port } = new URL(url)
        assert.equal((await tunnel(proxy, port === '' ? `${host}:443` : host)).status, 502)
        assert.equal(web.seen.connections.length, before)
        assert.equal(proxy.refused.get(host), why)
      })
    })
  }

  for (const authority of [
    'a.example',
    'user@a.example:443',
    'a.example:443/x',
    '[::1:443',
    'a.example:99999',
    ':443',
  ]) {
    it(`refuses the malformed tunnel ${authority}`, async () => {
      await withProxy({}, async proxy => {
        const before = web.seen.connections.length
        assert.notEqual((await tunnel(proxy, authority)).status, 200)
        assert.equal(web.seen.connections.length, before)
      })
    })
  }

  it('dials a port of the checked URL, and no other', async () => {
    web.place(here, 8080, web.places.get(`${here} 80`) ?? 'refused')
    await withProxy({}, async proxy => assert.equal((await get(proxy, 'http://a.example:8080/')).status, 200), {
      port: 8080,
    })
    await withProxy({}, async proxy => assert.equal((await get(proxy, 'http://a.example:8080/')).status, 502))
  })

  it('pins what a name resolved to first, whatever it resolves to later', async () => {
    const rebinding = await startLabDns({ zones: { 'a.example': { A: [here] } } })
    const service = createNetwork({
      resolvers: [rebinding.address],
      guard: createGuard({ own: () => [] }),
      dial: web.dial,
      limits: PATIENT,
    })
    const visit = new AbortController()
    const network = service.open({ signal: visit.signal, deadline: farDeadline() })
    const proxy = await openGuardedProxy({ network, signal: visit.signal })
    assert.equal((await get(proxy, 'http://a.example/')).status, 200)
    const asked = rebinding.queries.length
    await rebinding.close()
    assert.equal((await get(proxy, 'http://a.example/')).status, 200)
    assert.equal(asked, 2)
    await proxy.close()
    visit.abort()
    await service.close()
  })

  it('uses known addresses without a query', async () => {
    const before = dns.queries.length
    await withProxy({}, async proxy => assert.equal((await get(proxy, 'http://pinned.example/')).status, 200), {
      knownHost: { host: 'pinned.example', addresses: [here] },
    })
    assert.equal(dns.queries.length, before)
  })

  const budgets: readonly (readonly [spent: string, limits: Partial<Limits>, urls: readonly string[], body: string])[] =
    [
      ['requests', { rendered_requests: 2 }, ['http://a.example/1', 'http://a.example/2', 'http://a.example/3'], ''],
      ['hosts', { rendered_hosts: 1 }, ['http://a.example/', 'http://none.example/'], ''],
      ['octets', { rendered_bytes: 8_192 }, ['http://a.example/large', 'http://a.example/'], ''],
      ['upload', { rendered_upload_bytes: 4 }, ['http://a.example/', 'http://a.example/'], 'posted'],
    ]
  for (const [spent, limits, urls, body] of budgets) {
    it(`lets nothing through once the budget of ${spent} is spent`, async () => {
      await withProxy(limits, async proxy => {
        const last = urls.at(-1) ?? ''
        for (const url of urls.slice(0, -1)) await get(proxy, url, { body }).catch(() => null)
        const status = await get(proxy, last, { body }).then(
          got => got.status,
          () => 0,
        )
        assert.notEqual(status, 200)
        assert.equal(proxy.traffic.spent, spent)
        const before = web.seen.connections.length
        assert.equal((await get(proxy, 'http://a.example/')).status, 502)
        assert.equal(web.seen.connections.length, before)
      })
    })
  }

  it('ends its tunnels when the visit ends', async () => {
    const visit = new AbortController()
    await withProxy(
      {},
      async proxy => {
        const { socket } = await tunnel(proxy, 'a.example:80')
        const closed = new Promise(resolve => socket.once('close', resolve))
        visit.abort()
        await closed
        await assert.rejects(get(proxy, 'http://a.example/'), { code: 'ECONNREFUSED' })
      },
      { signal: visit.signal },
    )
  })
})
