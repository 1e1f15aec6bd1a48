import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Document } from '../../src/evidence/document/facts.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { Unavailable } from '../../src/evidence/facts.ts'
import { describeServed, gatherServed, recognise } from '../../src/evidence/served/gather.ts'
import { type Conditions, rules } from '../../src/evidence/served/rule.ts'
import { documentOf, exchangeOf, pageOf, type ResponseGiven } from '../../src/testing/page_of.ts'
import { anyText } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'

const ARTICLE = 'A long article about what a visitor may read on an ordinary day. '.repeat(40)
const password = [{ action: '/', formactions: [], method: 'post', inputs: ['text', 'password'] }]
const script = (src: string) => [{ src, type: null, integrity: false }]

const cases: readonly (readonly [
  title: string,
  is: string,
  document?: Partial<Document> | null,
  response?: ResponseGiven,
  from?: string,
])[] = [
  ['an ordinary page', 'page', { title: 'Example', text: ARTICLE }],
  ['an empty page', 'page'],
  ['a page without a document', 'page', null],
  ['status 204', 'page', {}, { status: 204 }],
  ['status 404 of the site', 'error', { title: 'Page not found' }, { status: 404 }],
  ['status 500', 'error', {}, { status: 500 }],
  ['a redirect that was not followed', 'error', {}, { status: 302 }],
  ['status 403 without a word', 'block refused', {}, { status: 403 }],
  ['status 403 with an article', 'block refused', { text: ARTICLE }, { status: 403 }],
  ['status 429', 'block refused', null, { status: 429 }],
  ['status 451', 'block refused', {}, { status: 451 }],
  ['status 503', 'block refused', {}, { status: 503 }],
  ['status 401', 'login_wall http_authentication', {}, { status: 401 }],
  [
    'a managed challenge with status 403',
    'challenge cloudflare_challenge',
    { title: 'Just a moment...' },
    { status: 403, headers: ['server: cloudflare', 'cf-mitigated: challenge'] },
  ],
  [
    'the older challenge with status 503',
    'challenge cloudflare_challenge',
    { title: 'Just a moment...', text: 'Checking your browser before accessing example.com.' },
    { status: 503, headers: ['server: cloudflare'] },
  ],
  [
    'a page on which the network only watches for robots',
    'page',
    { text: ARTICLE, scripts: script('/cdn-cgi/challenge-platform/scripts/jsd/main.js') },
    { headers: ['server: cloudflare'] },
  ],
  [
    'a short page with a CAPTCHA in its form',
    'page',
    { text: 'Write to us', scripts: script('https://www.google.com/recaptcha/api.js') },
  ],
  [
    'a CAPTCHA with status 403',
    'challenge captcha',
    { text: 'Please', scripts: script('https://js.hcaptcha.com/1/api.js') },
    { status: 403 },
  ],
  [
    'a network’s refusal',
    'block cloudflare_block',
    { title: 'Attention Required! | Cloudflare', text: 'Sorry, you have been blocked. Cloudflare Ray ID: 1' },
    { status: 403, headers: ['server: cloudflare'] },
  ],
  [
    'a gateway whose origin is down',
    'block cloudflare_origin_error',
    {},
    { status: 522, headers: ['server: cloudflare'] },
  ],
  ['a refusal with status 200', 'block access_denied', { title: 'Access Denied', text: 'You do not have access.' }],
  ['an article about refusals', 'page', { title: 'Access denied: what to do about it', text: ARTICLE }],
  ['a typographic apostrophe', 'challenge anubis', { title: 'Making sure you\u2019re not a bot!', text: 'Loading...' }],
  [
    'a meta refresh to a test',
    'challenge siteground_captcha',
    { metas: [{ name: 'refresh', content: '0;/.well-known/sgcaptcha/?r=%2F' }] },
  ],
  [
    'a redirect to an identity provider',
    'login_wall identity_provider',
    {},
    { url: 'https://login.microsoftonline.com/common/oauth2/authorize' },
    'https://example.com/',
  ],
  ['the identity provider itself', 'page', { forms: password }, { url: 'https://www.okta.com/' }, 'https://okta.com/'],
  ['a host that only ends like one', 'page', {}, { url: 'https://notokta.com/' }, 'https://example.com/'],
  [
    'a redirect to a log-in',
    'login_wall login_page',
    { forms: password, text: 'Log in' },
    { url: 'https://example.com/users/sign_in' },
    'https://example.com/',
  ],
  ['a log-in at the front door, which is the site’s page', 'page', { forms: password, text: 'Log in' }],
  [
    'a path that only contains the word',
    'page',
    { forms: password, text: 'Log in' },
    { url: 'https://example.com/login-free' },
    'https://example.com/',
  ],
  [
    'a redirect to a seller of names',
    'parking hugedomains',
    {},
    { url: 'https://www.hugedomains.com/domain_profile.cfm?d=example' },
    'http://example.com/',
  ],
  ['a name for sale', 'parking for_sale', { title: 'example.com', text: 'This domain is for sale! Make an offer.' }],
  [
    'an advertiser’s parking page',
    'parking sedo',
    { title: 'example.com', scripts: script('https://sedoparking.com/frmpark/example.com/park.js') },
  ],
  ['a suspended account', 'parking suspended', {}, { url: 'https://example.com/cgi-sys/suspendedpage.cgi' }],
  [
    'a server’s welcome',
    'parking server_default',
    { title: 'Welcome to nginx!', text: 'Thank you for using nginx.' },
    { url: 'http://93.184.216.34/' },
  ],
  [
    'a host’s page for a name that nobody claimed',
    'parking unclaimed',
    { title: 'Site not found', text: "There isn't a GitHub Pages site here." },
    { status: 404 },
  ],
  ['not found with status 200', 'soft_404 soft_404', { title: 'Page Not Found | Example', text: 'Sorry.' }],
  ['a long page about soft 404s', 'page', { title: 'Page not found: a guide', text: ARTICLE }],
]

