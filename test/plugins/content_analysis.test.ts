import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/content_analysis/index.ts'
import type { Document } from '../../src/engine/plugin.ts'
import { documentOf } from '../../src/testing/page_of.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { ipTarget } from '../evidence_of.ts'
import { findingOf, linksTo, NAME_UNSEEN, sectionOf, served, signalsOf } from './content_analysis_page.ts'

const form = (action: string | null, ...inputs: string[]): Document['forms'][number] => ({
  action,
  formactions: [],
  method: 'post',
  inputs,
})

const withButton = (formaction: string, ...inputs: string[]): Document['forms'][number] => ({
  ...form('/login', ...inputs),
  formactions: ['/other', formaction],
})

/** What the section says of forms without a password. */
const formsOf = (...items: readonly (readonly [action: string | null, destination: string])[]) => ({
  forms: {
    total: items.length,
    with_password: 0,
    password_outside: false,
    items: items.map(([action, destination]) => ({ method: 'post', action, destination, has_password: false })),
  },
})

const login = form('/login', 'text', 'password')
const meta = (name: string, content: string) => ({ name, content })
const refresh = (content: string) => [meta('refresh', content)]

describe('content_analysis describes', () => {
  const cases: [says: string, document: Partial<Document>, fields: Record<string, unknown>][] = [
    ['the title', { title: 'Acme Tools' }, { title: 'Acme Tools' }],
    ['a missing title as none', {}, { title: null }],
    ['the title that is shared where there is no other', { metas: [meta('og:title', 'Acme')] }, { title: 'Acme' }],
    ['a title without controls and tricks of direction', { title: 'A\u0000c\u202eme' }, { title: 'A cme' }],
    ['a long title by its first 512 characters', { title: 'x'.repeat(2_000_000) }, { title: 'x'.repeat(512) }],
    [
      'a title cut between the halves of a character as well-formed',
      { title: `${'x'.repeat(511)}😀` },
      { title: 'x'.repeat(511) },
    ],
    ['what looks like a template verbatim', { title: '{{7*7}}%s%n=cmd|x' }, { title: '{{7*7}}%s%n=cmd|x' }],
    ['the description', { metas: [meta('description', 'Tools for all')] }, { description: 'Tools for all' }],
    [
      'the shared description where there is no other',
      { metas: [meta('description', ' '), meta('og:description', 'Tools')] },
      { description: 'Tools' },
    ],
    [
      'Open Graph as far as it is there',
      { metas: [meta('og:site_name', 'Acme')] },
      { open_graph: { title: null, description: null, site_name: 'Acme' } },
    ],
    ['the absence of Open Graph', {}, { open_graph: null }],
    ['the language canonically', { lang: 'EN_gb' }, { language: 'en-GB' }],
    ['the language that a meta names', { metas: [meta('content-language', 'de')] }, { language: 'de' }],
    ['a language that is none as unknown', { lang: 'not a language' }, { language: null }],
    ['the charset', { charset: 'windows-1252' }, { charset: 'windows-1252' }],
    [
      'the canonical URL as absolute',
      { links: [{ rel: ['canonical'], href: '/a', hreflang: null, type: null }] },
      { canonical: 'https://example.com/a' },
    ],
    [
      'the canonical URL from the base',
      { base: 'https://cdn.example.net/x/', links: [{ rel: ['canonical'], href: 'a', hreflang: null, type: null }] },
      { canonical: 'https://cdn.example.net/x/a' },
    ],
    [
      'no canonical URL of another scheme',
      { links: [{ rel: ['canonical'], href: 'data:,x', hreflang: null, type: null }] },
      { canonical: null },
    ],
    [
      'the first ten headings and their number',
      { headings: Array.from({ length: 12 }, (_, i) => ({ level: 2, text: `h${i}` })) },
      { headings: Array.from({ length: 10 }, (_, i) => ({ level: 2, text: `h${i}` })), heading_count: 12 },
    ],
    ['the number of words', { word_count: 321 }, { word_count: 321 }],
    [
      'how to reach somebody',
      { anchors: linksTo('mailto:info@example.com', 'tel:+4930901820'), text: 'sales@example.com' },
      { emails: ['info@example.com', 'sales@example.com'], phones: ['+4930901820'] },
    ],
    [
      'profiles and their networks',
      { anchors: linksTo('https://x.com/acme', 'https://github.com/acme') },
      { social_links: ['https://x.com/acme', 'https://github.com/acme'], social_networks: ['x', 'github'] },
    ],
    [
      'forms, those with a password first',
      { forms: [form('/search?q=1', 'text'), login] },
      {
        forms: {
          total: 2,
          with_password: 1,
          password_outside: false,
          items: [
            { method: 'post', action: 'https://example.com/login', destination: 'same_site', has_password: true },
            { method: 'post', action: 'https://example.com/search', destination: 'same_site', has_password: false },
          ],
        },
      },
    ],
    [
      'an empty form action as the page itself',
      { url: 'https://example.com/a?b', base: 'https://other.net/', forms: [form('', 'text')] },
      formsOf(['https://example.com/a', 'same_site']),
    ],
    [
      'a form to another site',
      { forms: [form('https://collect.elsewhere.net/x', 'text')] },
      formsOf(['https://collect.elsewhere.net/x', 'other_site']),
    ],
    [
      'a form that a button sends to another site',
      { forms: [withButton('https://collect.elsewhere.net/x', 'text')] },
      formsOf(['https://collect.elsewhere.net/x', 'other_site']),
    ],
    ['a form that a script handles', { forms: [form('javascript:void(0)', 'text')] }, formsOf([null, 'script'])],
    ['a refresh', { metas: refresh('5; url=/next') }, { refresh: { seconds: 5, url: 'https://example.com/next' } }],
    ['a refresh of the page itself', { metas: refresh('300') }, { refresh: { seconds: 300, url: null } }],
    [
      'a page of which only the beginning was read: what is not there may follow',
      { truncated: true, forms: [form('/', 'text')], word_count: 3 },
      {
        truncated: true,
        emails: null,
        social_links: null,
        headings: null,
        word_count: 3,
        forms: {
          total: 1,
          with_password: null,
          password_outside: null,
          items: [{ method: 'post', action: 'https://example.com/', destination: 'same_site', has_password: false }],
        },
      },
    ],
  ]
  for (const [says, document, fields] of cases) {
    it(says, () => {
      const section = sectionOf(document) as unknown as Record<string, unknown>
      assert.deepEqual(Object.fromEntries(Object.keys(fields).map(name => [name, section[name]])), fields)
    })
  }
})

