import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCookieDate } from '../../plugins/cookies/cookie_date.ts'
import plugin from '../../plugins/cookies/index.ts'
import { kindOf } from '../../plugins/cookies/kinds.ts'
import type { Section } from '../../plugins/cookies/section.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import { redactSetCookie } from '../../src/network/set_cookie.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { pageOf, type ResponseGiven } from '../evidence/page_of.ts'
import { readmeHeadings, readmeSignals } from './readme_signals.ts'
import { find, idsOf, sectionOf } from './web_section.ts'

type Item = Section['items'][number]

const findOf = (...responses: readonly ResponseGiven[]) => find(plugin.analyze, pageOf(...responses))
const setting = (...fields: readonly string[]): ResponseGiven => ({
  headers: fields.map(field => `set-cookie: ${field}`),
})
const sectionWith = (...fields: readonly string[]): Section => sectionOf(findOf(setting(...fields)))
const itemOf = (field: string): Item | undefined => sectionWith(field).items[0]

/** Both as the network saw it and as evidence keeps it. */
const both = (field: string) => [itemOf(field), itemOf(redactSetCookie(field))]

/** One test a row: what the section says of a cookie set by https://example.com/. */
function table(cases: readonly (readonly [title: string, field: string, expected: Partial<Item>])[]) {
  for (const [title, field, expected] of cases) {
    it(title, () => {
      for (const item of both(field)) {
        const actual = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => name in expected))
        assert.deepEqual(actual, expected)
      }
    })
  }
}

describe('a cookie', () => {
  table([
    [
      'is told in full, but for its value',
      '__Host-sid=31d4d96e407aad42; Path=/; Secure; HttpOnly; SameSite=Lax',
      {
        name: '__Host-sid',
        host: 'example.com',
        domain: null,
        path: '/',
        secure: true,
        http_only: true,
        same_site: 'lax',
        session: true,
        max_age: null,
        prefix: '__Host-',
        partitioned: false,
        kind: 'session',
        stored: true,
        issues: [],
      },
    ],
    ['has a name that ends at the first equals sign', 'a=b=c', { name: 'a' }],
    ['has a name without blanks around it', ' \ta\t =b', { name: 'a' }],
    ['has no name when there is no equals sign', 'value; Secure', { name: '', secure: true, stored: true }],
    ['has no name before a leading equals sign', '=value', { name: '', stored: true }],
    [
      'is refused when it has neither name nor value',
      '=; Secure',
      { name: '', stored: false, issues: ['missing_http_only', 'missing_same_site', 'empty'] },
    ],
    ['may have no value', 'a=; Secure; HttpOnly; SameSite=Lax', { name: 'a', stored: true, issues: [] }],
    ['may have the name of an object’s member', '__proto__=1', { name: '__proto__', kind: 'other' }],
    [
      'is refused with a control character',
      'a=b\u0001; Secure; HttpOnly; SameSite=Lax',
      { stored: false, issues: ['control_character'] },
    ],
    ['may hold a tab', 'a=b\tc', { stored: true }],
    ['may have 4096 octets of name and value', `a=${'x'.repeat(4095)}`, { stored: true }],
    [
      'is refused with one more',
      `a=${'x'.repeat(4096)}; Secure; HttpOnly; SameSite=Lax`,
      { stored: false, issues: ['too_large'] },
    ],
    ['is measured in octets', `a=${'é'.repeat(2048)}; Secure; HttpOnly; SameSite=Lax`, { issues: ['too_large'] }],
  ])
})

