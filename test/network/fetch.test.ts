import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch, redirectOf, requestHeaders } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import type { FetchRequest } from '../../src/network/network.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, type LabFault, startLabDns } from '../../src/testing/lab_dns.ts'
import { data, goaway, head, rstStream, settings } from '../../src/testing/lab_http2.ts'
import { close, flood, play, request, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabHandler, type LabSite, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { farDeadline, LONG_MS, PATIENT } from '../patience.ts'

const here = '93.184.216.34'
const there = '2606:2800:220:1::1'
const authority = createAuthority()
const stranger = createAuthority()

/** Redirects as its path says: `/?to=...`, `/cycle/n/of`, `/chain/n`. */
const wanderer: LabHandler = ({ url }) => {
  const { pathname, searchParams } = new URL(url, 'http://x')
  const [, kind, at = '0', of = '1'] = pathname.split('/')
  const to = searchParams.get('to')
  if (to !== null) return redirect(to)
  if (kind === 'cycle') return redirect(`/cycle/${(Number(at) + 1) % Number(of)}/${of}`)
  if (kind === 'chain' && at !== '0') return redirect(`/chain/${Number(at) - 1}`)
  return { headers: [['Content-Encoding', 'gzip']], body: gzipSync(`here at ${url}`) }
}
const redirect = (to: string) => ({ status: 302, headers: [['Location', to] as const] })

const sites: LabSite[] = [
  {
    host: 'a.example',
    addresses: [here],
    http: wanderer,
    https: wanderer,
    credentials: authority.issue({ names: ['a.example'] }),
  },
  {
    host: 'mirror.internal',
    addresses: [here],
    http: wanderer,
  },
  {
    host: 'b.example',
    addresses: [there],
    https: () => ({ body: 'there' }),
    credentials: authority.issue({ names: ['b.example'] }),
  },
  {
    host: 'stranger.example',
    addresses: ['192.88.1.1'],
    https: () => ({}),
    credentials: stranger.issue({ names: ['stranger.example'] }),
  },
  {
    host: 'other.example',
    addresses: ['192.88.1.2'],
    https: () => ({}),
    credentials: authority.issue({ names: ['a.example'] }),
  },
  {
    host: 'common.example',
    addresses: ['192.88.1.3'],
    https: () => ({}),
    credentials: authority.issue({ subject: [['CN', 'common.example']] }),
  },
  {
    host: 'modern.example',
    addresses: ['192.88.1.4'],
    https: wanderer,
    credentials: authority.issue({ names: ['modern.example'] }),
    protocols: ['h2'],
  },
]

const faults: Readonly<Record<string, LabFault>> = {
  'broken.example': { rcode: 'SERVFAIL' },
  'silent.example': { silent: true },
}

/** What the operator of this installation denies. */
const deny = ['kept.example', '192.88.1.77/32', '2606:4700:77::/48']

describe('the safe fetch', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb(sites)
    dns = await startLabDns({
      zones: {
        'a.example': { A: [here] },
        'b.example': { AAAA: [there], A: ['127.0.0.1'] },
        'stranger.example': { A: ['192.88.1.1'] },
        'other.example': { A: ['192.88.1.2'] },
        'common.example': { A: ['192.88.1.3'] },
        'modern.example': { A: ['192.88.1.4'] },
        'inside.example': { A: ['10.0.0.1'], AAAA: ['::1'] },
        'alias.example': { CNAME: ['inside.example'] },
        'empty.example': { TXT: ['x'] },
        'broken.example': { A: [here] },
        'refused.example': { A: ['192.88.1.9'] },
        'kept.example': { A: [here] },
        'deep.kept.example': { A: [here] },
        'to-kept.example': { CNAME: ['deep.kept.example'] },
        'range.example': { A: ['192.88.1.77'], AAAA: ['2606:4700:77::1'] },
        'partly.example': { A: ['192.88.1.77', here] },
      },
      fault: ({ name }) => faults[name],
    })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })
  beforeEach(() => {
    web.seen.connections.length = 0
    web.seen.requests.length = 0
  })

  const fetch = createFetch({ extra_roots: authority.certificate, user_agent: 'lab' })
  const network = (bounds: Partial<Limits> = {}) =>
    createNetwork({
      resolvers: [dns.address],
      guard: createGuard({ own: () => [], deny }),
      dial: web.dial,
      fetch,
      limits: { ...PATIENT, ...bounds },
    })

  async function get(url: string, more: Partial<FetchRequest> = {}) {
    const check = new AbortController()
    const opened = network().open({ signal: check.signal, deadline: farDeadline() })
    const result = await opened.fetch({
      url,
      signal: check.signal,
      max_bytes: 1_000,
      timeout_ms: LONG_MS,
      redirects: 5,
      ...more,
    })
    check.abort()
    return {
      ...result,
      told: result.ok ? String(result.body) : result.failure,
      hops: result.exchanges.map(exchange => `${exchange.status} ${exchange.url}`),
    }
  }

  const SECURE = { https_only: true }
  const table: [title: string, url: string, told: string, more?: Partial<FetchRequest>][] = [
    ['returns the decoded body', 'http://a.example/x', 'here at /x'],
    ['speaks TLS', 'https://a.example/x?y#z', 'here at /x?y'],
    ['uses only the vetted family', 'https://b.example/', 'there'],
    ['accepts an address as host, in any spelling', 'http://0x5db8d822/', 'here at /'],
    ['follows to another host', `https://a.example/?to=https://b.example/`, 'there'],
    ['follows redirects up to the limit', 'http://a.example/chain/5', 'here at /chain/0'],
    ['follows no more redirects than the limit', 'http://a.example/chain/6', 'too_many_redirects'],
    ['follows no redirect when the limit is 0', 'http://a.example/chain/1', 'too_many_redirects', { redirects: 0 }],
    ['follows from http to https with https_only', 'http://a.example/?to=https://b.example/', 'there', SECURE],
    [
      'does not follow to http with https_only',
      'https://a.example/?to=http://a.example/x',
      'redirect_insecure',
      SECURE,
    ],
    ['treats an empty Location as a page', 'http://a.example/?to=', ''],
    ['detects a redirect to itself', 'http://a.example/cycle/0/1', 'redirect_loop'],
    ['detects a cycle of three', 'http://a.example/cycle/0/3', 'redirect_loop'],
    [
      'cuts the body at the cap',
      `http://a.example/${'x'.repeat(200)}`,
      `here at /${'x'.repeat(51)}`,
      { max_bytes: 60 },
    ],
    ['sends no request to a non-public address', 'http://127.0.0.1/', 'not_public'],
    ['sends no request to a name with non-public addresses', 'http://alias.example/', 'not_public'],
    ['rejects other ports', 'http://a.example:8080/', 'malformed_url'],
    ['rejects other schemes', 'file:///etc/passwd', 'malformed_url'],
    ['rejects what is not a URL', 'a.example', 'malformed_url'],
    ['rejects a host that cannot be a name', 'http://a..example/', 'malformed_url'],
    ['reports a name that does not exist', 'http://nowhere.example/', 'not_found'],
    ['reports a name without addresses', 'http://empty.example/', 'not_found'],
    ['reports a name that cannot be looked up', 'http://broken.example/', 'dns_servfail'],
    ['reports a refused connection', 'http://refused.example/', 'refused'],
    ['accepts any certificate by default', 'https://stranger.example/', ''],
    [
      'accepts a valid certificate with verify_certificate',
      'https://a.example/',
      'here at /',
      { verify_certificate: true },
    ],
    [
      'rejects an untrusted certificate with verify_certificate',
      'https://stranger.example/',
      'certificate',
      { verify_certificate: true },
    ],
    [
      'rejects a certificate for another name with verify_certificate',
      'https://other.example/',
      'certificate',
      { verify_certificate: true },
    ],
    [
      'rejects a match by common name with verify_certificate',
      'https://common.example/',
      'certificate',
      { verify_certificate: true },
    ],
  ]
  for (const [title, url, told, more] of table) {
    it(title, async () => assert.equal((await get(url, more)).told, told))
  }

  const forbidden = [
    'http://kept.example/',
    'https://KEPT.example./',
    'http://deep.kept.example/',
    'http://to-kept.example/',
    'http://range.example/',
    'http://192.88.1.77/',
    'http://[2606:4700:77::1]/',
    'http://3226992973/',
  ]
  for (const to of forbidden) {
    it(`sends no request to ${to} when it is denied, directly or by a redirect`, async () => {
      assert.equal((await get(to)).told, 'denied')
      assert.deepEqual(web.seen.connections, [])
      const { told, hops } = await get(`http://a.example/?to=${encodeURIComponent(to)}`)
      assert.deepEqual([told, hops.length, web.seen.connections], ['denied', 1, [`${here}:80`]])
    })
  }

  it('does not even resolve a name that is denied', async () => {
    const before = dns.queries.length
    await get('http://deep.kept.example/')
    assert.equal(dns.queries.length, before)
  })

  it('uses the other addresses of a host when some are denied', async () => {
    assert.equal((await get('http://partly.example/x')).told, 'here at /x')
    assert.deepEqual(web.seen.connections, [`${here}:80`])
  })

  const inside = [
    ['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/'],
    ['//0', 'http://[::]', 'http://①②⑦.⓪.⓪.①/', 'http://169.254.169.254/latest', 'http://inside.example/'],
    ['http://alias.example/', 'http://127.0.0.1./', 'http://[64:ff9b::7f00:1]/', 'https://10.0.0.1/'],
  ].flat()
  for (const to of inside) {
    it(`does not follow to ${to}`, async () => {
      const { told, hops } = await get(`http://a.example/?to=${encodeURIComponent(to)}`)
      assert.equal(told, 'redirect_to_non_public')
      assert.equal(hops.length, 1)
      assert.deepEqual(web.seen.connections, [`${here}:80`])
    })
  }

  const unasked = ['localhost', 'LOCALHOST.', 'a.localhost', 'printer.local', 'a.internal', 'nas.home.arpa', 'router']
  for (const host of [...unasked, 'a.onion', 'a.alt', 'a.invalid']) {
    it(`does not follow to ${host} and does not resolve it`, async () => {
      const before = dns.queries.length
      assert.equal((await get(`http://a.example/?to=https://${host}/`)).told, 'redirect_to_non_public')
      assert.deepEqual([...new Set(dns.queries.slice(before).map(({ name }) => name))], ['a.example'])
    })
  }

  it('follows redirects within the configured host, even if its name is internal', async () => {
    const known = { addresses: [here] }
    assert.equal((await get('http://mirror.internal/chain/1', known)).told, 'here at /chain/0')
  })

  const elsewhere: [to: string, told: string][] = [
    ['http://a.example:22/', 'redirect_to_port'],
    ['http://a.example:0/', 'redirect_to_port'],
    ['http://a.example:65536/', 'redirect_malformed'],
    ['ftp://a.example/', 'redirect_to_scheme'],
    ['http://a..example/', 'redirect_malformed'],
    ['http://localhost../', 'redirect_malformed'],
    [`http://${'a'.repeat(64)}.example/`, 'redirect_malformed'],
    [`http://${'a.'.repeat(127)}example/`, 'redirect_malformed'],
    ['javascript:alert(1)', 'redirect_to_scheme'],
    ['data:text/html,x', 'redirect_to_scheme'],
    ['https://user:secret@a.example/', 'redirect_with_credentials'],
    ['http://nowhere.example/', 'not_found'],
  ]
  for (const [to, told] of elsewhere) {
    it(`does not follow to ${to.slice(0, 80)}`, async () => {
      assert.equal((await get(`http://a.example/?to=${encodeURIComponent(to)}`)).told, told)
      assert.deepEqual(web.seen.connections, [`${here}:80`])
    })
  }

  it('keeps the whole target of a redirect that it does not follow, without credentials', () => {
    const path = `/${'x'.repeat(600)}?token=1`
    const [from, guard] = [new URL('https://a.example/'), { refuse: () => null, refuseName: () => null }]
    const to = (location: string) => redirectOf(from, { status: 302, headers: [['location', location]] }, guard)
    assert.deepEqual(to(`http://a.example:22${path}`), {
      stopped: 'redirect_to_port',
      at: `http://a.example:22${path}`,
    })
    assert.deepEqual(to(`http://u:p@a.example${path}`), {
      stopped: 'redirect_with_credentials',
      at: `http://a.example${path}`,
    })
  })

  it('sends its user agent and the right host, and nothing that identifies', async () => {
    await get('https://a.example/?to=https://b.example/', { accept: 'text/plain' })
    assert.deepEqual(
      web.seen.requests.map(({ host, headers }) => [host, headers]),
      ['a.example', 'b.example'].map(host => [
        host,
        {
          host,
          connection: 'keep-alive',
          'user-agent': 'lab',
          accept: 'text/plain',
          'accept-encoding': 'gzip, deflate, br',
        },
      ]),
    )
  })

  it('reuses one connection for one origin', async () => {
    const { hops } = await get('https://a.example/chain/3')
    assert.equal(hops.length, 4)
    assert.deepEqual(web.seen.connections, [`${here}:443`])
  })

  it('speaks HTTP/2 where it is offered, on one connection', async () => {
    const { told, hops } = await get('https://modern.example/chain/3', { verify_certificate: true })
    assert.deepEqual([told, hops.length], ['here at /chain/0', 4])
    assert.deepEqual(web.seen.connections, ['192.88.1.4:443'])
    assert.deepEqual(
      web.seen.requests.map(({ host, http_version }) => `${host} ${http_version}`),
      Array.from({ length: 4 }, () => 'modern.example 2.0'),
    )
  })

  const page = Buffer.concat([head(1), data(1, 'ok')])
  // Node 20 does not say that its HTTP/2 has ended a session.
  const ofSession = process.versions.node.startsWith('20.') ? 'closed' : 'protocol_error'
  const brokenHttp2: [title: string, steps: Step[], told: string][] = [
    ['asks for HTTP/1.1', [send(rstStream(1, 13))], 'http_1_1_required'],
    ['leaves because of the security', [send(goaway(0, 12))], 'http_1_1_required'],
    ['hangs up', [close()], 'closed'],
    ['answers in HTTP/1.1', [send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno'), close()], ofSession],
    ['never stops to send settings', [flood(settings())], 'protocol_error'],
    ['sends a malformed head', [send(head(1, [['X-Upper', 'y']])), send(page)], 'protocol_error'],
  ]
  for (const [title, steps, told] of brokenHttp2) {
    for (const [protocols, outcome, used] of [
      [['h2', 'http/1.1'], 'ok', ['h2', 'http/1.1']],
      [['h2'], told, ['h2']],
    ] as const) {
      it(`reports ${outcome} when a server of ${protocols.join(' and ')} chooses HTTP/2 and then ${title}`, async () => {
        const chosen: unknown[] = []
        const serve: Step = socket => {
          const { alpnProtocol } = socket as TLSSocket
          chosen.push(alpnProtocol)
          const plain = [request(), send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')]
          return play(alpnProtocol === 'h2' ? [send(settings()), request(), ...steps] : plain, socket)
        }
        const credentials = authority.issue({ names: ['refused.example'] })
        await web.script('192.88.1.9', 443, [serve], { ...credentials, ALPNProtocols: [...protocols] })
        assert.equal((await get('https://refused.example/')).told, outcome)
        assert.deepEqual(chosen, used)
        web.place('192.88.1.9', 443, 'refused')
      })
    }
  }

  it('asks a server that is merely slow over HTTP/2 only once', async t => {
    const credentials = authority.issue({ names: ['refused.example'] })
    const tls = { ...credentials, ALPNProtocols: ['h2', 'http/1.1'] }
    let arrived = () => {}
    const arrival = new Promise<void>(resolve => {
      arrived = resolve
    })
    const steps = [send(settings()), request(), async () => arrived(), wait(5_000), send(page)]
    await web.script('192.88.1.9', 443, steps, tls)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const answer = get('https://refused.example/')
    await arrival
    t.mock.timers.tick(LONG_MS)
    t.mock.timers.reset()
    assert.equal((await answer).told, 'timeout')
    assert.deepEqual(web.seen.connections, ['192.88.1.9:443'])
    web.place('192.88.1.9', 443, 'refused')
  })

  const interim = send('HTTP/1.1 100 Continue\r\n\r\n')
  const keptFails: [title: string, steps: Step[]][] = [
    ['turns out closed', [close()]],
    ['is lost to a 100', [interim, wait(20), send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno')]],
  ]
  for (const [title, steps] of keptFails) {
    it(`retries once when a reused connection ${title}`, async () => {
      const redirecting = send('HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n')
      const scripts = [
        [request(), interim, redirecting, request(), ...steps],
        [request(), interim, send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')],
      ]
      await web.script('192.88.1.9', 80, [socket => play(scripts.shift() ?? [], socket)])
      assert.equal((await get('http://refused.example/')).told, 'ok')
      assert.deepEqual(web.seen.connections, ['192.88.1.9:80', '192.88.1.9:80'])
      web.place('192.88.1.9', 80, 'refused')
    })
  }

  it('sends the package version as user agent by default', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.equal(requestHeaders('*/*', {})['user-agent'], `Mozilla/5.0 (compatible; assay/${version})`)
    assert.equal(requestHeaders('*/*', { user_agent: 'lab' })['user-agent'], 'lab')
  })

  it('ends at its time limit and with the check', async () => {
    await web.script('192.88.1.9', 80, [request(), wait(5_000)])
    assert.equal((await get('http://refused.example/', { timeout_ms: 100 })).told, 'timeout')
    const ending = new AbortController()
    setTimeout(() => ending.abort(), 50)
    assert.equal((await get('http://refused.example/', { signal: ending.signal })).told, 'cancelled')
    web.place('192.88.1.9', 80, 'refused')
  })

  it('ends at its time limit and with the check during the TLS handshake', async () => {
    await web.script('192.88.1.9', 443, [wait(5_000)])
    assert.equal((await get('https://refused.example/', { timeout_ms: 100 })).told, 'timeout')
    const ending = new AbortController()
    setTimeout(() => ending.abort(), 50)
    assert.equal((await get('https://refused.example/', { signal: ending.signal })).told, 'cancelled')
    web.place('192.88.1.9', 443, 'refused')
  })

  it('ends at its time limit and with the check during the DNS look-up', async () => {
    assert.equal((await get('http://silent.example/', { timeout_ms: 100 })).told, 'timeout')
    const ending = new AbortController()
    setTimeout(() => ending.abort(), 50)
    assert.equal((await get('http://silent.example/', { signal: ending.signal })).told, 'cancelled')
  })

  it('spends no more than the requests for services unless it has another purpose', async () => {
    const service_requests = 10
    const check = new AbortController()
    const opened = network({ service_requests, entrance_requests: 1 }).open({
      signal: check.signal,
      deadline: farDeadline(),
    })
    const request = { url: 'http://a.example/', signal: check.signal, max_bytes: 99, timeout_ms: LONG_MS, redirects: 0 }
    const told = []
    for (let count = 0; count <= service_requests; count += 1) {
      const result = await opened.fetch(request)
      told.push(result.ok || result.failure)
    }
    const other = await opened.fetch({ ...request, purpose: 'entrances' })
    check.abort()
    assert.deepEqual(told, [...Array(service_requests).fill(true), 'too_many_requests'])
    assert.equal(other.ok, true)
    assert.equal(web.seen.requests.length, service_requests + 1)
  })
})