describe('content_analysis finds phishing', () => {
  const paypal = { title: 'Log in to your PayPal account', forms: [login] }
  const at = (url: string) => ({ url, forms: [login] })
  const cases: [says: string, document: Partial<Document>, signals: string[]][] = [
    ['nowhere on an ordinary log-in page', { title: 'Log in – Acme', forms: [login] }, []],
    ['nowhere on a page with neither', {}, []],
    [
      'where the password goes to another site',
      { forms: [form('https://collect.elsewhere.net/', 'password')] },
      ['password_form_to_other_site'],
    ],
    [
      'where a button sends the password to another site',
      { forms: [withButton('https://collect.elsewhere.net/', 'password')] },
      ['password_form_to_other_site'],
    ],
    [
      'where a button sends the password in the clear',
      { forms: [withButton('http://example.com/', 'password')] },
      ['password_form_over_http'],
    ],
    [
      'where a button sends a form to a data URL',
      { forms: [withButton('data:text/html,x', 'text')] },
      ['data_uri_form'],
    ],
    [
      'not where the form is a dialog’s, which is sent nowhere',
      { forms: [{ ...form('http://collect.elsewhere.net/', 'password'), method: 'dialog' }] },
      [],
    ],
    ['not where it goes to another host of the site', { forms: [form('https://auth.example.com/', 'password')] }, []],
    ['not where another site gets a search', { forms: [form('https://search.example.net/', 'text')] }, []],
    [
      'where customers of one host are different sites',
      { url: 'https://a.github.io/', forms: [form('https://b.github.io/', 'password')] },
      ['password_form_to_other_site', 'password_form_on_free_hosting'],
    ],
    [
      'where the base takes the form elsewhere',
      { base: 'https://collect.elsewhere.net/', forms: [form('login', 'password')] },
      ['password_form_to_other_site'],
    ],
    [
      'where an encrypted page sends a password in the clear',
      { forms: [form('http://example.com/login', 'password')] },
      ['password_form_over_http'],
    ],
    [
      'where the page itself is in the clear',
      { url: 'http://example.com/', forms: [login] },
      ['password_on_http_page'],
    ],
    ['where a brand is named and a password asked for', paypal, ['impersonated_brand']],
    [
      'where the password field belongs to a script',
      { title: 'PayPal', formless_inputs: ['text', 'password'] },
      ['impersonated_brand'],
    ],
    ['where the brand is written with look-alike letters', { ...paypal, title: 'PаyPаl' }, ['impersonated_brand']],
    [
      'where the brand is in a heading and in the line of copyright',
      { headings: [{ level: 1, text: 'PayPal' }], text: 'PayPal © 2025 PayPal', forms: [login] },
      ['impersonated_brand'],
    ],
    [
      'where it is the heading of a page that says nothing else',
      { headings: [{ level: 1, text: 'PayPal' }], forms: [login] },
      ['impersonated_brand'],
    ],
    [
      'not in a heading and copyright where nothing is asked for',
      { headings: [{ level: 1, text: 'PayPal' }], text: 'PayPal © 2025 PayPal' },
      [],
    ],
    ['not where the brand is at home', { ...paypal, url: 'https://www.paypal.com/signin' }, []],
    [
      'not where the brand is at home under a country’s suffix',
      { title: 'Amazon Sign-In', ...at('https://www.amazon.com.br/') },
      [],
    ],
    [
      'where the brand’s name is only part of the domain',
      { ...paypal, url: 'https://paypal-secure.com/' },
      ['impersonated_brand'],
    ],
    [
      'where the brand’s name is a subdomain',
      { ...paypal, url: 'https://paypal.com.evil.net/' },
      ['impersonated_brand'],
    ],
    [
      'where the host belongs to the brand but the site to a customer',
      { title: 'Microsoft account', ...at('https://x.blob.core.windows.net/a') },
      ['impersonated_brand'],
    ],
    ['not where only part of a word is the brand', { title: 'Dhliwayo & Sons', forms: [login] }, []],
    ['not in the name of a page about a brand, but tells it', { title: 'How PayPal makes money' }, ['brand_in_title']],
    [
      'not at one of two brands that a title names',
      { title: 'Facebook: log in with Instagram', ...at('https://www.facebook.com/') },
      [],
    ],
    ['at a public body that is not one', { title: 'HMRC refund', forms: [login] }, ['impersonated_brand']],
    [
      'not at a public body that has a whole suffix',
      { title: 'HMRC: sign in', ...at('https://www.access.service.gov.uk/') },
      [],
    ],
    [
      'not under a brand’s own top-level domain',
      { title: 'MyDHL+ | DHL Express', ...at('https://mydhl.express.dhl/') },
      [],
    ],
    ['not at the home of such a domain', { title: 'Barclays: log in', ...at('https://home.barclays/') }, []],
    [
      'under a top-level domain that only sounds like the brand’s',
      { title: 'ING Banking', ...at('https://login.ing/') },
      ['impersonated_brand'],
    ],
    [
      'where a password is asked for on a free host',
      at('https://portal.pages.dev/'),
      ['password_form_on_free_hosting'],
    ],
    ['not on a free host’s own site', at('https://netlify.app/'), []],
    ['not on the www of a free host’s own site', at('https://www.weebly.com/'), []],
    ['on the www of a customer', at('https://www.acme.weebly.com/'), ['password_form_on_free_hosting']],
    ['where a form goes to a data URL', { forms: [form('data:text/html,x', 'text')] }, ['data_uri_form']],
    ['where a frame is a page in a data URL', { iframes: [' DATA:text/html;base64,AAAA'] }, ['data_uri_form']],
    ['not where a frame is a picture in a data URL', { iframes: ['data:image/png;base64,AAAA'] }, []],
    [
      'where the page leaves for another site at once',
      { metas: refresh('0;URL=https://other.net/') },
      ['refresh_to_other_site'],
    ],
    ['not where it leaves for another page of the site', { metas: refresh('0; url=https://www.example.com/de') }, []],
    ['not where there is time to read it', { metas: refresh('10; url=https://other.net/') }, []],
    [
      'where a script leaves for an encoded address',
      { inline_scripts: ['window.location.href = atob("aHR0cHM6Ly9vdGhlci5uZXQ=")'] },
      ['obfuscated_redirect'],
    ],
    ['where code is decoded and run', { inline_scripts: ['eval ( atob( "YWxlcnQoMSk=" ) )'] }, ['obfuscated_script']],
    ['not where a script has a few escapes', { inline_scripts: ['var a="\\x20\\x41"; JSON.parse(atob(data))'] }, []],
    [
      'where the password goes to a bot',
      { forms: [login], inline_scripts: ['fetch("https://api.telegram.org/bot123:abc/sendMessage")'] },
      ['credentials_to_messenger_bot'],
    ],
    [
      'not where a page without a password uses a bot',
      { inline_scripts: ['fetch("https://api.telegram.org/bot1:a/getMe")'] },
      [],
    ],
    [
      'in every trait at once',
      {
        title: 'PayPal',
        forms: [form('http://collect.elsewhere.net/', 'password')],
        metas: refresh('0;https://other.net'),
      },
      ['impersonated_brand', 'password_form_to_other_site', 'password_form_over_http', 'refresh_to_other_site'],
    ],
  ]
  for (const [says, document, signals] of cases) {
    it(says, () => assert.deepEqual(signalsOf(document), signals))
  }

  it('under an operator’s own brand', () => {
    const brands = [{ brand: 'Acme', names: ['acme login'], domains: ['acme.com'] }]
    assert.deepEqual(signalsOf({ title: 'ACME Login', forms: [login] }, { brands }), ['impersonated_brand'])
    assert.deepEqual(signalsOf({ title: 'ACME Login', ...at('https://acme.com/') }, { brands }), [])
  })

  it('and says where the password goes, without the query', () => {
    const finding = findingOf({ forms: [form('https://collect.elsewhere.net/p.php?victim=1', 'password')] })
    assert.deepEqual(finding.signals, [
      {
        id: 'password_form_to_other_site',
        detail: 'A form with a password field submits to collect.elsewhere.net.',
        evidence: { action: 'https://collect.elsewhere.net/p.php' },
      },
    ])
  })

  it('and omits the secret in a bot’s address', () => {
    const finding = findingOf({ forms: [login], inline_scripts: ['"https://api.telegram.org/bot123:SECRET/x"'] })
    assert.ok(!JSON.stringify(finding).includes('secret') && !JSON.stringify(finding).includes('SECRET'))
  })
})