describe('attributes', () => {
  table([
    [
      'have names in any case',
      'a=b; SECURE; httponly; SaMeSiTe=STRICT',
      { secure: true, http_only: true, same_site: 'strict' },
    ],
    ['may have no blank before them', 'a=b;Secure;HttpOnly', { secure: true, http_only: true }],
    ['may be empty', 'a=b;;; ;Secure', { secure: true }],
    ['count as flags whatever their value', 'a=b; Secure=false; HttpOnly=0', { secure: true, http_only: true }],
    ['are ignored when unknown', 'a=b; Secured; Version=1', { secure: false }],
    [
      'are told by the last of their name',
      'a=b; Path=/x; Path=/y; SameSite=Lax; SameSite=None',
      { path: '/y', same_site: 'none' },
    ],
    ['are ignored beyond 1024 octets', `a=b; Path=/${'x'.repeat(1024)}`, { path: '/' }],
    [
      'of the site that are none of the three are the default',
      'a=b; SameSite=Maybe; Secure; HttpOnly',
      { same_site: null, stored: true, issues: ['invalid_same_site'] },
    ],
    [
      'of the site that are empty are invalid too',
      'a=b; SameSite',
      { same_site: null, issues: ['missing_secure', 'missing_http_only', 'invalid_same_site'] },
    ],
    [
      'may partition',
      'a=b; Secure; Partitioned; SameSite=None; HttpOnly',
      { partitioned: true, stored: true, issues: [] },
    ],
    [
      'may not partition without Secure',
      'a=b; Partitioned; HttpOnly; SameSite=Lax',
      { stored: false, issues: ['missing_secure', 'partitioned_without_secure'] },
    ],
    [
      'may not say SameSite=None without Secure',
      'a=b; SameSite=None; HttpOnly',
      { same_site: 'none', stored: false, issues: ['missing_secure', 'same_site_none_without_secure'] },
    ],
    ['never show a value that a comma joined to them', 'a=b; Path=/, token=31d4d96e', { path: '/, token' }],
  ])
})

