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

interface Case {
  readonly title: string
  readonly response?: ResponseGiven
  readonly from?: string
  readonly document?: Partial<Document> | null
  /** The kind and the rule's ID. */
  readonly is: readonly [string, string | null]
}

const ARTICLE = 'A long article about what a visitor may read on an ordinary day. '.repeat(40)
const password = [{ action: '/', formactions: [], method: 'post', inputs: ['text', 'password'] }]
const script = (src: string) => [{ src, type: null, integrity: false }]

const cases: readonly Case[] = [
  { title: 'an ordinary page', document: { title: 'Example', text: ARTICLE }, is: ['page', null] },
  { title: 'an empty page', document: {}, is: ['page', null] },
  { title: 'a page without a document', document: null, is: ['page', null] },
  { title: 'status 204', response: { status: 204 }, is: ['page', null] },
  {
    title: 'status 404 of the site',
    response: { status: 404 },
    document: { title: 'Page not found' },
    is: ['error', null],
  },
  { title: 'status 500', response: { status: 500 }, is: ['error', null] },
  { title: 'a redirect that was not followed', response: { status: 302 }, is: ['error', null] },
  { title: 'status 403 without a word', response: { status: 403 }, is: ['block', 'refused'] },
  {
    title: 'status 403 with an article',
    response: { status: 403 },
    document: { text: ARTICLE },
    is: ['block', 'refused'],
  },
  { title: 'status 429', response: { status: 429 }, document: null, is: ['block', 'refused'] },
  { title: 'status 451', response: { status: 451 }, is: ['block', 'refused'] },
  { title: 'status 503', response: { status: 503 }, is: ['block', 'refused'] },
  { title: 'status 401', response: { status: 401 }, is: ['login_wall', 'http_authentication'] },
  {
    title: 'a managed challenge with status 403',
    response: { status: 403, headers: ['server: cloudflare', 'cf-mitigated: challenge'] },
    document: { title: 'Just a moment...' },
    is: ['challenge', 'cloudflare_challenge'],
  },
  {
    title: 'the older challenge with status 503',
    response: { status: 503, headers: ['server: cloudflare'] },
    document: { title: 'Just a moment...', text: 'Checking your browser before accessing example.com.' },
    is: ['challenge', 'cloudflare_challenge'],
  },
  {
    title: 'a page on which the network only watches for robots',
    response: { headers: ['server: cloudflare'] },
    document: { text: ARTICLE, scripts: script('/cdn-cgi/challenge-platform/scripts/jsd/main.js') },
    is: ['page', null],
  },
  {
    title: 'a short page with a CAPTCHA in its form',
    document: { text: 'Write to us', scripts: script('https://www.google.com/recaptcha/api.js') },
    is: ['page', null],
  },
  {
    title: 'a CAPTCHA with status 403',
    response: { status: 403 },
    document: { text: 'Please', scripts: script('https://js.hcaptcha.com/1/api.js') },
    is: ['challenge', 'captcha'],
  },
  {
    title: 'a network’s refusal',
    response: { status: 403, headers: ['server: cloudflare'] },
    document: { title: 'Attention Required! | Cloudflare', text: 'Sorry, you have been blocked. Cloudflare Ray ID: 1' },
    is: ['block', 'cloudflare_block'],
  },
  {
    title: 'a gateway whose origin is down',
    response: { status: 522, headers: ['server: cloudflare'] },
    is: ['block', 'cloudflare_origin_error'],
  },
  {
    title: 'a refusal with status 200',
    document: { title: 'Access Denied', text: 'You do not have access.' },
    is: ['block', 'access_denied'],
  },
  {
    title: 'an article about refusals',
    document: { title: 'Access denied: what to do about it', text: ARTICLE },
    is: ['page', null],
  },
  {
    title: 'a typographic apostrophe',
    document: { title: 'Making sure you\u2019re not a bot!', text: 'Loading...' },
    is: ['challenge', 'anubis'],
  },
  {
    title: 'a meta refresh to a test',
    document: { metas: [{ name: 'refresh', content: '0;/.well-known/sgcaptcha/?r=%2F' }] },
    is: ['challenge', 'siteground_captcha'],
  },
  {
    title: 'a redirect to an identity provider',
    from: 'https://example.com/',
    response: { url: 'https://login.microsoftonline.com/common/oauth2/authorize' },
    is: ['login_wall', 'identity_provider'],
  },
  {
    title: 'the identity provider itself',
    from: 'https://okta.com/',
    response: { url: 'https://www.okta.com/' },
    document: { forms: password },
    is: ['page', null],
  },
  {
    title: 'a host that only ends like one',
    from: 'https://example.com/',
    response: { url: 'https://notokta.com/' },
    is: ['page', null],
  },
  {
    title: 'a redirect to a log-in',
    from: 'https://example.com/',
    response: { url: 'https://example.com/users/sign_in' },
    document: { forms: password, text: 'Log in' },
    is: ['login_wall', 'login_page'],
  },
  {
    title: 'a log-in at the front door, which is the site’s page',
    document: { forms: password, text: 'Log in' },
    is: ['page', null],
  },
  {
    title: 'a path that only contains the word',
    from: 'https://example.com/',
    response: { url: 'https://example.com/login-free' },
    document: { forms: password, text: 'Log in' },
    is: ['page', null],
  },
  {
    title: 'a redirect to a seller of names',
    from: 'http://example.com/',
    response: { url: 'https://www.hugedomains.com/domain_profile.cfm?d=example' },
    is: ['parking', 'hugedomains'],
  },
  {
    title: 'a name for sale',
    document: { title: 'example.com', text: 'This domain is for sale! Make an offer.' },
    is: ['parking', 'for_sale'],
  },
  {
    title: 'an advertiser’s parking page',
    document: { title: 'example.com', scripts: script('https://sedoparking.com/frmpark/example.com/park.js') },
    is: ['parking', 'sedo'],
  },
  {
    title: 'a suspended account',
    response: { url: 'https://example.com/cgi-sys/suspendedpage.cgi' },
    is: ['parking', 'suspended'],
  },
  {
    title: 'a server’s welcome',
    response: { url: 'http://93.184.216.34/' },
    document: { title: 'Welcome to nginx!', text: 'Thank you for using nginx.' },
    is: ['parking', 'server_default'],
  },
  {
    title: 'a host’s page for a name that nobody claimed',
    response: { status: 404 },
    document: { title: 'Site not found', text: "There isn't a GitHub Pages site here." },
    is: ['parking', 'unclaimed'],
  },
  {
    title: 'not found with status 200',
    document: { title: 'Page Not Found | Example', text: 'Sorry.' },
    is: ['soft_404', 'soft_404'],
  },
  {
    title: 'a long page about soft 404s',
    document: { title: 'Page not found: a guide', text: ARTICLE },
    is: ['page', null],
  },
]

const describeCase = ({ response = {}, from, document = {} }: Case) =>
  describeServed(
    pageOf(...(from ? [{ url: from, status: 301 }] : []), response),
    document === null ? null : documentOf(document),
  )

describe('what is served', () => {
  for (const one of cases) {
    it(`takes ${one.title} for ${one.is.join(' by the rule ').replace(/ by the rule $/, '')}`, () => {
      const { kind, rule } = describeCase(one)
      assert.deepEqual([kind, rule], one.is)
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
