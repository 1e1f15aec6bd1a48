import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { startLabDistance } from '../../src/testing/lab_distance.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { data, head, settings, streams } from '../../src/testing/lab_http2.ts'
import { send, wait } from '../../src/testing/lab_script.ts'
import { type LabResponse, type LabSite, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const authority = createAuthority()
const urlset = { body: '<urlset/>' }
const to = (location: string): LabResponse => ({ status: 301, headers: [['Location', location]] })
const leading = (to: string): LabResponse => ({ body: `<meta http-equiv=refresh content="0; url=${to}">` })
const site = (host: string, address: string, paths: Readonly<Record<string, LabResponse>>): LabSite => ({
  host,
  addresses: [address],
  credentials: authority.issue({ names: [host] }),
  https: ({ url }) => {
    const response = paths[url] ?? { status: url === '/' ? 200 : 404, body: url }
    return host.startsWith('nginx') ? { ...response, headers: [['Server', 'nginx']] } : response
  },
})

/** Names with addresses, and a chain of hosts that redirect to the next. */
const hops = [1, 2, 3, 4, 5, 6].map(at => [`hop${at}.example`, `192.88.2.${at}`] as const)
const places: readonly (readonly [host: string, address: string])[] = [
  ['shop.example', '192.88.1.1'],
  ['nginx.example', '192.88.1.2'],
  ['named.example', '192.88.1.3'],
  ['elsewhere.example', '192.88.1.4'],
  ['home.example', '192.88.1.5'],
  ['bare.example', '192.88.1.6'],
  ['www.bare.example', '192.88.1.7'],
  ['deep.example', '192.88.1.8'],
  ['nginx-elsewhere.example', '192.88.1.9'],
  ['modern.example', '192.88.1.10'],
  ['leads-on.example', '192.88.1.11'],
  ['leads-away.example', '192.88.1.12'],
  ['framed.example', '192.88.1.13'],
  ['nginx-icon.example', '192.88.1.14'],
  ['nginx-declared.example', '192.88.1.15'],
  ['icon.example', '192.88.1.16'],
  ...hops,
]
const addressOf = (host: string): string => places.find(([name]) => name === host)?.[1] ?? ''
const at = (host: string, paths: Readonly<Record<string, LabResponse>>) => site(host, addressOf(host), paths)

describe('a check of a distant site', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb([
      at('shop.example', { '/robots.txt': { body: 'User-agent: *' }, '/sitemap.xml': urlset }),
      at('nginx.example', { '/robots.txt': { body: 'User-agent: *' }, '/sitemap.xml': urlset }),
      at('nginx-elsewhere.example', { '/robots.txt': { body: 'Sitemap: /map' }, '/map': urlset }),
      at('named.example', { '/robots.txt': { body: 'Sitemap: /sitemap.xml' }, '/sitemap.xml': urlset }),
      at('elsewhere.example', { '/robots.txt': { body: 'Sitemap: /map' }, '/map': urlset }),
      at('home.example', { '/': to('/home'), '/sitemap.xml': urlset }),
      at('leads-on.example', { '/': leading('/home'), '/sitemap.xml': urlset }),
      at('leads-away.example', { '/': leading('https://home.example/home'), '/sitemap.xml': urlset }),
      at('framed.example', {
        '/': { body: '<iframe src=/in></iframe>' },
        '/in': { body: 'in' },
        '/sitemap.xml': urlset,
      }),
      at('nginx-icon.example', { '/favicon.ico': { body: 'icon' }, '/sitemap.xml': urlset }),
      at('nginx-declared.example', { '/': { body: '<link rel=icon href=/i?2>' }, '/i?2': { body: 'icon' } }),
      at('icon.example', { '/favicon.ico': { body: 'icon' }, '/sitemap.xml': urlset }),
      at('bare.example', { '/': to('https://www.bare.example/') }),
      at('www.bare.example', { '/sitemap.xml': urlset }),
      at('deep.example', {
        '/': to('/1'),
        ...Object.fromEntries([1, 2, 3, 4].map(step => [`/${step}`, to(`/${step + 1}`)])),
        '/sitemap.xml': urlset,
      }),
      ...hops.map(([host], hop) => at(host, hop < 5 ? { '/': to(`https://${hops[hop + 1]?.[0]}/`) } : {})),
    ])
    dns = await startLabDns({ zones: Object.fromEntries(places.map(([host, address]) => [host, { A: [address] }])) })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  async function visit(host: string, limits = {}, also?: 'icon') {
    web.seen.requests.length = 0
    const distance = await startLabDistance(web.dial, 25)
    const check = startVisit(web, dns, domainTarget(host), { limits, dial: distance.dial })
    const [files, page, security, icon] = await Promise.all([
      outcome(check.gather('crawl_files')),
      outcome(check.gather('page')),
      outcome(check.gather('security_txt')),
      also && outcome(check.gather(also)),
    ])
    const waits = [...distance.waits]
    check.end()
    await distance.close()
    assert.ok(typeof page === 'object' && typeof files === 'object' && typeof security === 'object')
    const sitemaps = files.sitemaps.map(({ url, status, root, reason }) => `${status} ${root ?? reason} ${url}`)
    const requests = web.seen.requests.map(request => `${request.host}${request.url}`)
    return {
      waits,
      requests,
      sitemaps,
      last: page.exchanges.at(-1)?.url,
      security: security.status,
      icon: typeof icon === 'object' ? icon.status : icon,
    }
  }

  // The handshake is one wait, the page another, and so is each file unless the server is known to read ahead.
  const table: [host: string, waits: number[], sitemap: string][] = [
    ['shop.example', [5], 'found urlset https://shop.example/sitemap.xml'],
    ['nginx.example', [3], 'found urlset https://nginx.example/sitemap.xml'],
    ['named.example', [5], 'found urlset https://named.example/sitemap.xml'],
    ['elsewhere.example', [5], 'found urlset https://elsewhere.example/map'],
    ['nginx-elsewhere.example', [4], 'found urlset https://nginx-elsewhere.example/map'],
    ['home.example', [6], 'found urlset https://home.example/sitemap.xml'],
    ['bare.example', [2, 5], 'found urlset https://www.bare.example/sitemap.xml'],
    ['deep.example', [10], 'found urlset https://deep.example/sitemap.xml'],
  ]
  for (const [host, waits, sitemap] of table) {
    it(`takes ${waits.join(' and ')} round trips at ${host}`, async () => {
      const seen = await visit(host)
      assert.deepEqual([seen.waits, seen.sitemaps], [waits, [sitemap]])
    })
  }

  it('asks for the page and three files', async () => {
    const paths = ['', 'robots.txt', '.well-known/security.txt', 'sitemap.xml']
    const asked = async (host: string) => (await visit(host)).requests.toSorted()
    assert.deepEqual(await asked('shop.example'), paths.map(path => `shop.example/${path}`).toSorted())
    assert.deepEqual(await asked('nginx.example'), paths.map(path => `nginx.example/${path}`).toSorted())
  })

  const icons: [what: string, host: string, waits: number[], icons: string[]][] = [
    ['no round trip where requests are answered at once', 'nginx-icon.example', [3], ['/favicon.ico']],
    ['one round trip where they are answered one by one', 'icon.example', [6], ['/favicon.ico']],
    [
      'none where the page declares another, asked for beside the other files',
      'nginx-declared.example',
      [3],
      ['/favicon.ico', '/i?2'],
    ],
    [
      'none where an earlier check saw the declaration, and no request for another',
      'nginx-declared.example',
      [3],
      ['/i?2'],
    ],
  ]
  for (const [what, host, waits, asked] of icons) {
    it(`takes for the icon ${what}`, async () => {
      const seen = await visit(host, {}, 'icon')
      const paths = seen.requests.map(request => request.slice(host.length))
      assert.deepEqual([seen.waits, seen.icon, paths.filter(path => /ico|i\?/.test(path))], [waits, 'found', asked])
    })
  }

  const next: [host: string, next: string][] = [
    ['leads-on.example', 'leads-on.example/home'],
    ['leads-away.example', 'home.example/home'],
    ['framed.example', 'framed.example/in'],
  ]
  for (const [host, url] of next) {
    it(`asks for one document more, and for no other file, at ${host}`, async () => {
      const files = ['.well-known/security.txt', 'robots.txt', 'sitemap.xml'].map(path => `${host}/${path}`)
      const { requests, sitemaps } = await visit(host)
      assert.deepEqual(requests.toSorted(), [`${host}/`, url, ...files].toSorted())
      assert.deepEqual(sitemaps, [`found urlset https://${host}/sitemap.xml`])
    })
  }

  it('asks for the page and three files at once over HTTP/2', async () => {
    const asked: number[] = []
    const answerAll = streams((stream, socket) => {
      asked.push(stream)
      if (asked.length < 4) return
      for (const one of asked.toReversed()) socket.write(Buffer.concat([head(one), data(one, 'x')]))
    })
    const credentials = { ...authority.issue({ names: ['modern.example'] }), ALPNProtocols: ['h2'] }
    await web.script(addressOf('modern.example'), 443, [send(settings()), answerAll, wait(60_000)], credentials)
    const { last, security, waits } = await visit('modern.example')
    assert.deepEqual([last, security, waits.length], ['https://modern.example/', 'found', 1])
    assert.deepEqual(asked, [1, 3, 5, 7])
  })

  it('asks for no file where it is only redirected', async () => {
    const { last, requests, security } = await visit('hop1.example')
    assert.deepEqual([last, security], ['https://hop6.example/', 'missing'])
    const files = ['.well-known/security.txt', 'robots.txt', 'sitemap.xml'].map(path => `hop6.example/${path}`)
    assert.deepEqual(requests.toSorted(), [...hops.map(([host]) => `${host}/`), ...files].toSorted())
  })

  it('sees as much of the site when no other purpose has a request left', async () => {
    const others = { entrance_requests: 0, service_requests: 0 }
    const { waits, requests } = await visit('shop.example', others)
    assert.deepEqual([waits, requests.length], [[5], 4])
  })

  it('sees the page when its files have no request left', async () => {
    const { last, requests, security } = await visit('shop.example', { file_requests: 0 })
    assert.deepEqual([last, requests, security], ['https://shop.example/', ['shop.example/'], 'unknown'])
  })
})
