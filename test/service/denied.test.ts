// What the operator denies is never contacted, whatever leads there, and counts against nobody.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import { type Checked, type Lab, startLab } from './lab.ts'

const PUBLIC = '193.0.14.120'
const KEPT = '193.0.14.121'
const RANGE = '193.0.77.5'
const page = '<!doctype html><html lang="en"><title>A page</title><body><h1>A page</h1></body></html>'
const serve = () => ({ body: page })
const moved = (to: string) => () => ({ status: 302, headers: [['Location', to] as const] })

/** Answers to everything, so that a request that should not be made would be seen. */
const kept = (name: string, address = KEPT): LabHost => ({ name, addresses: [address], http: serve, https: serve })

const hosts: readonly LabHost[] = [
  kept('kept.lab'),
  kept('feeds.kept.lab'),
  kept('in-range.lab', RANGE),
  { name: 'alias.lab', addresses: [], records: { CNAME: ['www.kept.lab'] }, zones: { 'www.kept.lab': { A: [KEPT] } } },
  { name: 'moved.lab', addresses: [PUBLIC], http: moved('http://kept.lab/'), https: moved('https://kept.lab/') },
  {
    name: 'surrounded.lab',
    addresses: [PUBLIC],
    records: { MX: [{ preference: 10, exchange: 'mail.kept.lab' }], TXT: ['v=spf1 mx -all'] },
    zones: {
      'mail.kept.lab': { A: [RANGE] },
      'www.surrounded.lab': { CNAME: ['kept.lab'] },
      '_mta-sts.surrounded.lab': { TXT: ['v=STSv1; id=1'] },
      'mta-sts.surrounded.lab': { A: [RANGE] },
    },
    http: serve,
    https: ({ url }) => {
      if (url === '/') return { body: page }
      if (url !== '/robots.txt') return { status: 404 }
      const body = 'Sitemap: https://kept.lab/sitemap.xml\n'
      return { headers: [['Content-Type', 'text/plain']], body }
    },
  },
  {
    name: 'behind-nat64.lab',
    addresses: ['193.0.14.122', '64:ff9b::c100:e7a'],
    http: serve,
    https: serve,
  },
]

describe('a service whose operator denies names and ranges', () => {
  let lab: Lab
  before(async () => {
    const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))
    lab = await startLab({
      hosts,
      settings: {
        datasets: { ...off, ours: { use: 'feed', url: 'https://feeds.kept.lab/list.txt', category: 'phishing' } },
        downloads: { enabled: true },
        green_hosting: { enabled: false },
        blocklists: { enabled: {} },
      },
      network: { deny: ['kept.lab', '193.0.77.0/24'], unsafe_allow: ['193.0.77.0/24', KEPT] },
    })
  })
  after(() => lab.close())

  const refusedTargets = [
    { domain: 'kept.lab' },
    { domain: 'deep.below.KEPT.lab.' },
    { domain: 'kept.lab', ip: PUBLIC },
    { domain: 'moved.lab', ip: RANGE },
    { ip: RANGE },
    { ip: `::ffff:${RANGE}` },
  ]
  for (const asked of refusedTargets)
    it(`refuses ${Object.values(asked).join(' at ')} with the answer for what is not public`, () => {
      const before = lab.internet.dns.queries.length
      assert.throws(() => lab.target(asked), {
        message: 'The target is not globally reachable, or this service is configured not to check it.',
      })
      assert.equal(lab.internet.dns.queries.length, before)
    })

  const reasonOf = ({ result }: Checked, section: string) => {
    const { status, reason } = result.coverage.sections[section] ?? {}
    return [status, reason]
  }
  const accusing = ({ result }: Checked) => result.signals.filter(id => /private|public/.test(id))

  for (const domain of ['in-range.lab', 'alias.lab'])
    it(`connects to nothing for ${domain}, which leads there, and raises no signal`, async () => {
      const checked = await lab.check({ domain })
      assert.deepEqual(checked.sockets.length, 0)
      for (const section of ['ssl_info', 'content_analysis', 'security_headers', 'geo_location'])
        assert.deepEqual(
          [checked.result[section], ...reasonOf(checked, section)],
          [null, 'unavailable', 'denied'],
          section,
        )
      assert.deepEqual([checked.result.coverage.complete, accusing(checked)], [false, []])
    })

  it('follows no redirect there: the page stays unknown', async () => {
    const checked = await lab.check({ domain: 'moved.lab' })
    assert.deepEqual(reasonOf(checked, 'content_analysis'), ['unavailable', 'denied'])
    assert.deepEqual(reasonOf(checked, 'ssl_info'), ['completed', null])
    assert.ok(checked.connections.every(connection => connection.startsWith(PUBLIC)))
    assert.deepEqual(accusing(checked), [])
  })

  it('asks nothing of the hosts that a site names beside itself: mail servers, policies, sitemaps, www', async () => {
    const checked = await lab.check({ domain: 'surrounded.lab' })
    assert.ok(checked.connections.length > 0)
    assert.ok(checked.connections.every(connection => connection.startsWith(PUBLIC)))
    assert.ok(checked.requests.every(request => !request.includes('kept.lab')))
    assert.deepEqual(accusing(checked), [])
  })

  it('fetches no dataset from there, and says why', async () => {
    const refreshed = await lab.service.datasets.refresh('ours', { signal: new AbortController().signal, force: false })
    assert.deepEqual(refreshed, { status: 'failed', reason: 'denied' })
    assert.ok(lab.internet.web.seen.connections.every(connection => !connection.startsWith(KEPT)))
  })

  it('takes the AAAA records of a DNS64 resolver for none', async () => {
    const checked = await lab.check({ domain: 'behind-nat64.lab' })
    assert.deepEqual([checked.result.ip, accusing(checked)], ['193.0.14.122', []])
    assert.deepEqual(reasonOf(checked, 'content_analysis'), ['completed', null])
  })
})
