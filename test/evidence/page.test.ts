import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { Page } from '../../src/evidence/page/facts.ts'
import { reachSite } from '../../src/evidence/site_session/scheme_fallback.ts'
import { limits } from '../../src/network/limits.ts'
import type { Target } from '../../src/targets/target.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { close, drip, hello, request, reset, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabHandler, type LabSite, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const there = '2606:2800:220:1::1'
const odd = '192.88.1.1'
const authority = createAuthority()
const unasked = { only_legacy: false, client_certificate_requested: false }
const page: LabHandler = ({ host, url }) => ({ body: `<title>${host}${url}</title>` })
const to =
  (location: string): LabHandler =>
  () => ({ status: 301, headers: [['Location', location]] })
const site = (host: string, address: string, handlers: Partial<LabSite>): LabSite => ({
  host,
  addresses: [address],
  credentials: authority.issue({ names: [host], ips: [address] }),
  ...handlers,
})

describe('the page of a site', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb([
      site('shop.example', here, { http: to('https://shop.example/'), https: page }),
      site('bare.example', here, { https: to('https://www.bare.example/') }),
      site('www.bare.example', there, { https: page }),
      site('plain.example', '192.88.1.2', { http: page }),
      site('within.example', here, {
        https: ({ url }) => (url === '/' ? to('/home')({} as never) : page({ host: 'within', url } as never)),
      }),
      site('inside.example', here, { https: to('http://169.254.169.254/latest') }),
      site('loop.example', here, { https: to('https://loop.example/') }),
      site('lost.example', here, { https: to('https://nowhere.example/') }),
      site(there, there, { https: page }),
      site('modern.example', '192.88.1.3', { https: page, protocols: ['h2'] }),
    ])
    const at = (address: string) => ({ A: [address] })
    dns = await startLabDns({
      zones: {
        'shop.example': at(here),
        'bare.example': at(here),
        'www.bare.example': { AAAA: [there] },
        'plain.example': at('192.88.1.2'),
        'modern.example': at('192.88.1.3'),
        'within.example': at(here),
        'inside.example': at(here),
        'loop.example': at(here),
        'lost.example': at(here),
        'odd.example': at(odd),
        'private.example': at('10.0.0.1'),
        'empty.example': { TXT: ['x'] },
      },
      fault: ({ name }) => (name === 'broken.example' ? { rcode: 'SERVFAIL' } : undefined),
    })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })
  beforeEach(() => {
    web.seen.connections.length = 0
    web.seen.requests.length = 0
    web.seen.handshakes.length = 0
  })

  async function see(target = domainTarget('odd.example')): Promise<string | string[]> {
    const check = startVisit(web, dns, target, { extra_roots: authority.certificate })
    const seen = await outcome(check.gather('page'))
    check.end()
    if (typeof seen === 'string') return seen
    const { exchanges, failure, stopped, stopped_at }: Page = seen
    return [...exchanges.map(({ status, url }) => `${status} ${url}`), failure, stopped, stopped_at].filter(
      said => said !== null,
    )
  }

  it('uses TLS and the connection that shows the certificate', async () => {
    const check = startVisit(web, dns, domainTarget('shop.example'), { extra_roots: authority.certificate })
    const [tls, seen, document] = await Promise.all([
      check.gather('tls'),
      check.gather('page'),
      check.gather('document'),
    ])
    check.end()
    assert.equal(document.title, 'shop.example/')
    assert.deepEqual([tls.status, tls.address, tls.server_name], ['handshake', here, 'shop.example'])
    assert.deepEqual([tls.protocol, tls.verify_error, tls.anchored, tls.chain_length], ['TLSv1.3', null, true, 1])
    assert.deepEqual(
      seen.exchanges.map(({ status, address, http_version }) => [status, address, http_version]),
      [[200, here, '1.1']],
    )
    assert.deepEqual(web.seen.connections, [`${here}:443`])
    assert.deepEqual(web.seen.handshakes, ['shop.example'])
    assert.equal(web.seen.requests.length, 1)
  })

  it('is seen whole, with the files, on one connection to a server that speaks HTTP/2 only', async () => {
    const check = startVisit(web, dns, domainTarget('modern.example'), { extra_roots: authority.certificate })
    const [tls, seen, document, files, security] = await Promise.all([
      check.gather('tls'),
      check.gather('page'),
      check.gather('document'),
      check.gather('crawl_files'),
      check.gather('security_txt'),
    ])
    check.end()
    assert.deepEqual([tls.alpn, tls.verify_error, document.title], ['h2', null, 'modern.example/'])
    assert.deepEqual([files.robots.status, files.sitemaps[0]?.status, security.status], ['found', 'found', 'found'])
    assert.deepEqual(
      seen.exchanges.map(({ status, http_version, truncated }) => [status, http_version, truncated]),
      [[200, '2', null]],
    )
    assert.deepEqual(web.seen.connections, ['192.88.1.3:443'])
    assert.deepEqual(
      web.seen.requests.map(({ url, http_version }) => `${url} ${http_version}`).toSorted(),
      ['/', '/.well-known/security.txt', '/robots.txt', '/sitemap.xml'].map(path => `${path} 2.0`),
    )
  })

  it('is not requested when only the certificate is wanted', async () => {
    const check = startVisit(web, dns, domainTarget('shop.example'))
    assert.equal((await check.gather('tls')).status, 'handshake')
    check.end()
    assert.equal(web.seen.requests.length, 0)
  })

  it('follows redirects to other hosts, resolving each', async () => {
    assert.deepEqual(await see(domainTarget('bare.example')), [
      '301 https://bare.example/',
      '200 https://www.bare.example/',
    ])
    assert.deepEqual(
      web.seen.connections,
      [`${here}:443`, `[${there}]:443`].map(one => one.replace(/[[\]]/g, '')),
    )
  })

  it('keeps its connection while the origin stays the same', async () => {
    assert.deepEqual(await see(domainTarget('within.example')), [
      '301 https://within.example/',
      '200 https://within.example/home',
    ])
    assert.equal(web.seen.connections.length, 1)
  })

  it('falls back to HTTP when port 443 is closed', async () => {
    assert.deepEqual(await see(domainTarget('plain.example')), ['200 http://plain.example/'])
    assert.deepEqual(web.seen.connections, ['192.88.1.2:443', '192.88.1.2:80'])
  })

  const stops: [host: string, told: string[]][] = [
    ['inside.example', ['301 https://inside.example/', 'redirect_to_non_public', 'http://169.254.169.254/latest']],
    ['loop.example', ['301 https://loop.example/', 'redirect_loop', 'https://loop.example/']],
    ['lost.example', ['301 https://lost.example/', 'not_found']],
  ]
  for (const [host, told] of stops) {
    it(`stops at ${host}`, async () => assert.deepEqual(await see(domainTarget(host)), told))
  }

  it('is requested at the given address', async () => {
    assert.deepEqual(await see({ ...domainTarget('shop.example'), ip: '192.88.1.2' } as Target), [
      '200 http://shop.example/',
    ])
    assert.equal(
      web.seen.connections.every(one => one.startsWith('192.88.1.2:')),
      true,
    )
  })

  for (const host of ['broken.example', 'nowhere.example']) {
    it(`is requested at the given address, whatever DNS says about ${host}`, async () => {
      assert.deepEqual(await see({ ...domainTarget(host), ip: '192.88.1.2' } as Target), [`200 http://${host}/`])
    })
  }

  for (const ip of [here, there]) {
    it(`is requested from the address ${ip} without SNI`, async () => {
      const authorityOf = ip === there ? `[${there}]` : ip
      assert.deepEqual((await see(ipTarget(ip)))[0], `200 https://${authorityOf}/`)
      assert.deepEqual(web.seen.handshakes[0], '')
      assert.equal(web.seen.requests[0]?.headers['host'], authorityOf)
    })
  }

  it('is cut off when the check is about to end', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>seen</title>'
    await web.script(odd, 80, [request(), send(answer), drip('x'.repeat(9_999), 1, 20)])
    const check = startVisit(web, dns, domainTarget('odd.example'), { left_ms: 1_000 })
    const [{ exchanges }, { title, truncated }] = await Promise.all([check.gather('page'), check.gather('document')])
    check.end()
    assert.deepEqual([exchanges.map(one => one.truncated), title, truncated], [['timeout'], 'seen', true])
    web.place(odd, 80, 'refused')
  })

  const nowhere: [title: string, target: Parameters<typeof see>[0], told: string][] = [
    ['does not exist', domainTarget('nowhere.example'), 'NotApplicable: domain_not_found'],
    ['has no address', domainTarget('empty.example'), 'NotApplicable: no_address'],
    ['is private', domainTarget('private.example'), 'NotApplicable: resolves_to_private_address'],
    ['is a private address', ipTarget('10.0.0.1'), 'NotApplicable: resolves_to_private_address'],
  ]
  for (const [title, target, told] of nowhere) {
    it(`is not requested when the target ${title}`, async () => {
      assert.equal(await see(target), told)
      const check = startVisit(web, dns, target ?? domainTarget('x'))
      for (const name of ['tls', 'document', 'crawl_files'] as const)
        assert.equal(await outcome(check.gather(name)), told)
      check.end()
      assert.deepEqual(web.seen.connections, [])
    })
  }

  const hole = 'black_hole'
  const ANSWERING = [request(), send('HTTP/1.0 200 OK\r\n\r\n'), close()]
  const ports: [
    title: string,
    port443: Step[] | 'refused' | typeof hole,
    port80: Step[] | 'refused' | typeof hole,
    page: unknown,
    tls: unknown,
  ][] = [
    ['both refused', 'refused', 'refused', ['refused'], 'refused'],
    ['both swallowed', hole, hole, 'Unavailable: connect_timeout', 'Unavailable: connect_timeout'],
    ['443 swallowed', hole, ANSWERING, ['200 http://odd.example/'], 'Unavailable: connect_timeout'],
    ['443 refused, 80 swallowed', 'refused', hole, ['timeout'], 'refused'],
    ['443 silent', [hello(), wait(9_000)], ANSWERING, ['200 http://odd.example/'], 'timeout'],
    ['443 without TLS', [send('HTTP/1.1 400 Bad\r\n\r\n')], ANSWERING, ['200 http://odd.example/'], 'not_tls'],
    ['80 closing at once', 'refused', [close()], ['closed'], 'refused'],
    ['80 resetting', 'refused', [request(), reset()], ['reset'], 'refused'],
    ['80 speaking nonsense', 'refused', [request(), send('220 ready\r\n'), close()], ['protocol_error'], 'refused'],
    ['80 never answering', 'refused', [request(), wait(9_000)], ['timeout'], 'refused'],
  ]
  describe('failing ports', { concurrency: true }, () => {
    for (const [title, port443, port80, expected, tls] of ports) {
      it(`report ${title}`, async () => {
        const lab = await startLabWeb()
        for (const [port, does] of [
          [443, port443],
          [80, port80],
        ] as const) {
          if (typeof does === 'string') lab.place(odd, port, does)
          else await lab.script(odd, port, does)
        }
        const check = startVisit(lab, dns, domainTarget('odd.example'))
        const [page, secure] = await Promise.all([outcome(check.gather('page')), outcome(check.gather('tls'))])
        check.end()
        const told =
          typeof page === 'string'
            ? page
            : [...page.exchanges.map(({ status, url }) => `${status} ${url}`), page.failure].filter(
                said => said !== null,
              )
        assert.deepEqual(told, expected)
        assert.equal(typeof secure === 'string' ? secure : secure.failure, tls)
        await lab.close()
      })
    }
  })

  const demands = [
    ['TLSv1.3', 'alert:certificate_required', null],
    ['TLSv1.2', 'client_certificate_required', 'NOT_JUDGED'],
  ] as const
  for (const [maxVersion, failure, verify_error] of demands) {
    it(`have no page but a certificate when the server requires a client certificate over ${maxVersion}`, async () => {
      const credentials = authority.issue({ names: ['odd.example'] })
      await web.script(odd, 443, [wait(100)], {
        ...credentials,
        requestCert: true,
        rejectUnauthorized: true,
        maxVersion,
      })
      const check = startVisit(web, dns, domainTarget('odd.example'), { extra_roots: authority.certificate })
      const [tls, seen] = await Promise.all([check.gather('tls'), check.gather('page')])
      check.end()
      assert.deepEqual(
        [tls.status, tls.client_certificate_requested, tls.verify_error],
        ['handshake', true, verify_error],
      )
      assert.deepEqual([tls.chain[0]?.dns_names, tls.anchored], [['odd.example'], true])
      assert.deepEqual([seen.exchanges, seen.failure], [[], failure])
      assert.deepEqual(web.seen.connections, [`${odd}:443`])
    })
  }

  it('have no page from a server that selects a protocol not offered', async () => {
    const socket = { alpnProtocol: 'spdy/3.1' } as TLSSocket
    const arrival = await reachSite({
      host: 'odd.example',
      secure: async () => ({
        status: 'secure',
        socket,
        octets: { raise: () => {} },
        address: odd,
        opening: { began: 0, connected: 0, secured: 0 },
        certificate: null,
        staple: null,
        sent: null,
        ...unasked,
      }),
      plain: () => assert.fail('it speaks TLS'),
      sessions: { open: () => assert.fail(), adopt: () => assert.fail(), close: () => {} },
      limits,
    })
    assert.deepEqual(arrival, { failure: 'alpn' })
  })

  it('are given up when the check ends', async () => {
    await web.script(odd, 443, [hello(), wait(9_000)])
    const check = startVisit(web, dns, domainTarget('odd.example'))
    setTimeout(() => check.end(), 50)
    assert.match(JSON.stringify(await outcome(check.gather('page'))), /cancelled/)
  })
})
