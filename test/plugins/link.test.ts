import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import plugin from '../../plugins/link/index.ts'
import { composites, signals } from '../../plugins/link/signals.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { openPageChecks } from '../../src/testing/check_page.ts'
import { assertCheap } from '../cpu.ts'
import { describeSection } from '../engine/report/shipped.ts'
import { honestLinks } from './link_honest.ts'

const now = new Date('2026-11-24T00:00:00Z')
const options = { brands: [] }
const validate = sectionAjv().compile(plugin.schema)

function analyze(url: string, given: { brands: typeof options.brands } = options) {
  const parsed = parseTarget({ domain: null, ip: null, url }, unvetted)
  assert.ok(parsed.ok, `${url} is not refused`)
  const finding = plugin.analyze({}, { target: parsed.target, options: given, missing: {}, now })
  assert.ok('section' in finding && validate(finding.section), JSON.stringify(validate.errors))
  return finding
}

const pointsOf = (found: ReturnType<typeof analyze>['signals']): number =>
  found.reduce((sum, { id, strength = 1 }) => sum + signals[id].weight * strength, 0)

const host = 'https://corner-bakery.de'

/** [what the link has, link, signals with their strengths] */
const cases: readonly (readonly [title: string, url: string, found: Readonly<Record<string, number>>])[] = [
  ['nothing unusual', `${host}/bread/rye.html?size=500#top`, {}],
  ['a brand as a folder', `${host}/PayPal/`, { brand_in_path: 0.5 }],
  ['a brand with a lure', `${host}/paypal-security/index.php`, { brand_in_path: 1 }],
  ['a brand and a lure written together', `${host}/PayPalaccount/`, { brand_in_path: 1 }],
  ['a brand of two words', `${host}/wells_fargo/home/`, { brand_in_path: 0.5 }],
  ['a brand with a year', `${host}/netflix2026/`, { brand_in_path: 0.5 }],
  ['a brand as a file', `${host}/file/dropbox.html`, { brand_in_path: 0.5 }],
  ['an everyday word that is a brand too', `${host}/chase/home.php`, {}],
  ['such a word beside a log-in', `${host}/chase/login.php`, { brand_in_path: 0.5 }],
  ['a brand as the subject of a tag', `${host}/tag/paypal/`, {}],
  ['a brand as a way to sign in', `${host}/oauth/google`, {}],
  ['a brand within a long slug', `${host}/how-to-spot-a-fake-paypal-mail/`, {}],
  ['a brand on its own domain', 'https://www.paypal.com/paypal-security/', {}],
  ['a brand on the site of another brand', 'https://www.facebook.com/paypal', {}],
  ['a brand in the query', `${host}/?utm_source=paypal-security`, {}],
  ['two lure words', `${host}/account-update.php`, { lure_in_path: 1 }],
  ['two lure words written together', `${host}/verifyaccount/`, { lure_in_path: 0.7 }],
  ['one lure word as a page', `${host}/verification.php`, { lure_in_path: 0.7 }],
  ['one lure word as a folder', `${host}/verify/0a1b2c`, {}],
  ['a page for signing in', `${host}/signin.php`, { lure_in_path: 0.3 }],
  ['a page for logging in', `${host}/login.php`, {}],
  ['PayPal’s old script', `${host}/cgi-bin/webscr`, { lure_in_path: 1 }],
  ['a brand’s host in the path', `${host}/www.paypal.com/`, { host_in_path: 1 }],
  ['a brand’s host within a folder’s name', `${host}/https.wellsfargo.com.home/`, { host_in_path: 1 }],
  ['a brand’s host as a page', `${host}/login.microsoftonline.com.html`, { host_in_path: 1 }],
  ['another host', `${host}/www.garden-club.org/`, { host_in_path: 0.3 }],
  ['its own host', `${host}/www.corner-bakery.de/`, {}],
  ['an archived URL', `${host}/web/2016/http://www.paypal.com/`, {}],
  ['a host that is looked up', `${host}/whois/paypal.com`, {}],
  ['a name under a brand’s top-level domain', `${host}/case-for.apple`, {}],
  ['a page in wp-includes', `${host}/wp-includes/js/87/ale.php`, { page_in_asset_folder: 1 }],
  ['a folder in wp-includes', `${host}/wp-includes/indo/`, { page_in_asset_folder: 1 }],
  ['a script in wp-includes', `${host}/wp-includes/js/jquery/jquery.min.js?ver=3`, {}],
  ['a page among uploads', `${host}/wp-content/uploads/2026/mailbox/form.php`, { page_in_asset_folder: 1 }],
  ['a picture among uploads', `${host}/wp-content/uploads/2026/11/rye.jpg`, {}],
  ['a page of a plug-in', `${host}/wp-content/plugins/seo/form.php`, { page_in_asset_folder: 0.7 }],
  ['a page below wp-admin', `${host}/wp-admin/css/front/form.html`, { page_in_asset_folder: 1 }],
  ['a page of wp-admin', `${host}/wp-admin/post.php?post=1`, {}],
  ['a page of many sites’ wp-admin', `${host}/wp-admin/network/sites.php`, {}],
  ['a page in .well-known', `${host}/.well-known/x/index.html`, { page_in_asset_folder: 1 }],
  ['a script in acme-challenge', `${host}/.well-known/acme-challenge/x/index.php`, { page_in_asset_folder: 1 }],
  ['a challenge', `${host}/.well-known/acme-challenge/0a1b2c3d`, {}],
  ['security.txt', `${host}/.well-known/security.txt`, {}],
  ['assetlinks.json', `${host}/.well-known/assetlinks.json`, {}],
  ['a document that proves control', `${host}/.well-known/pki-validation/fileauth.htm`, {}],
  ['an unknown name of .well-known', `${host}/.well-known/new-standard`, {}],
  ['a page in a hidden folder', `${host}/.energy/365/next.php`, { page_in_asset_folder: 1 }],
  ['a page among style sheets', `${host}/css/x/form.php`, { page_in_asset_folder: 0.7 }],
  ['a document among scripts', `${host}/docs/js/intro.html`, {}],
  ['an address in the query', `${host}/?user=jane.doe%40example.com`, { email_address_in_link: 0.5 }],
  ['an address in Base64', `${host}/?u=amFuZS5kb2VAZXhhbXBsZS5jb20=`, { email_address_in_link: 1 }],
  ['an address in Base64 without a name', `${host}/?amFuZS5kb2VAZXhhbXBsZS5jb20`, { email_address_in_link: 1 }],
  ['an address as a folder', `${host}/x/jane@example.com`, { email_address_in_link: 1 }],
  ['an address in a path like a fragment', `${host}/x/%23jane@example.com`, { email_address_in_link: 1 }],
  ['an address encoded twice', `${host}/?u=jane%2540example.com`, { email_address_in_link: 0.5 }],
  ['an address of another server’s user', `${host}/@jane@example.com`, {}],
  ['a host before an @', `${host}/www.garden-club.org@x/`, { host_beside_at_sign: 1 }],
  ['a host after an @', `${host}/@garden-club.org/`, { host_beside_at_sign: 1 }],
  ['a handle', `${host}/@jane.doe/post`, {}],
  ['a package', `${host}/npm/bootstrap@5.3.2/dist/`, {}],
  ['a position', `${host}/maps/@52.52,13.40,15z`, {}],
  ['a path encoded twice', `${host}/%2576erify/`, { double_encoding: 1 }],
  ['letters of the query encoded twice', `${host}/?u=%2568ttp`, { double_encoding: 1 }],
  ['separators of the query encoded twice', `${host}/?next=https%3A%2F%2Fa.de%2F%3Fb%3D%2520`, {}],
  ['Google’s redirector', 'https://www.google.com/url?q=https://evil.example.org/', { open_redirector: 1 }],
  ['Google’s redirector in another country', 'https://www.google.co.uk/url?q=//evil.org', { open_redirector: 1 }],
  ['Google’s other redirector', 'https://www.google.com/amp/s/evil.org/x.html', { open_redirector: 1 }],
  ['Facebook’s redirector', 'https://l.facebook.com/l.php?u=https%3A%2F%2Fevil.org', { open_redirector: 1 }],
  ['Bing’s redirector', 'https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9ldmlsLm9yZy8', { open_redirector: 1 }],
  ['a redirector to the service itself', 'https://www.google.com/url?q=https://maps.google.com/', {}],
  ['a redirector without a destination', 'https://www.google.com/url?sa=D', {}],
  ['a redirector that checks', 'https://urldefense.com/v3/__https://www.museum.nl/__;!!A!b$', {}],
]