describe('what is served', () => {
  for (const [title, is, document = {}, response = {}, from] of cases) {
    it(`takes ${title} for ${is.replace(' ', ' by the rule ')}`, () => {
      const page = pageOf(...(from ? [{ url: from, status: 301 }] : []), response)
      const { kind, rule } = describeServed(page, document === null ? null : documentOf(document))
      assert.equal([kind, rule].join(' ').trim(), is)
    })
  }

  it('separates redirects from the final response', () => {
    const page = pageOf(
      { url: 'http://example.com/', status: 301 },
      { url: 'https://example.com/', status: 302 },
      { url: 'https://www.example.com/' },
    )
    const address = '93.184.216.34'
    assert.deepEqual(describeServed(page, documentOf()), {
      url: 'https://www.example.com/',
      status: 200,
      chain: [
        { url: 'http://example.com/', status: 301, address },
        { url: 'https://example.com/', status: 302, address },
      ],
      kind: 'page',
      rule: null,
      failure: null,
      cut: null,
    })
  })

  it('says what in a page led on, and takes what every visitor sees there for the page', () => {
    const led = (by: 'refresh' | 'frame', to: string) => {
      const page = pageOf({ url: 'https://example.com/' }, { url: to })
      const form = documentOf({ forms: password, text: 'Log in' })
      const { chain, kind } = describeServed({ ...page, handover: { by, seconds: 0, alone: true, at: 0 } }, form)
      return [chain.map(hop => hop.by), kind]
    }
    assert.deepEqual(led('refresh', 'https://example.com/login'), [['refresh'], 'page'])
    assert.deepEqual(led('refresh', 'https://www.okta.com/'), [['refresh'], 'page'])
    assert.deepEqual(led('refresh', 'https://www.hugedomains.com/'), [['refresh'], 'parking'])
    assert.deepEqual(led('frame', 'https://example.com/login'), [[undefined], 'login_wall'])
  })

  it('reports why an HTML page was read only in part', () => {
    const page = pageOf({})
    const exchanges = page.exchanges.map(exchange => ({ ...exchange, truncated: 'too_large' }))
    const cutAt = (document: ReturnType<typeof documentOf> | null) =>
      describeServed({ ...page, exchanges }, document).cut
    assert.equal(cutAt(documentOf({ truncated: true })), 'too_large')
    assert.equal(cutAt(documentOf({ truncated: true, is_html: false })), null)
    assert.equal(cutAt(null), null)
  })

  it('reports why there was no response', () => {
    const page = { ...pageOf({ url: 'http://example.com/', status: 301 }), failure: 'refused' }
    assert.deepEqual(describeServed(page, null), {
      url: null,
      status: null,
      chain: [{ url: 'http://example.com/', status: 301, address: '93.184.216.34' }],
      kind: 'none',
      rule: null,
      failure: 'refused',
      cut: null,
    })
  })
})

