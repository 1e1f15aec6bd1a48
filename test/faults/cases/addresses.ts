// B: ways in. Passed when no packet leaves for a place that must not be dialled, which the stage counts.
import assert from 'node:assert/strict'
import type { LabHandler } from '../../../src/testing/lab_web.ts'
import { type Expected, type FaultCase, type Place, type Seen, visitsOf, type World } from '../case.ts'
import { healthyPage } from '../healthy.ts'

const notPublic = (row: number, ip: string): FaultCase => ({
  row,
  of: `a request for ${ip}`,
  ask: () => `ip=${encodeURIComponent(ip)}`,
  expect: { status: 422, code: 'target-not-public', within_ms: 1_000 },
})

/** One or two of each kind: `network/guard.test.ts` has every block. */
const literals: readonly FaultCase[] = [
  ...['169.254.169.254', 'fd00:ec2::254'].map(ip => notPublic(28, ip)),
  ...['::ffff:7f00:1', '64:ff9b::a9fe:a9fe', '2a10:3781::5efe:7f00:1'].map(ip => notPublic(29, ip)),
  ...['0.0.0.0', '127.255.255.254', '10.0.0.1', '224.0.0.1', '203.0.113.9'].map(ip => notPublic(46, ip)),
  {
    row: 44,
    of: 'a request for the service itself, at its own public address',
    needs: 'namespace',
    async play({ get, connection }) {
      const { status, body } = await get(`ip=${connection().host}`)
      assert.deepEqual([status, body['code']], [422, 'target-not-public'])
    },
  },
  { ...notPublic(46, '45.90.0.3'), of: 'a request for the broadcast address of our own network', needs: 'namespace' },
]

const resolving = (
  row: number,
  of: string,
  addresses: (place: Place) => { A?: string[]; AAAA?: string[] },
): FaultCase => ({
  row,
  of,
  world: place => ({
    zones: { [place.name]: addresses(place) },
    sites: [
      { host: place.name, addresses: [place.address, place.address6], https: healthyPage, credentials: place.issue() },
    ],
  }),
})

const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1', '0.0.0.0', '100.64.0.1']
const inside6 = ['::1', 'fc00::1', 'fe80::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::1']
const reachesIt = { sections: { web: 'completed' }, signals: ['resolves_to_private_address'] }

const names: readonly FaultCase[] = [
  ...inside.map(
    (bad): FaultCase => ({
      ...resolving(31, `a public address beside ${bad}, in either order`, ({ address }) => ({ A: [address, bad] })),
      expect: reachesIt,
    }),
  ),
  ...inside.map(
    (bad): FaultCase => ({
      ...resolving(31, `${bad} before a public address`, ({ address }) => ({ A: [bad, address] })),
      expect: reachesIt,
    }),
  ),
  ...inside6.map(
    (bad): FaultCase => ({
      ...resolving(34, `a public IPv4 address beside ${bad}`, ({ address }) => ({ A: [address], AAAA: [bad] })),
      expect: reachesIt,
    }),
  ),
  {
    ...resolving(34, 'a public IPv6 address beside 127.0.0.1', ({ address6 }) => ({
      A: ['127.0.0.1'],
      AAAA: [address6],
    })),
    expect: reachesIt,
  },
  ...[...inside, ...inside6].map(
    (bad): FaultCase => ({
      ...resolving(31, `a name at ${bad} alone`, () => (bad.includes(':') ? { AAAA: [bad] } : { A: [bad] })),
      expect: {
        signals: ['resolves_to_private_address'],
        sections: {
          ssl_info: 'not_applicable resolves_to_private_address',
          web: 'not_applicable resolves_to_private_address',
        },
        connections: [],
        fields: { ip: null },
      },
    }),
  ),
  {
    row: 32,
    of: 'a name that rebinds with every answer',
    world: ({ name, address, issue }) => {
      let asked = 0
      return {
        sites: [{ host: name, addresses: [address], https: healthyPage, credentials: issue() }],
        dns: question => {
          if (question.name !== name || question.type !== 'A') return undefined
          asked += 1
          return { records: { A: [asked % 2 === 1 ? address : '127.0.0.1'] } }
        },
      }
    },
    expect: {
      sections: { web: 'completed' },
      holds: ({ queries }, { name }) => {
        for (const type of ['A', 'AAAA']) {
          assert.ok(queries.filter(one => one.name === name && one.type === type).length <= 1, `one ${type} question`)
        }
      },
    },
  },
]

const leading = (
  row: number,
  of: string,
  location: (place: Place) => string,
  world: (place: Place) => World = () => ({}),
): FaultCase => ({
  row,
  of,
  world: place => {
    const more = world(place)
    const redirect = {
      host: place.name,
      addresses: [place.address],
      credentials: place.issue(),
      https: redirectOnce(location(place)),
    }
    return { ...more, sites: [redirect, ...(more.sites ?? [])] }
  },
})

const redirectOnce =
  (to: string) =>
  ({ url }: { url: string }) =>
    url === '/'
      ? { status: 302, headers: [['Location', to]] as const, body: '<title>The last public page</title>' }
      : { status: 404 }

/** `network/fetch.test.ts` has all of them. */
const insideUrls = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.1]/',
  '//0x7f000001/',
  'http://\u2460\u2461\u2466.0.0.1/',
  'https://a.internal/',
  'http:\\\\127.0.0.1\\',
]

/** A redirect that is not followed: its own response is read, and is no page to judge. */
const redirecting = {
  content_analysis: 'completed redirecting_page',
  tech_stack: 'completed redirecting_page',
  security_headers: 'not_applicable redirecting_page',
  cookies: 'not_applicable redirecting_page',
}