describe('link', () => {
  for (const [title, url, expected] of cases) {
    it(`finds ${Object.keys(expected).join(' and ') || 'nothing'} in a link with ${title}`, () => {
      const found = analyze(url).signals.map(({ id, strength = 1 }) => [id, strength] as const)
      assert.deepEqual(Object.fromEntries(found), expected)
    })
  }

  it('reports all facts of a link, without the address and the values of its query', () => {
    const url = `${host}/wp-includes/www.paypal.com/netflix/account-update.php?u=amFuZS5kb2VAZXhhbXBsZS5jb20&token=s3cr3tT0ken`
    const { section, signals: found } = analyze(url)
    assert.deepEqual(section, {
      brands: ['PayPal', 'Netflix'],
      hosts_in_path: ['www.paypal.com'],
      lure: 'update account',
      asset_folder: 'wp-includes',
      email_address: { place: 'query', encoding: 'base64' },
      host_beside_at_sign: null,
      double_encoding: null,
      redirector: null,
    })
    assert.doesNotMatch(JSON.stringify([section, found]), /jane|amFu|s3cr3t|token/i)
  })

  it('says where a redirector leads, without path and query', () => {
    const { section, signals: found } = analyze(
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fevil.org%2Fa%3Ft%3Ds3cr3t',
    )
    assert.deepEqual(section.redirector, { service: 'Facebook', leads_to: 'evil.org', guarded: false })
    assert.doesNotMatch(JSON.stringify([section, found]), /s3cr3t/)
  })

  it('finds the operator’s own brands', () => {
    const given = { brands: [{ brand: 'Acme', names: ['acme bank'], domains: ['acme.example.com'] }] }
    const found = analyze(`${host}/acmebank/`, given as unknown as typeof options)
    assert.deepEqual(found.section.brands, ['Acme'])
  })

  it('judges the link of an address as well', () => {
    assert.deepEqual(analyze('http://93.184.216.34/paypal-login/').section.brands, ['PayPal'])
  })

  it('does not apply to a name or an address', () => {
    for (const requested of [
      { domain: 'paypal.com', ip: null },
      { domain: null, ip: '93.184.216.34' },
    ]) {
      const parsed = parseTarget(requested, unvetted)
      assert.ok(parsed.ok, 'the target is valid')
      const context = { target: parsed.target, options, missing: {}, now }
      assert.deepEqual(plugin.analyze({}, context), { notApplicable: 'no_url' })
    }
  })

  it('is described in words', () => {
    const words = (url: string) => describeSection('link', analyze(url).section, { reason: null }).summary
    assert.deepEqual(words(`${host}/www.paypal.com/`), [
      'The path of the link names ',
      { text: 'PayPal, www.paypal.com' },
      ', but the site is not theirs.',
    ])
    assert.deepEqual(words(`${host}/bread`), ['Nothing about the link itself is unusual.'])
    assert.deepEqual(words(`${host}/wp-includes/x/`), ['The link has unusual parts.'])
  })

  it('reads any link in little time, repeats no value of its query and keeps its points', () => {
    const piece = fc.constantFrom(
      'paypal',
      '@',
      '.',
      '/',
      '%25',
      '%',
      'login',
      'a'.repeat(60),
      'www.',
      'com',
      '-',
      '=',
      '&',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), fc.stringMatching(/^Zq[0-9a-f]{16}$/), (pieces, secret) => {
        const url = `${host}/${pieces.join('')}`.slice(0, 1_900)
        const parsed = parseTarget({ domain: null, ip: null, url: `${url}?t=${secret}` }, unvetted)
        if (!parsed.ok) return
        const { section, signals: found } = analyze(`${url}?t=${secret}`)
        assert.ok(!JSON.stringify([section, found]).includes(secret), 'the value of the query is not repeated')
        assert.ok(pointsOf(found) <= 30, 'all signals together stay within safe')
      }),
    )
    const hostile = [
      'paypal'.repeat(300),
      '@.'.repeat(900),
      'a.'.repeat(900),
      '/login'.repeat(300),
      'verify'.repeat(10),
    ]
    assertCheap(() => {
      for (const path of hostile) analyze(`${host}/${path}`)
    })
  })
})

