// Web servers as people run them: one connection, and the page's files on it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { software, startWebServer, withoutSoftware } from '../web_server.ts'
import { domainTarget } from './lab_check.ts'
import { startVisit } from './lab_visit.ts'

const host = 'shop.example'
const address = '192.88.3.1'
const credentials = createAuthority().issue({ names: [host] })
const files = {
  'index.html': `<title>Walnut and Oak</title>${'<p>Tables and shelves.</p>'.repeat(3_000)}`,
  'robots.txt': 'User-agent: *\nDisallow: /cart\n',
  'sitemap.xml': '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/</loc></url></urlset>',
  '.well-known/security.txt': 'Contact: mailto:security@shop.example\nExpires: 2099-01-01T00:00:00Z\n',
}
const asked = ['/', '/.well-known/security.txt', '/robots.txt', '/sitemap.xml']

const versions: Readonly<Record<keyof typeof software, '1.1' | '2'>> = {
  'nginx with HTTP/2': '2',
  'nginx without HTTP/2': '1.1',
  h2o: '2',
  nghttpd: '2',
  'gunicorn with threads': '1.1',
}

describe('a site of a real server', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb()
    dns = await startLabDns({ zones: { [host]: { A: [address] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  for (const [name, server] of Object.entries(software)) {
    const version = versions[name as keyof typeof software]
    it(`is seen whole by HTTP/${version} on one connection: ${name}`, { skip: withoutSoftware(server) }, async t => {
      const { port, stop } = await startWebServer(server, credentials, files)
      let logged: Awaited<ReturnType<typeof stop>> | null = null
      t.after(async () => logged ?? (await stop()))
      web.place(address, 443, port)
      web.seen.connections.length = 0
      const check = startVisit(web, dns, domainTarget(host))
      const [page, document, crawled, security, tls] = await Promise.all([
        check.gather('page'),
        check.gather('document'),
        check.gather('crawl_files'),
        check.gather('security_txt'),
        check.gather('tls'),
      ])
      check.end()
      const [sitemap] = crawled.sitemaps
      assert.deepEqual(
        {
          page: page.exchanges.map(one => [one.status, one.http_version, one.decoded_bytes, one.truncated]),
          title: document.title,
          robots: [crawled.robots.status, crawled.robots.text],
          sitemap: [sitemap?.status, sitemap?.root],
          security: security.status,
          tls: tls.status,
        },
        {
          page: [[200, version, files['index.html'].length, null]],
          title: 'Walnut and Oak',
          robots: ['found', files['robots.txt']],
          sitemap: ['found', 'urlset'],
          security: 'found',
          tls: 'handshake',
        },
      )
      logged = await stop()
      assert.deepEqual(logged.map(({ path }) => path).toSorted(), asked)
      assert.equal(new Set(logged.map(({ connection }) => connection)).size, 1)
      assert.deepEqual(web.seen.connections, [`${address}:443`])
    })
  }
})
