import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openPageChecks, type PageChecks } from '../../src/testing/check_page.ts'
import { sampled } from '../sample.ts'
import { aboutPages } from './presented/about_pages.ts'
import { honestActs } from './presented/honest_acts.ts'
import { lentFiles } from './presented/lent_files.ts'
import { logIns } from './presented/log_ins.ts'
import { type HonestPage, vendorLogIns } from './presented/vendor_logins.ts'

/** The age that counts most against a page, and none: what is older counts less. */
const AGES: Readonly<Record<string, number | null>> = { 'three days': 3, 'unknown age': null }
/** A page of a young domain is looked at twice, whatever is on it. */
const YOUNG = 'three days'

/** They say that the page deceives. */
const ACCUSING = new Set([
  'impersonated_brand',
  'brand_sign_in_step',
  'brand_lure',
  'wallet_repair_lure',
  'router_update_lure',
  'paste_command_lure',
  'tech_support_scare',
  'fake_virus_scan',
  'asks_for_wallet_phrase',
  'asks_for_card_pin',
])

describe('nobody is accused of deceiving', () => {
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks()
  })
  after(() => checks.close())

  const tables: Readonly<Record<string, readonly HonestPage[]>> = {
    'for the log-in of a vendor’s product': vendorLogIns,
    'for an own log-in or sign-up': logIns,
    'for a page about a brand': aboutPages,
    'for what lures tell too': honestActs,
    'for files of others': lentFiles,
  }
  for (const [why, pages] of Object.entries(tables)) {
    for (const { of, domain, html } of sampled(pages, 8)) {
      it(`${why}: ${of}`, async () => {
        for (const [age, age_days] of Object.entries(AGES)) {
          const judged = await checks.check({ url: `https://${domain}/`, html, age_days })
          const accused = judged.signals.filter(id => ACCUSING.has(id))
          assert.deepEqual([accused, judged.verdict], [[], 'safe'], `${age}: ${judged.signals.join(', ')}`)
          if (age !== YOUNG) assert.equal(judged.recommendation, 'allow', age)
        }
      })
    }
  }

  it('in tables of the size that was asked for', () => {
    assert.ok(vendorLogIns.length >= 30, 'vendors')
    assert.ok(honestActs.length >= 60, 'acts')
    assert.equal(new Set(logIns.map(({ domain }) => domain)).size, 16)
    const all = Object.values(tables).flat()
    assert.equal(new Set(all.map(({ of, domain }) => `${of} ${domain}`)).size, all.length)
  })
})
