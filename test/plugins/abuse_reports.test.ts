import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import plugins from '../../plugins/abuse_reports/index.ts'
import { readReports } from '../../plugins/abuse_reports/source.ts'
import { engineOf, settings } from '../engine/engine_of.ts'
import { domainTarget, ipTarget } from '../evidence_of.ts'
import { hostsNamed } from '../service/hosts.ts'
import { allOff, type Lab, startLab } from '../service/lab.ts'

const [, analyzer] = plugins
const IP = '93.184.216.34'
const reported = (confidence: number) => ({
  ip: IP,
  confidence,
  reports: 12,
  reporters: 5,
  last_reported_at: '2026-11-19T08:00:00.000Z',
})
const answer = (parts: Record<string, unknown> = {}) => ({
  data: {
    ipAddress: IP,
    abuseConfidenceScore: 80,
    totalReports: 12,
    numDistinctUsers: 5,
    lastReportedAt: '2026-11-19T09:00:00+01:00',
    ...parts,
  },
})

describe('abuse_reports', () => {
  const domain = domainTarget('example.com')
  const table: [title: string, confidence: number, target: typeof domain, points: number | undefined][] = [
    ['cost an address as much as the directory is sure', 80, ipTarget(IP), 28],
    ['cost it all when that is quite sure', 100, ipTarget(IP), 35],
    ['cost a name at that address less, for others share it', 80, domain, 8.4],
    ['cost nothing below the least confidence', 24, ipTarget(IP), undefined],
  ]
  for (const [title, confidence, target, points] of table) {
    it(title, async () => {
      const evidence = { abuse_reports: reported(confidence) }
      const engine = engineOf([analyzer], { evidence, settings: settings({ abuse_reports: true }) })
      const { result } = await engine.check(target)
      const details = result['signal_details'] as { id: string; points: number }[]
      assert.deepEqual(result['abuse_reports'], reported(confidence))
      assert.equal(details.find(({ id }) => id === 'reported_for_abuse')?.points, points)
    })
  }

  it('are read from the directory’s answer', () => assert.deepEqual(readReports(answer()), reported(80)))
  it('can be none', () => assert.equal(readReports(answer({ lastReportedAt: null }))?.last_reported_at, null))
  for (const [title, body] of [
    ['an error', { errors: [{ status: 422 }] }],
    ['null', null],
    ['a confidence beyond a hundred', answer({ abuseConfidenceScore: 101 })],
    ['an address that is none', answer({ ipAddress: 'x'.repeat(46) })],
  ] as const) {
    it(`are not read from ${title}`, () => assert.equal(readReports(body), null))
  }
})

describe('a service that asks AbuseIPDB', () => {
  let lab: Lab
  const options = { key: 'K3Y', endpoint: 'https://abuse.lab/api/v2', days: 7 }
  before(async () => {
    lab = await startLab({
      hosts: [
        ...hostsNamed('expired-certificate.lab'),
        {
          name: 'abuse.lab',
          addresses: ['193.0.14.202'],
          https: ({ url, headers }) =>
            headers['key'] === 'K3Y' && url === '/api/v2/check?ipAddress=193.0.14.20&maxAgeInDays=7'
              ? { body: JSON.stringify(answer({ ipAddress: '193.0.14.20' })) }
              : { status: 401, body: '{}' },
        },
      ],
      settings: { plugins: { ...allOff, abuse_reports: true, abuseipdb: { options } } },
    })
  })
  after(() => lab.close())

  for (const asked of [{ domain: 'expired-certificate.lab' }, { ip: '193.0.14.20' }]) {
    it(`shows the reports of ${asked.domain ?? asked.ip}`, async () => {
      const { result } = await lab.check(asked)
      assert.deepEqual(result['abuse_reports'], { ...reported(80), ip: '193.0.14.20' })
      assert.ok(result.signals.includes('reported_for_abuse'))
    })
  }
})
