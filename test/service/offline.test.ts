import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { hostsNamed } from './hosts.ts'
import { type Result, serviceFor, targetOf } from './lab.ts'

/** The configuration that the page on datasets gives to those without the internet. */
const page = readFileSync(join(import.meta.dirname, '../../docs/datasets.md'), 'utf8')
const [, written = ''] = /<!-- offline -->\n```json\n([\s\S]*?)```/.exec(page) ?? []
const { downloads: _, ...others } = JSON.parse(written) as { downloads: object }

/** Nothing of it has been fetched, ever. */
const cases: readonly (readonly [
  title: string,
  settings: object,
  domain: string,
  reason: string | null,
  kept: string,
])[] = [
  ['as shipped', {}, 'healthy-shop.lab', 'no_list_answered', 'incomplete'],
  ['that would fetch feeds', others, 'healthy-shop.lab', 'no_feed_loaded', 'withheld'],
  ['that has none', JSON.parse(written), 'healthy-shop.lab', null, 'complete'],
  [
    'that has none, of a domain that WHOIS knows',
    JSON.parse(written),
    'healthy-shop.de',
    'registration_whois_host_not_found',
    'withheld',
  ],
]

describe('a check without the internet', () => {
  let internet: LabInternet
  before(async () => {
    const hosts = hostsNamed('healthy-shop.lab')
    const german = hosts.map(host => ({ ...host, name: 'healthy-shop.de', addresses: ['193.0.14.211'] }))
    internet = await startLabInternet([...hosts, ...german])
  })
  after(() => internet.close())

  for (const [title, settings, domain, reason, kept] of cases) {
    it(`by an installation ${title} says ${reason ?? 'that it missed nothing'}`, async () => {
      const network = { resolvers: [internet.dns.address] }
      const service = await serviceFor({ ...settings, network }, { dial: internet.dial, extra_roots: internet.root })
      await service.start()
      try {
        const { result, class: kind } = await service.engine.check(targetOf(service, { domain }))
        const { sections } = (result as unknown as Result).coverage
        assert.deepEqual([sections['reputation']?.reason, kind], [reason, kept])
      } finally {
        await service.close()
      }
    })
  }
})

describe('a service', () => {
  for (const [store, host] of [
    ['postgres://user@db.example/assay?sslmode=disable', 'db.example'],
    ['postgres://192.0.2.7/assay?sslmode=prefer', '192.0.2.7'],
    ['postgres://user@db.example/assay', null],
    ['postgres://user@db.example/assay?sslmode=require', null],
    ['postgres://user@127.0.0.1:5433/assay?sslmode=disable', null],
    ['postgres://[::1]/assay?sslmode=disable', null],
    ['postgres://Localhost/assay?sslmode=disable', null],
    ['postgres:///assay?host=/run/postgresql&sslmode=disable', null],
    [null, null],
  ] as const) {
    it(`${host === null ? 'has nothing to say of' : 'warns of the connection to'} the store ${store}`, async () => {
      const service = await serviceFor({ store, downloads: { enabled: false } })
      await service.close()
      const said = service.notices.filter(notice => notice.startsWith('store: '))
      const notice = `store: the connection to ${host} is not encrypted; remove sslmode from its URL`
      assert.deepEqual(said, host === null ? [] : [notice])
    })
  }
})
