import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hostsSince, serviceHosts } from './hosts.ts'
import { type Checked, type Lab, startLab } from './lab.ts'

const DAY_MS = 86_400_000

describe('a check of a healthy site', () => {
  let lab: Lab
  let checked: Checked
  before(async () => {
    lab = await startLab({ hosts: serviceHosts })
    checked = await lab.check({ domain: 'Healthy-Shop.LAB.' })
  })
  after(() => lab.close())

  it('finds no fault', () => {
    const { domain, risk_score, verdict, is_malicious, signals, scoring_policy } = checked.result
    assert.deepEqual(
      { domain, risk_score, verdict, is_malicious, signals, scoring_policy },
      {
        domain: 'healthy-shop.lab',
        risk_score: 0,
        verdict: 'safe',
        is_malicious: false,
        signals: [],
        scoring_policy: lab.service.policy,
      },
    )
  })

  it('dates the specified fields without a zone and the others in UTC', () => {
    const expiry = new Date(hostsSince.getTime() + 70 * DAY_MS).toISOString().slice(0, 19)
    const { expires_at, not_before } = checked.result['ssl_info'] as Record<string, string>
    assert.equal(expires_at, expiry)
    assert.match(`${not_before} ${checked.result['checked_at']}`, /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ?){2}$/)
  })

  it('completes every section, but for what only a link has', () => {
    const { link, ...sections } = checked.result.coverage.sections
    const { sections: _, ...whole } = checked.result.coverage
    assert.deepEqual(whole, { complete: true, ratio: 1 })
    assert.deepEqual(
      Object.entries(sections).filter(([, { status, reason }]) => status !== 'completed' || reason !== null),
      [],
    )
    assert.equal(link?.reason, 'no_url')
  })

  it('fetches certificate, page and small files over one connection, and tries port 80 apart', () => {
    const { connections, handshakes, requests, result } = checked
    // On a busy machine the other family is dialled, too (RFC 8305).
    const preferred = connections.filter(one => one.startsWith('2a10:'))
    assert.deepEqual(preferred.toSorted(), ['2a10:3781:1::10:443', '2a10:3781:1::10:80'])
    assert.deepEqual(handshakes, ['healthy-shop.lab'])
    assert.deepEqual(
      [...requests].sort(),
      ['/', '/', '/', '/.well-known/security.txt', '/favicon.ico', '/robots.txt', '/sitemap.xml'].map(
        path => `GET healthy-shop.lab${path}`,
      ),
    )
    assert.equal(result.ip, '2a10:3781:1::10')
  })

  it('sends each DNS query once', () => {
    assert.equal(new Set(checked.queries).size, checked.queries.length)
    // 22 of them are about DKIM: a name without keys needs one.
    assert.ok(checked.queries.length <= 46, `${checked.queries.length} questions`)
  })
})
