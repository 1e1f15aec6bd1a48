import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { getDomain, getPublicSuffix, parse } from 'tldts'
import { words } from '../../../plugins/content_analysis/brand_sights.ts'
import { builtInPlugins } from '../../../plugins/index.ts'
import { judgeLookalike } from '../../../plugins/reputation/lookalike/judge.ts'
import { packageRoot } from '../../../src/base/package_root.ts'
import { readSettings } from '../../../src/config/config.ts'
import { loadRegistry } from '../../../src/engine/plugins.ts'
import { brands } from '../../../src/knowledge/brands/brands.ts'
import { configuredBrands } from '../../../src/knowledge/brands/configured_brands.ts'
import { indexOwners } from '../../../src/knowledge/brands/owners.ts'
import type { Sector } from '../../../src/knowledge/brands/sector_schema.ts'
import { identify } from '../../../src/targets/identity.ts'
import { signalsOf } from '../../plugins/content_analysis_page.ts'

const ownersOf = indexOwners(brands)
const SECTORS = join(packageRoot, 'src/knowledge/brands/sectors')
/** `gle` is in the root zone, but not yet on the list of public suffixes. */
const isTopLevel = (domain: string): boolean => parse(`example.${domain}`).isIcann === true || domain === 'gle'
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
  it('holds every brand of every file, each name once', () => {
    const written = readdirSync(SECTORS).flatMap(
      file => (JSON.parse(readFileSync(join(SECTORS, file), 'utf8')) as Sector).brands,
    )
    assert.deepEqual(brands.map(({ name }) => name).sort(), written.map(({ name }) => name).sort())
    assert.equal(new Set(brands.map(({ name }) => name)).size, brands.length)
  })

  it('has files of others only at or below domains of the brand', () => {
    const all = brands.flatMap(brand => brand.uploads.map(upload => [brand, upload] as const))
    const strange = all.filter(
      ([{ domains }, upload]) => !domains.some(domain => upload === domain || upload.endsWith(`.${domain}`)),
    )
    assert.ok(all.length >= 40)
    assert.deepEqual(
      strange.map(([{ name }, upload]) => `${name}: ${upload}`),
      [],
    )
  })

  it('says of a word of a brand whether its sight suffices', () => {
    const kinds = (name: string) =>
      brands.find(brand => brand.name === name)?.brandWords.map(({ text, kind, language }) => [text, kind, language])
    assert.deepEqual(kinds('Capital One'), [['capital one', 'distinctive', undefined]])
    assert.deepEqual(kinds('TIM')?.slice(0, 2), [
      ['timbusiness', 'distinctive', undefined],
      ['tim', 'name', undefined],
    ])
    assert.deepEqual(kinds('Uber')?.[0], ['uber', 'word', 'de'])
  })

  it('completes an entry: national domains, words of host names, phrases that suffice on a page', () => {
    const facts = brands.find(({ name }) => name === 'Crédit Agricole')
    assert.deepEqual([facts?.words, facts?.phrases], [['creditagricole'], ['crédit agricole']])
    const walmart = brands.find(({ name }) => name === 'Walmart')
    assert.equal(walmart?.domains[0], 'walmart.com')
    assert.ok(walmart?.domains.includes('walmart.co.cr'))
    const steam = brands.find(({ name }) => name === 'Steam')
    assert.deepEqual(steam?.words, ['steamcommunity', 'steampowered', 'steam'])
    assert.equal(steam?.phrases.includes('steam'), false)
  })

  it('writes each word once for a brand, in lower case', () => {
    for (const { name, brandWords } of brands) {
      const texts = brandWords.map(({ text }) => text)
      assert.deepEqual(
        texts,
        [...new Set(texts)].map(text => text.toLowerCase()),
        name,
      )
    }
  })

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

  it('has as domains only registrable names, names below a public suffix that the brand owns, and top-level domains', () => {
    const odd = brands.flatMap(({ domains }) =>
      domains.filter(domain =>
        domain.includes('.') ? getDomain(domain) === null && getPublicSuffix(domain) !== domain : !isTopLevel(domain),
      ),
    )
    assert.deepEqual(odd, [])
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
