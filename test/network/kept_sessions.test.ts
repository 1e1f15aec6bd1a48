// Connections to services that many checks ask: how many are opened, when one is used again, and when it is not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants, createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../src/base/clock.ts'
import { createNetwork, type ServiceNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { FetchRequest } from '../../src/network/network.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { farDeadline, LONG_MS, PATIENT } from '../patience.ts'

const authority = createAuthority()
const stranger = createAuthority()
const address = '192.88.1.1'
const other = '192.88.1.2'
/** There a server speaks HTTP/2. */
const modern = '192.88.1.3'
const MINUTES = 60_000

describe('connections to a service', () => {
  let server: Server
  let http2: Http2SecureServer
  let dns: LabDns
  let network: ServiceNetwork
  let time = 0
  let records: string[] = []
  /** Holds every answer until it is called. */
  let answers: (() => void)[] | null = null
  let handshakes: boolean[] = []
  let dialled: string[] = []
  let served: Socket[] = []
  /** Called for a request that is never answered, when the client has read what was sent before. */
  let silence = () => {}
  const clock: Clock = { now: () => Date.now(), monotonic: () => time }

  before(async () => {
    const tls = authority.issue({ names: ['a.example', 'b.example'] })
    const untrusted = stranger.issue({ names: ['untrusted.example'] })
    server = createServer(tls, (request, response) => {
      const answer = () => {
        if (request.url === '/close') response.setHeader('connection', 'close')
        if (request.url === '/long') response.write('x'.repeat(5_000))
        response.end(`${request.headers.host}${request.url}`)
      }
      if (answers) answers.push(answer)
      else answer()
    })
    server.addContext('untrusted.example', untrusted)
    server.on('secureConnection', (socket: TLSSocket) => {
      handshakes.push(socket.isSessionReused())
      served.push(socket)
    })
    http2 = createSecureServer({ ...authority.issue({ names: ['modern.example'] }), allowHTTP1: true })
    http2.on('request', ({ url, httpVersion, stream, headers }, response) => {
      if (url === '/silent') return void stream.session?.ping(() => silence())
      if (url === '/agent') return void response.end(`${headers['user-agent']} ${headers.accept}`)
      if (url === '/http1' && httpVersion === '2.0') return void stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED)
      response.end(`${httpVersion} ${url}`)
    })
    http2.on('secureConnection', (socket: TLSSocket) => handshakes.push(socket.isSessionReused()))
    for (const one of [server, http2]) await once(one.listen(0, '127.0.0.1'), 'listening')
    dns = await startLabDns({
      zones: {
        'a.example': {},
        'b.example': { A: [address] },
        'untrusted.example': { A: [address] },
        'modern.example': { A: [modern] },
      },
      fault: ({ name }) => (name === 'a.example' ? { records: { A: records } } : undefined),
    })
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    http2.close()
    await dns.close()
  })
  beforeEach(() => {
    time = 0
    records = [address]
    answers = null
    handshakes = []
    dialled = []
    served = []
    network = createNetwork({
      resolvers: [dns.address],
      guard: createGuard({ own: () => [] }),
      fetch: createFetch({ extra_roots: authority.certificate }),
      limits: PATIENT,
      clock,
      dial: address => {
        dialled.push(address)
        const dialledServer = address === modern ? http2 : server
        return connect((dialledServer.address() as AddressInfo).port, '127.0.0.1')
      },
    })
  })
  afterEach(() => network.close())

  /** Of a check of its own. */
  async function get(url: string, more: Partial<FetchRequest> = {}): Promise<string> {
    const check = new AbortController()
    const opened = network.open({ signal: check.signal, deadline: farDeadline() })
    const request = { url, signal: check.signal, max_bytes: 1_000, timeout_ms: LONG_MS, redirects: 0 }
    const result = await opened.fetch({ ...request, service: true, verify_certificate: true, ...more })
    check.abort()
    return result.ok ? String(result.body) : result.failure
  }

  it('are kept for the next check, which asks no name server and does no handshake', async () => {
    const before = dns.queries.length
    assert.deepEqual(
      [await get('https://a.example/1'), await get('https://a.example/2'), await get('https://a.example/3')],
      ['a.example/1', 'a.example/2', 'a.example/3'],
    )
    assert.deepEqual([dialled, handshakes], [[address], [false]])
    assert.deepEqual(
      dns.queries
        .slice(before)
        .map(({ type }) => type)
        .sort(),
      ['A', 'AAAA'],
    )
  })

  it('are not lent to a request that wants a verified certificate when nobody has verified it', async () => {
    assert.equal(await get('https://untrusted.example/', { verify_certificate: false }), 'untrusted.example/')
    assert.equal(await get('https://untrusted.example/'), 'certificate')
  })

  it('send the header fields of a request, in whatever case they are written', async () => {
    const headers = { 'User-Agent': 'mine', Accept: 'text/plain' }
    assert.equal(await get('https://modern.example/agent', { headers }), 'mine text/plain')
  })

  it('give no answer when the protocol forbids a header field of a request', async () => {
    assert.equal(await get('https://modern.example/', { headers: { connection: 'close' } }), 'protocol_error')
    assert.equal(await get('https://modern.example/2'), '2.0 /2')
  })

  it('are not kept for other requests', async () => {
    await get('https://a.example/1', { service: false })
    await get('https://a.example/2', { service: false })
    assert.deepEqual(handshakes, [false, false])
  })

  it('belong to one origin, also where two have the same address', async () => {
    assert.equal(await get('https://a.example/'), 'a.example/')
    assert.equal(await get('https://b.example/'), 'b.example/')
    assert.deepEqual(dialled, [address, address])
  })

  it('carry one request at a time, and are all kept', async () => {
    answers = []
    const both = [get('https://a.example/1'), get('https://a.example/2')]
    while (answers.length < 2) await new Promise(resolve => setImmediate(resolve))
    for (const answer of answers) answer()
    answers = null
    assert.deepEqual(await Promise.all(both), ['a.example/1', 'a.example/2'])
    await Promise.all([get('https://a.example/3'), get('https://a.example/4')])
    assert.equal(handshakes.length, 2)
  })

  it('are opened anew, with a resumed TLS session, when the server closes them after its answer', async () => {
    assert.equal(await get('https://a.example/close'), 'a.example/close')
    assert.equal(await get('https://a.example/'), 'a.example/')
    assert.deepEqual(handshakes, [false, true])
  })

  it('that the server has closed meanwhile cost one more attempt, not the answer', async () => {
    await get('https://a.example/1')
    for (const socket of served) socket.destroy()
    assert.equal(await get('https://a.example/2'), 'a.example/2')
    assert.equal(handshakes.length, 2)
  })

  it('are not used again once a body was cut on them', async () => {
    await get('https://a.example/long')
    await get('https://a.example/2')
    assert.equal(handshakes.length, 2)
  })

  it('whose certificate does not verify are neither used nor kept', async () => {
    assert.equal(await get('https://untrusted.example/'), 'certificate')
    assert.equal(await get('https://untrusted.example/'), 'certificate')
    assert.deepEqual([dialled, served.filter(socket => !socket.destroyed)], [[address, address], []])
  })

  it('are given up after five minutes, so that a changed address is vetted again', async () => {
    await get('https://a.example/1')
    records = [other]
    time = 5 * MINUTES - 1
    await get('https://a.example/2')
    assert.deepEqual(dialled, [address])
    time = 5 * MINUTES
    await get('https://a.example/3')
    assert.deepEqual(dialled, [address, other])
    records = ['127.0.0.1']
    time = 10 * MINUTES
    assert.equal(await get('https://a.example/4'), 'not_public')
    assert.deepEqual(dialled, [address, other])
  })

  it('end with the check that opens them if it ends first, and leave nothing to others', async () => {
    answers = []
    const check = new AbortController()
    const opened = network.open({ signal: check.signal, deadline: farDeadline() })
    const url = 'https://a.example/1'
    const asked = opened.fetch({
      url,
      signal: check.signal,
      max_bytes: 1_000,
      timeout_ms: LONG_MS,
      redirects: 0,
      service: true,
    })
    while (answers.length < 1) await new Promise(resolve => setImmediate(resolve))
    check.abort()
    assert.deepEqual(await asked, { ok: false, exchanges: [], failure: 'cancelled' })
    answers = null
    assert.equal(await get('https://a.example/2'), 'a.example/2')
    assert.equal(handshakes.length, 2)
  })

  it('carry one request after the other over HTTP/2', async () => {
    assert.deepEqual(
      [await get('https://modern.example/1'), await get('https://modern.example/2')],
      ['2.0 /1', '2.0 /2'],
    )
    assert.deepEqual(handshakes, [false])
  })

  it('are not used again once an answer did not come over HTTP/2', async t => {
    const silent = new Promise<void>(resolve => {
      silence = resolve
    })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const answer = get('https://modern.example/silent')
    await silent
    t.mock.timers.tick(LONG_MS)
    t.mock.timers.reset()
    assert.equal(await answer, 'timeout')
    assert.equal(await get('https://modern.example/2'), '2.0 /2')
    assert.deepEqual(handshakes, [false, true])
  })

  it('speak HTTP/1.1 when a server refuses a request over HTTP/2', async () => {
    assert.equal(await get('https://modern.example/http1'), '1.1 /http1')
    assert.equal(await get('https://modern.example/2'), '1.1 /2')
    assert.deepEqual(handshakes, [false, true])
  })

  it('are closed with the network', async () => {
    await get('https://a.example/1')
    const [socket] = served
    assert.ok(socket)
    const closed = once(socket, 'close')
    await network.close()
    await closed
  })
})
