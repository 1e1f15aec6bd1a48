// How the page of a URL is fetched: by its own scheme and port, once, and nothing in place of it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Target } from '../../src/targets/target.ts'
import { normaliseUrl, splitUrl } from '../../src/targets/url.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { close, request, send } from '../../src/testing/lab_script.ts'
import { type LabHandler, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { PATIENT } from '../patience.ts'
import { domainTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const there = '192.88.1.2'
const authority = createAuthority()
const page: LabHandler = ({ host, url }) => ({ body: `<title>${host}${url}</title>` })
const to = (location: string) => ({ status: 302, headers: [['Location', location]] as const })

/** The lab's names are special-use names, which a request could not have. */
function urlTarget(text: string, visit = true): Target {
  const split = splitUrl(text)
  assert.ok(split.ok)
  const url = normaliseUrl(split.written, split.written.host)
  assert.ok(typeof url !== 'string')
  return { ...domainTarget(split.written.host), url, visit }
}

describe('the page of a URL', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    const redirects: Readonly<Record<string, string>> = {
      '/away': 'https://shop.example/landed?x=1',
      '/inside': 'http://169.254.169.254/latest',
      '/named': 'https://user:secret@shop.example/',
      '/mail': 'http://shop.example:25/',
      '/alternative': 'https://shop.example:8443/other',
    }
    const short: LabHandler = asked => {
      const location = redirects[asked.url]
      return location === undefined ? page(asked) : to(location)
    }
    const credentials = authority.issue({ names: ['shop.example', 'short.example', 'plain.example'] })
    web = await startLabWeb([
      { host: 'shop.example', addresses: [here], http: page, https: page, credentials },
      { host: 'short.example', addresses: [here], http: short, https: short, credentials },
      { host: 'plain.example', addresses: [there], http: page },
    ])
    const answer = 'HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n'
    const last = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    const script = [request(), send(answer), request(), send(last), close()]
    await web.script(here, 8443, script, authority.issue({ names: ['other.example'] }))
    dns = await startLabDns({
      zones: {
        'shop.example': { A: [here] },
        'short.example': { A: [here] },
        'plain.example': { A: [there] },
      },
    })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })
  beforeEach(() => {
    for (const seen of Object.values(web.seen)) seen.length = 0
  })

  const visit = (target: Target) =>
    startVisit(web, dns, target, { extra_roots: authority.certificate, limits: PATIENT })

  async function see(target: Target): Promise<unknown> {
    const check = visit(target)
    const seen = await outcome(check.gather('page'))
    check.end()
    if (typeof seen === 'string') return seen
    const { exchanges, failure, stopped, stopped_at } = seen
    return [...exchanges.map(({ status, url }) => `${status} ${url}`), failure, stopped, stopped_at].filter(Boolean)
  }

  const asked = () => web.seen.requests.map(({ secure, host, url }) => `${secure ? 'https' : 'http'}://${host}${url}`)

  it('is asked for once, and the files of the site as usual', async () => {
    const check = visit(urlTarget('https://shop.example/a/b?token=1'))
    await Promise.all((['page', 'tls', 'document', 'crawl_files'] as const).map(name => check.gather(name)))
    check.end()
    assert.deepEqual(asked(), [
      'https://shop.example/a/b?token=1',
      'https://shop.example/robots.txt',
      'https://shop.example/sitemap.xml',
    ])
    assert.deepEqual(web.seen.connections, [`${here}:443`])
  })

  it('is asked for by GET, without Referer, cookie or credentials', async () => {
    await see(urlTarget('https://shop.example/a'))
    assert.deepEqual(
      web.seen.requests.map(({ method, headers }) => [method, Object.keys(headers).sort()]),
      [['GET', ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']]],
    )
  })

  it('is asked for over plain HTTP when that is its scheme', async () => {
    assert.deepEqual(await see(urlTarget('http://shop.example/a')), ['200 http://shop.example/a'])
    assert.deepEqual(web.seen.connections, [`${here}:80`])
  })

  it('is not asked for over plain HTTP when HTTPS is its scheme', async () => {
    assert.deepEqual(await see(urlTarget('https://plain.example/a')), ['refused'])
    assert.deepEqual(web.seen.connections, [`${there}:443`])
  })

  it('shows the certificate of the host while it is asked for over plain HTTP', async () => {
    const check = visit(urlTarget('http://shop.example/a'))
    const [tls] = await Promise.all([check.gather('tls'), check.gather('page')])
    check.end()
    assert.equal(tls.status, 'handshake')
    assert.deepEqual(web.seen.connections.sort(), [`${here}:443`, `${here}:80`])
  })

  it('is at the port of the URL, with the certificate there, and may stay there', async () => {
    const check = visit(urlTarget('https://short.example:8443/a'))
    const [tls, seen] = await Promise.all([check.gather('tls'), check.gather('page')])
    check.end()
    assert.deepEqual(tls.chain[0]?.dns_names, ['other.example'])
    assert.deepEqual(
      seen.exchanges.map(({ url, status }) => [url, status]),
      [
        ['https://short.example:8443/a', 302],
        ['https://short.example:8443/other', 200],
      ],
    )
    assert.deepEqual(web.seen.connections, [`${here}:8443`])
  })

  it('is followed to another site, as a shortener leads', async () => {
    assert.deepEqual(await see(urlTarget('https://short.example/away')), [
      '302 https://short.example/away',
      '200 https://shop.example/landed?x=1',
    ])
  })

  const stopped: readonly (readonly [path: string, why: string, at: string])[] = [
    ['/inside', 'redirect_to_non_public', 'http://169.254.169.254/latest'],
    ['/named', 'redirect_with_credentials', 'https://shop.example/'],
    ['/mail', 'redirect_to_port', 'http://shop.example:25/'],
    ['/alternative', 'redirect_to_port', 'https://shop.example:8443/other'],
  ]
  for (const [path, why, at] of stopped) {
    it(`is not followed from ${path}: ${why}`, async () => {
      const url = `https://short.example${path}`
      assert.deepEqual(await see(urlTarget(url)), [`302 ${url}`, why, at])
      assert.deepEqual(web.seen.connections, [`${here}:443`])
    })
  }

  it('is not asked for, nor anything else of the site, when the client asks not to visit it', async () => {
    const check = visit(urlTarget('https://shop.example/a', false))
    for (const name of ['page', 'document', 'tls', 'crawl_files', 'security_txt', 'entrances'] as const)
      assert.equal(await outcome(check.gather(name)), 'NotApplicable: not_visited', name)
    check.end()
    assert.deepEqual(web.seen.connections, [])
  })
})
