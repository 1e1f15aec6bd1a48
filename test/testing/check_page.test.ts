import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openPageChecks, type PageChecks } from '../../src/testing/check_page.ts'

describe('openPageChecks', () => {
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks()
  })
  after(() => checks.close())

  const html = '<!doctype html><title>Apples</title><p>Notes on growing apples.'

  it('finds an ordinary page safe', async () => {
    const { verdict, domain } = await checks.check({ url: 'https://orchard-notes.org/', html })
    assert.deepEqual({ verdict, domain }, { verdict: 'safe', domain: 'orchard-notes.org' })
  })

  it('uses the given age of the registration', async () => {
    const { signals } = await checks.check({ url: 'https://orchard-notes.org/', html, age_days: 3 })
    assert.ok(signals.includes('newly_registered_domain'))
    const unknown = await checks.check({ url: 'https://orchard-notes.org/', html, age_days: null })
    assert.equal((unknown['reputation'] as { age_days: unknown }).age_days, null)
  })

  it('uses the given blocklist answers', async () => {
    const lists = [{ id: 'lab', name: 'Lab', categories: ['phishing' as const], strength: 'strong' as const }]
    const { verdict } = await checks.check({ url: 'https://orchard-notes.org/', html, lists })
    assert.equal(verdict, 'malicious')
  })

  it('accepts the URL of the example in the documentation', async () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../docs/evaluation.md'), 'utf8')
    const [, url = ''] = /checks\.check\(\{ url: '([^']+)'/.exec(text) ?? []
    assert.equal((await checks.check({ url, html })).domain, new URL(url).hostname)
  })

  it('rejects a URL without a valid target', async () => {
    await assert.rejects(checks.check({ url: 'https://localhost/', html }), TypeError)
  })
})
