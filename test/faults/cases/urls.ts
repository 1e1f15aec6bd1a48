// I: URLs. What links may look like, where they may lead, and what nobody learns of them.
import assert from 'node:assert/strict'
import type { LabHandler } from '../../../src/testing/lab_web.ts'
import type { Expected, FaultCase, Place, World } from '../case.ts'
import { healthyPage } from '../healthy.ts'

const asked = (url: string): string => `url=${encodeURIComponent(url)}`

/** Refused without a packet to anyone, and free of charge. */
const refused = (row: number, url: string, status: number, code: string): FaultCase => ({
  row,
  of: `the URL ${JSON.stringify(url.slice(0, 60))}, refused as ${code}`,
  ask: () => asked(url),
  expect: { status, code, connections: [], holds: ({ queries }) => assert.equal(queries.length, 0) },
})

/** Spellings in which programs see different hosts: `targets/url.test.ts` has all of them. */
const spellings: readonly FaultCase[] = [
  ...[
    'https://a.lab@127.0.0.1/',
    'https:\\\\127.0.0.1\\',
    'https://a.lab/\r\nHost: 127.0.0.1',
    'https://[::1%25lo]/',
    'gopher://127.0.0.1:6379/_x',
    `https://a.lab/${'a'.repeat(2_040)}`,
  ].map(url => refused(251, url, 400, 'invalid-url')),
  ...['https://0x7f000001/', 'https://\u2460\u2461\u2466.0.0.1/', 'https://a.lab\uff0fb.lab/'].map(url =>
    refused(251, url, 400, 'invalid-domain'),
  ),
  ...['http://a.lab:22/', 'https://localhost/'].map(url => refused(251, url, 422, 'target-not-checkable')),
  {
    row: 251,
    of: 'a URL beside a domain or an address, and URLs that are doubled, empty or cut at an ampersand',
    async play({ get }) {
      for (const [query, code] of [
        [`${asked('https://a.lab/')}&domain=a.lab`, 'conflicting-targets'],
        [`${asked('https://a.lab/')}&ip=8.8.8.8`, 'conflicting-targets'],
        [`${asked('https://a.lab/')}&${asked('https://b.lab/')}`, 'invalid-parameter'],
        ['url=', 'invalid-parameter'],
        ['url=https://a.lab/%C0%AE', 'invalid-parameter'],
        ['url=https://a.lab/?x=1&y=2', 'invalid-parameter'],
        [`${asked('https://a.lab/')}&visit=maybe`, 'invalid-parameter'],
      ] as const) {
        const { status, body } = await get(query)
        assert.deepEqual([status, body['code']], [400, code], query)
      }
    },
  },
]

const page = '<html><head><title>What arrived</title></head><body>x</body></html>'

const siteOf =
  (https: LabHandler) =>
  ({ name, address, issue }: Place): World => ({
    zones: { [name]: { A: [address] } },
    sites: [{ host: name, addresses: [address], https, credentials: issue() }],
  })

const leadsTo = (to: string, expect: Expected): FaultCase => ({
  row: 252,
  of: `a URL that redirects to ${to}`,
  world: siteOf(({ url }) => (url === '/go?t=1' ? { status: 302, headers: [['Location', to]] } : { status: 404 })),
  ask: ({ name }) => asked(`https://${name}/go?t=1`),
  expect,
})

/** Passed when no packet leaves for a place that must not be dialled, which the stage counts. */
const inside: readonly FaultCase[] = [
  ...['http://127.0.0.1/', 'https://169.254.169.254/latest/meta-data/', 'http://[::ffff:7f00:1]:8443/'].map(url =>
    refused(252, url, 422, 'target-not-public'),
  ),
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1'].map(
    (bad): FaultCase => ({
      row: 252,
      of: `a URL whose host is at ${bad} alone`,
      world: ({ name }) => ({ zones: { [name]: bad.includes(':') ? { AAAA: [bad] } : { A: [bad] } } }),
      ask: ({ name }) => asked(`http://${name}:8080/x?token=1`),
      expect: {
        signals: ['resolves_to_private_address'],
        sections: { web: 'not_applicable resolves_to_private_address' },
        connections: [],
        fields: { ip: null, final_url: null },
      },
    }),
  ),
  ...['http://127.0.0.1/', 'http://169.254.169.254/', 'https://[::1]/', 'http://0x7f.1/', 'https://localhost/'].map(
    to => leadsTo(to, { signals: ['redirect_to_non_public'] }),
  ),
  ...[
    'https://u:p@other.lab/',
    'http://other.lab:22/',
    'gopher://other.lab/',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ].map(to => leadsTo(to, { signals: ['redirect_off_the_web'] })),
  {
    row: 252,
    of: 'a URL whose host rebinds with every answer',
    world: place => {
      let count = 0
      return {
        ...siteOf(healthyPage)(place),
        zones: {},
        dns: question => {
          if (question.name !== place.name || question.type !== 'A') return undefined
          count += 1
          return { records: { A: [count % 2 === 1 ? place.address : '127.0.0.1'] } }
        },
      }
    },
    ask: ({ name }) => asked(`https://${name}/`),
    expect: { sections: { web: 'completed' } },
  },
]

const TOKEN = 'secret0token0value'

const pages: readonly FaultCase[] = [
  {
    row: 253,
    of: 'a URL with a token, of which log and problem say nothing',
    world: siteOf(({ url }) => (url.startsWith('/path') ? { body: page } : { status: 404 })),
    async play({ get, place, seen, log }) {
      const url = `https://${place.name}/path/${TOKEN}?t=${TOKEN}`
      const { status, body } = await get(asked(`${url}#${TOKEN}`))
      assert.deepEqual([status, body['url'], body['final_url']], [200, url, url])
      assert.equal((body['content_analysis'] as { title: string }).title, 'What arrived')
      assert.equal(seen.web.requests.filter(one => one.url.includes(TOKEN)).length, 1)
      const { text } = await get(asked(`https://${place.name}:22/${TOKEN}`))
      assert.ok(!text.includes(TOKEN), text)
      const lines = JSON.stringify(await log())
      assert.ok(lines.includes(`https://${place.name}/…`), 'the host is in the log')
      assert.ok(!lines.includes(TOKEN), 'the token is not')
      assert.ok(!JSON.stringify(seen.queries).includes(TOKEN), 'no DNS query has it')
    },
  },
  {
    row: 253,
    of: 'a URL that is not to be visited',
    world: siteOf(() => ({ body: page })),
    ask: ({ name }) => `${asked(`https://${name}/once?t=1`)}&visit=false`,
    expect: {
      connections: [],
      sections: { ssl_info: 'not_applicable not_visited', web: 'not_applicable not_visited' },
      fields: { confidence: 'low', recommendation: 'review', final_url: null },
    },
  },
  {
    row: 253,
    of: 'redirects of a URL in which the query grows without end',
    world: siteOf(({ url }) => ({ status: 302, headers: [['Location', `${url}&again=1`]] })),
    ask: ({ name }) => asked(`https://${name}/?a`),
    expect: { signals: ['too_many_redirects'] },
  },
  {
    row: 253,
    of: 'a URL that redirects to one of 9 000 characters',
    world: siteOf(({ url }) =>
      url.startsWith('/a') ? { body: page } : { status: 302, headers: [['Location', `/${'a'.repeat(9_000)}`]] },
    ),
    ask: ({ name }) => asked(`https://${name}/go`),
    expect: {
      holds: ({ answer: { body } }) => assert.equal(String(body['final_url']).length, 2_048),
    },
  },
]

export const urlFaults: readonly FaultCase[] = [...spellings, ...inside, ...pages]
