import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { threatTypes } from '../../../src/engine/scoring/threats.ts'
import { openPageChecks, type PageChecks } from '../../../src/testing/check_page.ts'

describe('threat types', () => {
  const details = [
    { id: 'a', severity: 'high', points: 35, threat_types: ['spam'] },
    { id: 'b', severity: 'high', points: 12 },
    { id: 'c', severity: 'critical', points: 0, threat_types: ['phishing'] },
    { id: 'd', severity: 'low', points: 1, threat_types: ['spam', 'proxy'] },
  ] as const

  it('are those of the signals, each once, most serious first', () => {
    assert.deepEqual(threatTypes('block', details), ['phishing', 'spam', 'proxy'])
    assert.deepEqual(threatTypes('review', details), ['phishing', 'spam', 'proxy'])
  })

  it('are empty for an allowed target', () => {
    assert.deepEqual(threatTypes('allow', details), [])
  })

  const listed = (categories: readonly string[], strength: string) =>
    [{ id: 'lab', name: 'Lab', categories, strength }] as never
  const page = { url: 'https://shop.example.com/', html: '<title>Shop</title><p>Bread.</p>' }
  const cases = [
    { title: 'a list’s own kind', lists: listed(['malware'], 'strong'), types: ['malware'] },
    { title: 'all kinds of a list', lists: listed(['spam', 'botnet'], 'strong'), types: ['spam', 'botnet'] },
    { title: 'no kind of a policy listing', lists: listed(['policy'], 'none'), types: [] },
    { title: 'no kind of a clean site', lists: [], types: [] },
  ]
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks()
  })
  after(() => checks.close())

  for (const { title, lists, types } of cases) {
    it(`of a result: ${title}`, async () => {
      const { threat_types, signal_details } = await checks.check({ ...page, lists })
      assert.deepEqual(threat_types, types)
      assert.ok(signal_details.every(one => Array.isArray(one['threat_types' as never])))
    })
  }

  it('of a result match what was seen', async () => {
    const html = '<title>PayPal: log in</title><form action="next.php" method="post"><input type="password"></form>'
    const { threat_types } = await checks.check({ url: 'https://paypal-login-secure.com/', html, age_days: 3 })
    assert.deepEqual(threat_types, ['phishing'])
  })
})