describe('what stands in the page’s place', () => {
  const page: Partial<Document> = {
    title: 'Just a moment...',
    text: 'info@example.com',
    metas: refresh('0;url=https://other.net/'),
    inline_scripts: ['eval(atob("x"))'],
  }
  for (const kind of ['block', 'challenge', 'soft_404', 'login_wall'] as const) {
    it(`is not described and costs nothing: ${kind}`, () => {
      const { title, emails, blocked, served_as } = sectionOf(page, { kind })
      assert.deepEqual(
        { title, emails, blocked, served_as },
        { title: null, emails: null, blocked: true, served_as: kind },
      )
      assert.deepEqual(signalsOf(page, { kind }), [])
    })
  }

  it('is reported when it is a parking page', () => {
    assert.deepEqual(findingOf(page, { kind: 'parking' }).signals, [
      { id: 'parked_domain', detail: 'The page is a placeholder (rule).', evidence: { rule: 'rule' } },
    ])
  })

  it('does not hide a password form, nor what the page does beside it', () => {
    const hidden = { ...page, forms: [form('https://collect.elsewhere.net/', 'password')] }
    const all = ['password_form_to_other_site', 'refresh_to_other_site', 'obfuscated_script']
    assert.deepEqual(signalsOf(hidden, { kind: 'challenge' }), all)
  })

  it('is described when it is the site’s own error', () => {
    assert.equal(sectionOf({ title: 'Gone' }, { kind: 'error' }).title, 'Gone')
  })
})

