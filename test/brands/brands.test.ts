import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getDomain, parse } from 'tldts'
import { words } from '../../plugins/content_analysis/brand_sights.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { judgeLookalike } from '../../plugins/reputation/lookalike/judge.ts'
import { brands } from '../../src/brands/brands.ts'
import { configuredBrands } from '../../src/brands/configured_brands.ts'
import { indexOwners } from '../../src/brands/owners.ts'
import { ownTopLevels, regionalDomains } from '../../src/brands/regions.ts'
import { readSettings } from '../../src/config/config.ts'
import { loadRegistry } from '../../src/config/plugins.ts'
import { identify } from '../../src/targets/identity.ts'
import { signalsOf } from '../plugins/content_analysis_page.ts'

const ownersOf = indexOwners(brands)
const ownerNames = (host: string) => ownersOf(host).map(({ name }) => name)

describe('the owner of a host', () => {
  const rows: readonly [host: string, brand: string | null][] = [
    ['paypal.com', 'PayPal'],
    ['www.paypal.com', 'PayPal'],
    ['login.business.paypal.com', 'PayPal'],
    ['notpaypal.com', null],
    ['paypal.com.evil.example', null],
    ['citicards.com', 'Citibank'],
    ['amazon.com.be', 'Amazon'],
    ['amazon.nl', 'Amazon'],
    ['www.amazon.co.jp', 'Amazon'],
    ['amazon.co.zz', null],
    ['uniswap.org', 'Uniswap'],
    ['app.uniswap.org', 'Uniswap'],
    ['crash.steampowered.com', 'Steam'],
    ['online.citi', 'Citibank'],
    ['somebody.sharepoint.com', null],
    ['www.access.service.gov.uk', 'GOV.UK'],
    ['somebody.github.io', null],
    ['somebody.blogspot.com', null],
    ['192.0.2.1', null],
    ['paypal.com.co', null],
    ['paypal.com.ng', null],
    ['netflix.com.ng', null],
  ]
  for (const [host, brand] of rows) {
    it(`${host}: ${brand ?? 'no known brand'}`, () => {
      assert.equal(brand === null ? ownerNames(host).length === 0 : ownerNames(host).includes(brand), true)
    })
  }
})

describe('the table of brands', () => {
  it('is shared by names and pages: every domain is its brand’s own for both', () => {
    const login = { action: '/in', formactions: [], method: 'post' as const, inputs: ['password'] }
    for (const { name, domains, phrases, family } of brands) {
      for (const domain of domains) {
        const host = domain.includes('.') ? domain : `example.${domain}`
        assert.equal(judgeLookalike(host, identify(host).owner), null, host)
        assert.ok(ownerNames(host).includes(name), host)
        if (family || phrases[0] === undefined) continue
        const found = signalsOf({ url: `https://${host}/`, title: phrases[0], forms: [login] })
        assert.ok(!found.includes('impersonated_brand'), `${name} at ${host}`)
      }
    }
  })

  it('has regions and top-level domains only of known brands, all of them domains', () => {
    const names = new Set(brands.map(({ name }) => name))
    for (const [brand, domains] of Object.entries(regionalDomains)) {
      assert.ok(names.has(brand), brand)
      for (const domain of domains) assert.ok(getDomain(domain) === domain || domain === 'amazon.com.be', domain)
    }
    for (const [brand, tops] of Object.entries(ownTopLevels)) {
      assert.ok(names.has(brand), brand)
      for (const top of tops) assert.ok(parse(`example.${top}`).isIcann === true || top === 'gle', top)
    }
  })

  it('has phrases to search in pages', () => {
    for (const { name, phrases } of brands)
      assert.ok(
        phrases.every(phrase => words(phrase).trim() !== ''),
        name,
      )
  })
})

describe('brands of the operator', () => {
  const acme = [{ brand: 'Acme', names: ['Acme Bank'], domains: ['acme.example', 'acme.co.uk'] }]

  it('are recognised by words in names and phrases in pages', () => {
    const [brand] = configuredBrands(acme)
    assert.deepEqual([brand?.words, brand?.phrases], [['acmebank'], ['acme bank']])
    assert.equal(configuredBrands(acme), configuredBrands(acme))
  })

  it('apply to names and pages from one configuration entry', async () => {
    const read = readSettings({ brands: acme }, process.cwd(), {})
    assert.deepEqual(read.faults, [])
    const { registry, faults } = await loadRegistry(builtInPlugins, read.config, process.cwd())
    assert.deepEqual(faults, [])
    const given = registry.analyzers.flatMap(({ analyzer, options }) =>
      JSON.stringify(options).includes('Acme Bank') ? [analyzer.name] : [],
    )
    assert.deepEqual(given.sort(), ['content_analysis', 'link', 'reputation'])
  })

  it('are recognised when names imitate them', () => {
    const judged = (name: string) =>
      judgeLookalike(name, identify(name).owner, { brands: configuredBrands(acme) })?.brand
    assert.deepEqual(
      [judged('acmebank-login.com'), judged('login.acme.co.uk'), judged('paypal-login.com')],
      ['Acme', undefined, 'PayPal'],
    )
  })
})
