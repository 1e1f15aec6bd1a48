import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Entrance } from '../../src/evidence/entrances/facts.ts'
import { counterpart } from '../../src/evidence/entrances/gather.ts'
import type { Target } from '../../src/targets/target.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabHandler, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const there = '93.184.216.35'
const closed = '93.184.216.36'
const odd = '93.184.216.37'
const api = '93.184.216.38'
const moved = '93.184.216.39'
const modern = '93.184.216.40'
const english = '93.184.216.41'
const mute = '93.184.216.42'
const authority = createAuthority()
const to =
  (Location: string): LabHandler =>
  () => ({ status: 301, headers: [['Location', Location]] })

const permissive: LabHandler = ({ url, headers }) => ({
  headers: [
    ['Access-Control-Allow-Origin', String(headers['origin'])],
    ['Access-Control-Allow-Credentials', 'true'],
  ],
  body: url === '/robots.txt' ? 'Sitemap: /' : '<urlset/>'.padEnd(50_000),
})

describe('the entrances of a site', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    const answers: LabHandler = ({ host }) =>
      host === 'shop.example' ? { status: 301, headers: [['Location', 'https://shop.example/']] } : { body: 'a shop' }
    web = await startLabWeb([
      { host: 'shop.example', addresses: [here], http: answers },
      { host: 'vague.example', addresses: [odd], http: to('') },
      { host: 'plain.example', addresses: [there], http: to('http://www.plain.example/') },
      {
        host: 'www.plain.example',
        addresses: [here],
        http: () => ({ body: 'a shop', headers: [['Set-Cookie', 'sid=abc; Path=/']] }),
      },
      {
        host: 'api.example',
        addresses: [api],
        credentials: authority.issue({ names: ['api.example'] }),
        https: permissive,
      },
      {
        host: 'modern.example',
        addresses: [modern],
        credentials: authority.issue({ names: ['modern.example'] }),
        https: permissive,
        protocols: ['h2', 'http/1.1'],
      },
      {
        host: 'english.example',
        addresses: [english],
        credentials: authority.issue({ names: ['english.example'] }),
        https: request => (request.url === '/' ? to('/en/')(request) : permissive(request)),
      },
      {
        host: 'moved.example',
        addresses: [moved],
        credentials: authority.issue({ names: ['moved.example', 'www.moved.example'] }),
        https: to('https://www.moved.example/'),
      },
      {
        host: 'www.moved.example',
        addresses: [moved],
        https: () => ({ headers: [['Access-Control-Allow-Origin', 'https://app.moved.example']] }),
      },
      {
        host: 'mute.example',
        addresses: [mute],
        credentials: authority.issue({ names: ['mute.example'] }),
        https: ({ headers }) => (headers['origin'] === undefined ? {} : new Promise(() => {})),
      },
      { host: 'inside.example', addresses: [there], http: to('http://169.254.169.254/') },
    ])
    dns = await startLabDns({
      zones: {
        'shop.example': { A: [here] },
        'www.shop.example': { A: [here] },
        'plain.example': { A: [there] },
        'www.plain.example': { A: [here] },
        'inside.example': { A: [there] },
        'api.example': { A: [api] },
        'modern.example': { A: [modern] },
        'english.example': { A: [english] },
        'moved.example': { A: [moved] },
        'www.moved.example': { A: [moved] },
        'mute.example': { A: [mute] },
        'www.inside.example': { A: ['10.0.0.1'] },
        'vague.example': { A: [odd] },
        'closed.example': { A: [closed] },
        'deep.closed.example': { A: [closed] },
        'private.example': { A: ['10.0.0.1'] },
        'www.private.example': { A: [here] },
      },
    })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  async function see(target: Target): Promise<unknown> {
    const check = startVisit(web, dns, target)
    const seen = await outcome(check.gather('entrances'))
    check.end()
    if (typeof seen === 'string') return seen
    const shown = ({ status, failure, location }: Entrance) => status ?? failure ?? location
    return [shown(seen.http), seen.http.location, seen.www && shown(seen.www), seen.www?.url ?? null]
  }

  it('are followed while they lead to plain HTTP', async () => {
    const check = startVisit(web, dns, domainTarget('plain.example'))
    const seen = await outcome(check.gather('entrances'))
    check.end()
    const { http } = seen as { http: Entrance }
    assert.deepEqual(http.followed, [
      { url: 'http://www.plain.example/', status: 200, location: null, set_cookies: ['sid=<3>; Path=/'] },
    ])
    assert.deepEqual(http.set_cookies, [])
  })

  const origins: [title: string, host: string, expected: unknown][] = [
    ['another origin is allowed', 'api.example', ['https://api.example/', true, true]],
    ['another origin is allowed over HTTP/2', 'modern.example', ['https://modern.example/', true, true]],
    ['another origin is allowed behind a redirect', 'english.example', ['https://english.example/en/', true, true]],
    [
      'one of its own is allowed behind a redirect to www.',
      'moved.example',
      ['https://www.moved.example/', false, false],
    ],
    ['nobody answers over HTTPS', 'closed.example', null],
  ]
  for (const [title, host, expected] of origins) {
    it(title, async () => {
      const check = startVisit(web, dns, domainTarget(host), { extra_roots: authority.certificate })
      const seen = (await check.gather('entrances')).cross_origin ?? null
      check.end()
      const shown = seen && [seen.url, seen.allow_origin === seen.origin, seen.allow_credentials]
      assert.deepEqual(shown, expected)
    })
  }

  it('say why the request from another origin was not answered', async () => {
    const check = startVisit(web, dns, domainTarget('mute.example'), { extra_roots: authority.certificate })
    const { cross_origin, cross_origin_failure } = await check.gather('entrances')
    check.end()
    assert.deepEqual([cross_origin, cross_origin_failure], [null, 'timeout'])
  })

  for (const [host, address] of [
    ['api.example', api],
    ['modern.example', modern],
  ] as const) {
    it(`are asked from another origin on the connection of the page at ${host}, which may be its own sitemap`, async () => {
      web.seen.connections.length = 0
      web.seen.requests.length = 0
      const check = startVisit(web, dns, domainTarget(host), { extra_roots: authority.certificate })
      const [entrances, files, page] = await Promise.all([
        check.gather('entrances'),
        check.gather('crawl_files'),
        check.gather('page'),
      ])
      check.end()
      assert.equal(entrances.cross_origin?.allow_credentials, true)
      assert.deepEqual(
        files.sitemaps.map(({ url, root }) => `${url} ${root}`),
        [`https://${host}/ urlset`],
      )
      assert.equal(page.exchanges[0]?.truncated, null)
      assert.deepEqual(web.seen.connections, [`${address}:80`, `${address}:443`])
      assert.equal(web.seen.requests.filter(({ headers }) => headers['origin'] !== undefined).length, 1)
    })
  }

  const table: [title: string, target: Target, seen: unknown][] = [
    [
      'are plain HTTP and the name with www.',
      domainTarget('shop.example'),
      [301, 'https://shop.example/', 200, 'http://www.shop.example/'],
    ],
    [
      'are the name without www. for one that has it',
      domainTarget('www.shop.example', 'shop.example'),
      [200, null, 301, 'http://shop.example/'],
    ],
    [
      'are not entered where they lead inside',
      domainTarget('inside.example'),
      [301, 'http://169.254.169.254/', 'not_public', 'http://www.inside.example/'],
    ],
    [
      'lead nowhere by an empty Location',
      domainTarget('vague.example'),
      [301, null, 'not_found', 'http://www.vague.example/'],
    ],
    [
      'may be closed, and the other name may not exist',
      domainTarget('closed.example'),
      ['refused', null, 'not_found', 'http://www.closed.example/'],
    ],
    ['are one for a deeper name', domainTarget('deep.closed.example', 'closed.example'), ['refused', null, null, null]],
    ['are one for an address', ipTarget(here), [200, null, null, null]],
    [
      'are not asked for where there is nowhere to go',
      domainTarget('private.example'),
      'NotApplicable: resolves_to_private_address',
    ],
  ]
  for (const [title, target, seen] of table) it(title, async () => assert.deepEqual(await see(target), seen))

  it('pair the registrable domain with its www. name', () => {
    assert.deepEqual(
      ['a.example', 'www.a.example', 'b.a.example', 'www.b.a.example'].map(name => counterpart(name, 'a.example')),
      ['www.a.example', 'a.example', null, null],
    )
  })
})