describe('where there is no page', () => {
  it('gives the reason when there was no answer', () => {
    const none = { ...served('https://example.com/', 'none'), url: null, status: null, failure: 'refused' }
    const context = {
      target: ipTarget('192.0.2.1'),
      options: { brands: [] },
      now: new Date(0),
      missing: {},
    }
    assert.deepEqual(plugin.analyze({ served: none, document: null, page: null, ...NAME_UNSEEN }, context), {
      notApplicable: 'refused',
      signals: [],
    })
  })

  it('is unavailable when the body could not be read', () => {
    assert.deepEqual(findingOf(null), { unavailable: 'no_document' })
  })

  it('describes nothing when it is not HTML', () => {
    const { title, emails, forms } = sectionOf({ is_html: false })
    assert.deepEqual({ title, emails, forms }, { title: null, emails: null, forms: null })
  })
})

describe('the plugin', () => {
  it('answers under both of its names, in the engine', async () => {
    const evidence = {
      served: served('https://example.com/'),
      document: documentOf({ title: 'Acme' }),
    }
    const { result } = await engineOf([plugin], { evidence }).check(EXAMPLE)
    assert.equal((result['content_analysis'] as { title: string }).title, 'Acme')
    assert.deepEqual(result['site_content'], result['content_analysis'])
    assert.equal(result['risk_score'], 0)
  })
})