/** The last public page is what is analysed. */
const stays = (signal = 'redirect_to_non_public'): Expected => ({
  sections: redirecting,
  signals: [signal],
  fields: { 'content_analysis.title': 'The last public page' },
  holds: ({ web }) => {
    assert.equal(visitsOf(web), 1)
    keepsToTheWeb(web)
  },
})

const keepsToTheWeb = ({ connections }: Seen['web']) =>
  assert.deepEqual(
    connections.filter(one => !/:(?:80|443)$/.test(one)),
    [],
  )

const redirects: readonly FaultCase[] = [
  ...insideUrls.map((url): FaultCase => ({ ...leading(35, `a redirect to ${url}`, () => url), expect: stays() })),
  ...[22, 25, 6379, 8080, 0, 65536].map(
    (port): FaultCase => ({
      ...leading(
        37,
        `a redirect to port ${port}`,
        ({ address }) => `http://${address}:${port}/`,
        ({ address }) => ({
          scripts: port > 0 && port < 65536 ? [{ at: address, port, steps: [] }] : [],
        }),
      ),
      expect: stays('redirect_off_the_web'),
    }),
  ),
  ...['gopher://127.0.0.1:6379/_FLUSHALL', 'javascript:alert(1)'].map((url): FaultCase => {
    return { ...leading(35, `a redirect off the web, to ${url}`, () => url), expect: stays('redirect_off_the_web') }
  }),
  {
    ...leading(
      38,
      'a redirect to a public-looking name that is private',
      ({ other }) => `https://${other}/`,
      ({ other, name, address }) => ({
        zones: { [name]: { A: [address] }, [other]: { A: ['10.0.0.1'] } },
      }),
    ),
    expect: stays(),
  },
  {
    ...leading(
      38,
      'a redirect to a name whose alias is private',
      ({ other }) => `https://${other}/`,
      ({ other, name, address }) => ({
        zones: {
          [name]: { A: [address] },
          [other]: { CNAME: [`x.${other}`] },
          [`x.${other}`]: { A: ['169.254.169.254'] },
        },
      }),
    ),
    expect: stays(),
  },
  {
    row: 38,
    of: 'five hops, of which the last alone is private',
    world: ({ name, address, issue }) => ({
      sites: [
        {
          host: name,
          addresses: [address],
          credentials: issue(),
          https: ({ url }) => {
            const hop = Number(url.slice(1) || 0)
            return { status: 302, headers: [['Location', hop < 4 ? `/${hop + 1}` : 'http://127.0.0.1/']] }
          },
        },
      ],
    }),
    expect: { sections: redirecting, signals: ['redirect_to_non_public'] },
  },
  {
    row: 40,
    of: 'a page and a robots.txt full of links inside',
    world: ({ name, address, issue }) => ({
      sites: [
        {
          host: name,
          addresses: [address],
          credentials: issue(),
          https: ({ url }) => {
            if (url === '/robots.txt')
              return {
                body: 'Sitemap: http://169.254.169.254/\nSitemap: http://127.0.0.1/sitemap.xml\nSitemap: https://[::1]/s.xml\n',
              }
            if (url !== '/') return { status: 404 }
            return {
              body: `<html><head><title>x</title><meta http-equiv="refresh" content="0;url=http://127.0.0.1/"><link rel="canonical" href="http://10.0.0.1/">
<link rel="icon" href="http://169.254.169.254/favicon.ico"><meta property="og:image" content="http://127.0.0.1/x.png"><base href="http://10.0.0.1/"></head>
<body><img src="http://10.0.0.1/"><script src="http://10.0.0.1/x.js"></script><iframe src="http://127.0.0.1"></iframe></body></html>`,
            }
          },
        },
      ],
    }),
    expect: { sections: { web: 'completed' } },
  },
  {
    row: 40,
    of: 'a robots.txt whose sitemaps are at other ports and of other schemes',
    world: ({ name, address, issue }) => {
      const sitemaps = [`http://${name}:22/`, `https://${name}:6379/`, `foo://${name}/`]
      const robots = { body: sitemaps.map(url => `Sitemap: ${url}\n`).join('') }
      const https: LabHandler = request => (request.url === '/robots.txt' ? robots : healthyPage(request))
      return {
        sites: [{ host: name, addresses: [address], https, credentials: issue() }],
        scripts: [22, 6379].map(port => ({ at: address, port, steps: [] })),
      }
    },
    expect: {
      sections: { web: 'completed', seo_health: 'completed sitemap_malformed_url' },
      holds: ({ web }) => keepsToTheWeb(web),
    },
  },
]

/** Of each block, an address that something may listen at, and one that nobody has. */
const ofOneBlock = [
  ['10.0.0.1', '10.201.202.203'],
  ['127.0.0.1', '127.201.202.203'],
  ['192.168.1.1', '192.168.202.203'],
  ['169.254.1.1', '169.254.202.203'],
  ['fc00::1', 'fc00:1:2:3::4'],
  ['224.0.0.1', '224.201.202.203'],
] as const

const oracle: FaultCase = {
  row: 47,
  of: 'a client that looks for an oracle: every address of a block gets the same words',
  async play({ get, place }) {
    for (const block of ofOneBlock) {
      const bodies = new Set<string>()
      for (const ip of block) {
        const { body, ms } = await get(`ip=${ip}`)
        const { request_id: _, ...rest } = body
        bodies.add(JSON.stringify(rest).replaceAll(ip, 'the address'))
        assert.ok(ms < 1_000, `${ms} ms`)
      }
      assert.equal(bodies.size, 1, `${place.name}: ${[...bodies].join('\n')}`)
    }
  },
}

export const addressFaults: readonly FaultCase[] = [...literals, ...names, ...redirects, oracle]