describe('the weights of links', () => {
  it('stay within `safe` all together', () => {
    assert.ok(Object.values(signals).reduce((sum, { weight }) => sum + weight, 0) <= 30, 'at most 30')
  })

  it('set a floor only beside a page that resembles phishing', () => {
    for (const [id, { all }] of Object.entries(composites)) {
      const [page = []] = all
      assert.ok(
        page.every(one => ['phishing_page', 'resembles_phishing_page', 'impersonated_brand'].includes(String(one))),
        id,
      )
    }
  })
})

describe('honest long links', () => {
  const html =
    '<!doctype html><html lang="en"><title>Welcome</title><body><h1>Welcome</h1><p>Our news.</p></body></html>'

  it(`are ${honestLinks.length}, none of which is accused`, async () => {
    assert.ok(honestLinks.length >= 200, 'at least 200')
    const checks = await openPageChecks()
    for (const url of honestLinks) {
      const { verdict, risk_score } = await checks.check({ url, html, as_link: true, age_days: null })
      assert.deepEqual([verdict, risk_score <= 30], ['safe', true], url)
    }
    await checks.close()
  })

  it('have at most 9 points of link signals each', () => {
    const most = honestLinks.map(url => [pointsOf(analyze(url).signals), url] as const).filter(([points]) => points > 9)
    assert.deepEqual(most, [])
  })
})