describe('the life of a cookie', () => {
  table([
    ['ends with the browser', 'a=b', { session: true, max_age: null }],
    ['is told by Max-Age', 'a=b; Max-Age=3600', { session: false, max_age: 3600 }],
    ['is told by Expires', 'a=b; Expires=Fri, 20 Nov 2026 13:00:00 GMT', { session: false, max_age: 3600 }],
    ['is told by Max-Age before Expires', 'a=b; Max-Age=60; Expires=Fri, 20 Nov 2026 13:00:00 GMT', { max_age: 60 }],
    [
      'is told by Expires when Max-Age is no number',
      'a=b; Max-Age=1h; Expires=Fri, 20 Nov 2026 13:00:00 GMT',
      { max_age: 3600 },
    ],
    ['is told by the last Max-Age that is a number', 'a=b; Max-Age=60; Max-Age=; Max-Age=+9', { max_age: 60 }],
    ['ends with the browser when Expires is no date', 'a=b; Expires=tomorrow', { session: true }],
    ['is at most 400 days', 'a=b; Max-Age=99999999999999999999', { max_age: 34_560_000 }],
    ['is at most 400 days by Expires', 'a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT', { max_age: 34_560_000 }],
  ])

  it('is over with Max-Age=0, with a negative one and with a date that is past', () => {
    const deletions = ['a=; Max-Age=0', 'b=; Max-Age=-1', 'c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
    assert.deepEqual([sectionWith(...deletions).total, sectionWith(...deletions).score], [0, 100])
  })

  it('ends what was set before', () => {
    assert.equal(sectionWith('a=1; Path=/', 'a=; Path=/; Max-Age=0').total, 0)
    assert.equal(sectionWith('a=1; Path=/', 'a=; Path=/x; Max-Age=0').total, 1)
  })
})

describe('domain and path', () => {
  table([
    ['are the host’s own by default', 'a=b', { host: 'example.com', domain: null, path: '/' }],
    ['may name the host with its subdomains', 'a=b; Domain=.Example.COM', { domain: 'example.com', stored: true }],
    ['are the host’s own when the domain is empty', 'a=b; Domain=', { domain: null }],
    [
      'may not name another host',
      'a=b; Domain=example.org; Secure; HttpOnly; SameSite=Lax',
      { domain: 'example.org', stored: false, issues: ['domain_mismatch'] },
    ],
    ['may not name a subdomain of the host', 'a=b; Domain=www.example.com', { stored: false }],
    ['may not name a host that only ends alike', 'a=b; Domain=ample.com', { stored: false }],
    [
      'may not name a public suffix',
      'a=b; Domain=com; Secure; HttpOnly; SameSite=Lax',
      { stored: false, issues: ['public_suffix_domain'] },
    ],
    ['are the default when the path has no slash', 'a=b; Path=x', { path: '/' }],
    ['keep a path', 'a=b; Path=/x/y', { path: '/x/y' }],
  ])

  it('default to the directory of the response', () => {
    const { items } = sectionOf(findOf({ ...setting('a=b'), url: 'https://example.com/x/y/z?q=/w' }))
    assert.equal(items[0]?.path, '/x/y')
  })

  it('may name a domain above the host', () => {
    const { items } = sectionOf(findOf({ ...setting('a=b; Domain=example.com'), url: 'https://www.example.com/' }))
    assert.deepEqual([items[0]?.host, items[0]?.domain, items[0]?.stored], ['www.example.com', 'example.com', true])
  })

  it('name an address by itself only', () => {
    const from = (domain: string) =>
      sectionOf(findOf({ ...setting(`a=b; Domain=${domain}`), url: 'https://93.184.216.34/' })).items[0]?.stored
    assert.deepEqual([from('93.184.216.34'), from('184.216.34')], [true, false])
  })

  it('take a public suffix that is the host itself for the host alone', () => {
    const { items } = sectionOf(findOf({ ...setting('a=b; Domain=github.io'), url: 'https://github.io/' }))
    assert.deepEqual([items[0]?.domain, items[0]?.stored], [null, true])
  })
})

describe('prefixes', () => {
  const kept = '; Secure; HttpOnly; SameSite=Lax'
  table([
    [
      'of a secure cookie are kept',
      `__Secure-a=b; Domain=example.com; Path=/x${kept}`,
      { prefix: '__Secure-', stored: true },
    ],
    [
      'of a secure cookie need Secure',
      '__Secure-a=b; HttpOnly; SameSite=Lax',
      { stored: false, issues: ['missing_secure', 'prefix_violated'] },
    ],
    [
      'of a host’s cookie need its path',
      `__Host-a=b${kept}`,
      { prefix: '__Host-', stored: false, issues: ['prefix_violated'] },
    ],
    ['of a host’s cookie need the path /', `__Host-a=b; Path=/x${kept}`, { stored: false }],
    ['of a host’s cookie forbid a domain', `__Host-a=b; Path=/; Domain=example.com${kept}`, { stored: false }],
    ['count in any case', `__HOST-a=b; Path=/x${kept}`, { prefix: '__Host-', stored: false }],
    [
      'in the value of a nameless cookie are refused',
      `=__Host-a${kept}; Path=/`,
      { name: '', prefix: '__Host-', stored: false, issues: ['prefix_violated'] },
    ],
    ['need their hyphen', '__Host=b', { prefix: null, stored: true }],
  ])
})

describe('dates', () => {
  const dates: readonly (readonly [string, string | null])[] = [
    ['Wed, 21 Oct 2026 07:28:00 GMT', '2026-10-21T07:28:00.000Z'],
    ['Wednesday, 21-Oct-26 07:28:00 GMT', '2026-10-21T07:28:00.000Z'],
    ['Wed Oct 21 07:28:00 2026', '2026-10-21T07:28:00.000Z'],
    ['21 OCTOBER 2026 7:28:0', '2026-10-21T07:28:00.000Z'],
    ['07:28:00 21 Oct 69', '2069-10-21T07:28:00.000Z'],
    ['07:28:00 21 Oct 70', '1970-10-21T07:28:00.000Z'],
    ['07:28:00x 21st Oct 2026z', '2026-10-21T07:28:00.000Z'],
    ['07:28:00 31 Feb 2026', null],
    ['07:28:00 00 Oct 2026', null],
    ['24:00:00 21 Oct 2026', null],
    ['07:28 21 Oct 2026', null],
    ['07:28:00 21 Oct 1600', null],
    ['07:28:00 021 Oct 2026', null],
    ['07:28:00 21 Oct 20260', null],
    ['', null],
  ]
  for (const [text, iso] of dates) {
    it(`${iso === null ? 'refuse' : 'read'} ${JSON.stringify(text)}`, () => {
      const date = parseCookieDate(text)
      assert.equal(date === null ? null : new Date(date).toISOString(), iso)
    })
  }
})

describe('kinds', () => {
  const named: Readonly<Record<string, readonly string[]>> = {
    session: [
      'PHPSESSID',
      'JSESSIONID',
      'connect.sid',
      'ASP.NET_SessionId',
      'laravel_session',
      '__Host-session',
      'SSESS0af3',
      'wordpress_logged_in_9a',
      'my_app_session',
      'access_token',
    ],
    csrf: [
      'csrftoken',
      'XSRF-TOKEN',
      '__RequestVerificationToken_L2',
      '.AspNetCore.Antiforgery.x',
      '__Secure-session-csrf',
    ],
    analytics: ['_ga', '_ga_1ABC', '_fbp', '_hjSession_123', '_pk_id.1.1fff', 'hubspotutk', 'IDE', 'AMCV_x', '_clck'],
    consent: ['CookieConsent', 'OptanonConsent', 'euconsent-v2', 'cookie_consent_session', 'cmplz_marketing'],
    other: ['lang', 'theme', 'AWSALB', '__cf_bm', '', '_gadget', 'author', '__proto__', 'constructor'],
  }
  for (const [kind, names] of Object.entries(named)) {
    it(`${kind} ${names.join(', ')}`, () =>
      assert.deepEqual(
        names.filter(name => kindOf(name) !== kind),
        [],
      ))
  }
})

describe('the visit', () => {
  it('counts what was set', () => {
    const { total, secure, http_only, same_site, kinds } = sectionWith(
      'sid=1; Secure; HttpOnly; SameSite=Strict',
      '_ga=1; Secure',
      'lang=en; SameSite=Sometimes',
    )
    assert.deepEqual(
      { total, secure, http_only, same_site, kinds },
      {
        total: 3,
        secure: 2,
        http_only: 1,
        same_site: 1,
        kinds: { session: 1, csrf: 0, analytics: 1, consent: 0, other: 1 },
      },
    )
  })

  it('sees the cookies of redirects, and whose they are', () => {
    const { items } = sectionOf(
      findOf(
        { url: 'http://example.com/', status: 301, ...setting('a=1; HttpOnly; SameSite=Lax') },
        { url: 'https://www.example.com/', ...setting('b=1; Secure; HttpOnly; SameSite=Lax') },
      ),
    )
    assert.deepEqual(
      items.map(({ name, host, issues }) => [name, host, issues]),
      [
        ['a', 'example.com', ['missing_secure', 'set_over_http']],
        ['b', 'www.example.com', []],
      ],
    )
  })

  it('takes a cookie that is set again for one', () => {
    const { total, items } = sectionWith('a=1', 'a=2; Secure; HttpOnly; SameSite=Lax')
    assert.deepEqual([total, items[0]?.issues], [1, []])
  })

  it('tells cookies of one name apart by domain and path', () => {
    assert.equal(sectionWith('a=1', 'a=1; Domain=example.com', 'a=1; Path=/x').total, 3)
  })

  it('refuses Secure over HTTP', () => {
    const { items } = sectionOf(
      findOf({ url: 'http://example.com/', ...setting('a=1; Secure; HttpOnly; SameSite=Lax') }),
    )
    assert.deepEqual([items[0]?.stored, items[0]?.issues], [false, ['set_over_http', 'secure_over_http']])
  })

  it('lists fifty of ten thousand, and counts all', () => {
    const { total, items, score } = sectionWith(...Array.from({ length: 10_000 }, (_, at) => `c${at}=1`))
    assert.deepEqual([total, items.length, score], [10_000, 50, 75])
  })
})

describe('the score', () => {
  const scores: readonly (readonly [string, readonly string[], number])[] = [
    ['is 100 without cookies', [], 100],
    ['is 100 without a fault', ['sid=1; Secure; HttpOnly; SameSite=Lax', '_ga=1; Secure'], 100],
    ['is low when a session is open to all', ['sid=1'], 20],
    ['is lowered little by analytics', ['_ga=1'], 95],
    [
      'counts each kind of fault once, at its worst',
      ['sid=1; HttpOnly; SameSite=Lax', '_ga=1', 'lang=en; HttpOnly; SameSite=Lax'],
      60,
    ],
    ['is lowered by what browsers refuse', ['a=1; Secure; HttpOnly; SameSite=Lax; Domain=example.org'], 90],
    [
      'is never below 0',
      [
        'sid=1; Domain=com; Max-Age=99999999; SameSite=x',
        '__Host-sid=1',
        'a=1; Partitioned',
        '=',
        'sid=; SameSite=None',
      ],
      0,
    ],
  ]
  for (const [title, fields, score] of scores) it(title, () => assert.equal(sectionWith(...fields).score, score))
})

describe('signals', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['are none for a guarded session', ['sid=1; Secure; HttpOnly; SameSite=Lax'], []],
    ['are none for what is no session', ['lang=en', '_ga=1'], []],
    [
      'name each lack of a session',
      ['sid=1'],
      ['session_cookie_without_secure', 'session_cookie_without_http_only', 'session_cookie_without_same_site'],
    ],
    [
      'name a broken prefix and that browsers refuse it',
      ['__Host-lang=en; Secure'],
      ['cookie_prefix_violated', 'cookie_rejected'],
    ],
  ]
  for (const [title, fields, ids] of cases) it(title, () => assert.deepEqual(idsOf(findOf(setting(...fields))), ids))

  it('tell the names of cookies', () => {
    const [first] = findOf(setting('sid=1; HttpOnly; SameSite=Lax')).signals ?? []
    assert.deepEqual(first, {
      id: 'session_cookie_without_secure',
      detail: 'A session cookie may travel over HTTP: 1 in all.',
      evidence: { cookies: ['sid'] },
    })
  })
})

