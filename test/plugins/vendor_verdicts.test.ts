import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import plugins from '../../plugins/vendor_verdicts/index.ts'
import { readVerdicts } from '../../plugins/vendor_verdicts/source.ts'
import { EXAMPLE, engineOf, settings } from '../engine/engine_of.ts'
import { hostsNamed } from '../service/hosts.ts'
import { allOff, configured, type Lab, startLab } from '../service/lab.ts'

const [, analyzer] = plugins
const verdicts = (malicious: number, harmless = 60) => ({ malicious, suspicious: 1, harmless, undetected: 9 })
const KEY = 'K3Y-of-the-vendors'

describe('vendor_verdicts', () => {
  const table: [title: string, malicious: number, points: number | undefined][] = [
    ['cost nothing when nobody calls it malicious', 0, undefined],
    ['cost a share when one does', 1, 17.5],
    ['cost half when half as many do as must agree', 2, 35],
    ['cost all when as many do', 4, 70],
    ['cost no more when all do', 70, 70],
  ]
  for (const [title, malicious, points] of table) {
    it(title, async () => {
      const evidence = { vendor_verdicts: verdicts(malicious) }
      const on = settings({ vendor_verdicts: true })
      const { result } = await engineOf([analyzer], { evidence, settings: on }).check(EXAMPLE)
      const details = result['signal_details'] as { id: string; points: number }[]
      assert.deepEqual(result['vendor_verdicts'], verdicts(malicious))
      assert.equal(details.find(({ id }) => id === 'flagged_by_vendors')?.points, points)
    })
  }

  it('are not zeros if no vendor knows the target', async () => {
    const nobody = { malicious: 0, suspicious: 0, harmless: 0, undetected: 0 }
    const on = settings({ vendor_verdicts: true })
    const { result } = await engineOf([analyzer], { evidence: { vendor_verdicts: nobody }, settings: on }).check(
      EXAMPLE,
    )
    const { sections } = result['coverage'] as { sections: Record<string, { status: string; reason: string | null }> }
    const { status, reason } = sections['vendor_verdicts'] ?? {}
    assert.deepEqual([status, reason, result['vendor_verdicts']], ['not_applicable', 'unknown_to_vendors', null])
  })

  it('are disabled by default', async () => {
    const { result } = await engineOf([analyzer], { evidence: { vendor_verdicts: verdicts(9) } }).check(EXAMPLE)
    assert.deepEqual([result['risk_score'], 'vendor_verdicts' in result], [0, false])
  })

  for (const [title, body] of [
    ['an error', { error: { code: 'NotFoundError' } }],
    ['no object', 'null'],
    ['counts that are none', { data: { attributes: { last_analysis_stats: { ...verdicts(1), malicious: -1 } } } }],
    ['half of the counts', { data: { attributes: { last_analysis_stats: { malicious: 1 } } } }],
  ] as const) {
    it(`are not read from ${title}`, () => assert.equal(readVerdicts(body), null))
  }
})

describe('a service that queries VirusTotal', () => {
  let lab: Lab
  const options = { key: KEY, endpoint: 'https://vendors.lab/api/v3' }
  before(async () => {
    const known = { data: { attributes: { last_analysis_stats: verdicts(3) } } }
    lab = await startLab({
      hosts: [
        ...hostsNamed('healthy-shop.lab'),
        {
          name: 'vendors.lab',
          addresses: ['193.0.14.201'],
          https: ({ url, headers }) =>
            headers['x-apikey'] === KEY && url === '/api/v3/domains/healthy-shop.lab'
              ? { body: JSON.stringify(known) }
              : { status: 401, body: '{}' },
        },
      ],
      settings: { plugins: { ...allOff, vendor_verdicts: { options: { agreed: 3 } }, virustotal: { options } } },
    })
  })
  after(() => lab.close())

  it('shows its answer as a section, with its points', async () => {
    const { result } = await lab.check({ domain: 'healthy-shop.lab' })
    assert.deepEqual(result['vendor_verdicts'], verdicts(3))
    assert.ok(result.signals.includes('flagged_by_vendors'))
    assert.ok(!JSON.stringify(result).includes(KEY))
  })

  it('is unavailable without a key, and says so', async () => {
    await assert.rejects(configured({ plugins: { virustotal: { options: { kee: '' } } } }), {
      message: 'plugins.virustotal.options.kee: unknown key; did you mean "key"?',
    })
    const other = await startLab({
      hosts: hostsNamed('healthy-shop.lab'),
      settings: { plugins: { ...allOff, dns_security: true, vendor_verdicts: true, virustotal: true } },
    })
    const { result } = await other.check({ domain: 'healthy-shop.lab' })
    await other.close()
    const { status, reason } = result.coverage.sections['vendor_verdicts'] ?? {}
    assert.deepEqual([status, reason, result['vendor_verdicts']], ['unavailable', 'not_configured', null])
  })
})