describe('the rules', () => {
  for (const { id, about, when } of rules) {
    it(`recognise ${id} (${about}) by ${Object.keys(when).join(', ')}`, () => {
      assert.equal(recognise(sightOf(when))?.id, id)
    })
  }

  it('are in lower case, as compared', () => {
    const texts = rules.flatMap(({ when }) =>
      [when.title, when.text, when.markup, when.host, when.path, when.header?.flat()].flatMap(list => list ?? []),
    )
    assert.deepEqual(
      texts.filter(text => text !== text.toLowerCase()),
      [],
    )
  })
})

/** The smallest response that meets the conditions. */
function sightOf(when: Conditions) {
  const host = when.host?.[0] ?? 'example.com'
  const [name, part] = when.header?.[0] ?? []
  return {
    exchange: exchangeOf({
      url: `https://${host}/${when.path?.[0] ?? ''}`,
      status: when.status?.[0] ?? 200,
      headers: name === undefined ? [] : [`${name}: ${part}`],
    }),
    from: when.redirected || when.host ? 'https://example.com/' : null,
    redirected: when.redirected ?? false,
    document: documentOf({
      title: when.title?.[0] ?? null,
      text: when.text?.[0] ?? '',
      inline_scripts: when.markup?.slice(0, 1) ?? [],
      forms: when.password ? password : [],
    }),
  }
}

describe('the gatherer', () => {
  const contextOf = (document: () => Promise<unknown>) =>
    ({
      gather: (name: string) => (name === 'page' ? Promise.resolve(pageOf({ status: 404 })) : document()),
    }) as unknown as GatherContext

  it('reads the page and its document', async () => {
    const document = documentOf({ text: 'NoSuchBucket' })
    assert.equal((await gatherServed(contextOf(async () => document))).rule, 'unclaimed')
  })

  it('works without a document', async () => {
    const context = contextOf(() => Promise.reject(new Unavailable('gatherer_failed')))
    assert.equal((await gatherServed(context)).kind, 'error')
  })
})

describe('hostile pages', () => {
  it('are classified in any case', () => {
    const text = anyText({ maxLength: 200 })
    const kinds = ['page', 'error', 'block', 'challenge', 'parking', 'login_wall', 'soft_404']
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 200, max: 599 }), (url, title, body, status) => {
        const { kind } = describeServed(
          pageOf({ url, status }),
          documentOf({ title, text: body, inline_scripts: [body] }),
        )
        assert.ok(kinds.includes(kind))
      }),
    )
  })

  it('of two mebibytes take at most 250 ms of CPU', () => {
    const text = 'just a momen'.repeat(180_000)
    const document = documentOf({ title: text, text, inline_scripts: [text], scripts: script(text), word_count: 3 })
    assertCheap(() => describeServed(pageOf({ status: 200 }), document))
  })
})