describe('the response', () => {
  it('that is not the site’s own has no cookies of the site', () => {
    const response = { status: 403, headers: ['cf-mitigated: challenge', 'set-cookie: __cf_bm=1'] }
    assert.deepEqual(findOf(response), {
      section: {
        evaluated_url: 'https://example.com/',
        status_code: 403,
        redirects: [],
        served_as: 'challenge',
        recognised_by: 'cloudflare_challenge',
        blocked: true,
        total: null,
        secure: null,
        http_only: null,
        same_site: null,
        kinds: null,
        score: null,
        items: [],
      },
      signals: [],
    })
  })

  it('that did not come has none', () => {
    assert.deepEqual(find(plugin.analyze, { ...pageOf(), failure: 'reset' }, null), { notApplicable: 'reset' })
  })

  it('makes a section that keeps its schema', async () => {
    const page = pageOf(setting('sid=1; Max-Age=60', '__Host-a=1; SameSite=None; Partitioned', 'x=1; Domain=com'))
    assert.ok(sectionAjv().compile(plugin.schema)(sectionOf(find(plugin.analyze, page))))
    const served = { url: 'https://example.com/', status: 200, chain: [], kind: 'page', rule: null, failure: null }
    const { result } = await engineOf([plugin], { evidence: { page, served } }).check(EXAMPLE)
    assert.deepEqual((result['coverage'] as { sections: unknown }).sections, {
      cookies: { status: 'completed', reason: null, duration_ms: 0 },
    })
  })
})

describe('the README', () => {
  it('has the headings that every plugin has', () => {
    const headings = ['What it reports', 'Evidence', 'Signals', 'Options', 'When to disable']
    assert.deepEqual(readmeHeadings('cookies'), headings)
  })

  it('tells the signals as they are', () => assert.deepEqual(readmeSignals('cookies'), plugin.signals))
})
