import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/cookies/index.ts'
import { kindOf } from '../../plugins/cookies/kinds.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { findOf, sectionWith, setting } from './cookies_set.ts'
import { find, idsOf, sectionOf } from './web_section.ts'

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
  it('counts the cookies', () => {
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

  it('includes cookies of redirects, with their hosts', () => {
    const { items } = sectionOf(
      findOf(
        { url: 'http://example.com/', status: 301, ...setting('a=1; HttpOnly; SameSite=Lax') },
        { url: 'https://www.example.com/', ...setting('b=1; Secure; HttpOnly; SameSite=Lax') },
      ),
    )
    assert.deepEqual(
      items?.map(({ name, host, issues }) => [name, host, issues]),
      [
        ['a', 'example.com', ['missing_secure', 'set_over_http']],
        ['b', 'www.example.com', []],
      ],
    )
  })

  it('counts a cookie that is set again once', () => {
    const { total, items } = sectionWith('a=1', 'a=2; Secure; HttpOnly; SameSite=Lax')
    assert.deepEqual([total, items?.[0]?.issues], [1, []])
  })

  it('distinguishes cookies of one name by domain and path', () => {
    assert.equal(sectionWith('a=1', 'a=1; Domain=example.com', 'a=1; Path=/x').total, 3)
  })

  it('rejects Secure over HTTP', () => {
    const { items } = sectionOf(
      findOf({ url: 'http://example.com/', ...setting('a=1; Secure; HttpOnly; SameSite=Lax') }),
    )
    assert.deepEqual([items?.[0]?.stored, items?.[0]?.issues], [false, ['set_over_http', 'secure_over_http']])
  })

  it('includes cookies of plain HTTP, and says how each was sent', () => {
    const http = {
      url: 'http://example.com/',
      status: 301,
      failure: null,
      location: 'http://www.example.com/',
      set_cookies: ['plain=<1>', 'again=<1>; Secure', 'lost=<1>; Secure'],
      followed: [{ url: 'http://www.example.com/', status: 200, location: null, set_cookies: ['deep=<1>'] }],
    }
    const page = pageOf({ headers: ['set-cookie: again=<1>; Secure', 'set-cookie: page=<1>'] })
    const { items } = sectionOf(find(plugin.analyze, page, documentOf(), EXAMPLE, { http, www: null }))
    assert.deepEqual(
      items?.map(({ name, host, scheme, stored }) => [name, host, scheme, stored]),
      [
        ['plain', 'example.com', 'http', true],
        ['lost', 'example.com', 'http', false],
        ['deep', 'www.example.com', 'http', true],
        ['again', 'example.com', 'https', true],
        ['page', 'example.com', 'https', true],
      ],
    )
  })
  it('does not count the responses of a visit over plain HTTP twice', () => {
    const http = { url: 'http://example.com/', status: 200, failure: null, location: null, set_cookies: ['other=<1>'] }
    const page = pageOf({ url: 'http://example.com/', headers: ['set-cookie: id=<1>'] })
    const { items } = sectionOf(find(plugin.analyze, page, documentOf(), EXAMPLE, { http, www: null }))
    assert.deepEqual(
      items?.map(({ name }) => name),
      ['id'],
    )
  })
  it('lists fifty of ten thousand, and counts all', () => {
    const { total, items, score } = sectionWith(...Array.from({ length: 10_000 }, (_, at) => `c${at}=1`))
    assert.deepEqual([total, items?.length, score], [10_000, 50, 75])
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
    ['say of a session cookie that browsers refuse only that', ['sid=1; SameSite=None'], ['cookie_rejected']],
  ]
  for (const [title, fields, ids] of cases) it(title, () => assert.deepEqual(idsOf(findOf(setting(...fields))), ids))

  it('list the names of cookies', () => {
    const [first] = findOf(setting('sid=1; HttpOnly; SameSite=Lax')).signals ?? []
    assert.deepEqual(first, {
      id: 'session_cookie_without_secure',
      detail: 'Session cookie without Secure: sid.',
      evidence: { cookies: ['sid'] },
    })
  })

  it('say how many more there are, and that one has no name', () => {
    const fields = ['=1; SameSite=None', ...[1, 2, 3, 4, 5, 6].map(i => `__Host-${i}=1; Path=/x`)]
    const rejected = findOf(setting(...fields)).signals?.find(({ id }) => id === 'cookie_rejected')
    assert.equal(
      rejected?.detail,
      'Cookie rejected by browsers: a nameless one, __Host-1, __Host-2, __Host-3, __Host-4 and 2 more.',
    )
  })
})

describe('the response', () => {
  it('that is not the site’s own has no cookies', () => {
    const response = { status: 403, headers: ['cf-mitigated: challenge', 'set-cookie: __cf_bm=1'] }
    assert.deepEqual(findOf(response), { unavailable: 'page_withheld' })
  })

  it('leaves unknown, with the reason, what plain HTTP would have set if that is silent', () => {
    const http = { url: 'http://example.com/', status: null, failure: 'reset', location: null }
    const unseen = (page: ReturnType<typeof pageOf>) => {
      const finding = find(plugin.analyze, page, null, EXAMPLE, { http, www: null })
      const { total, items, score, kinds } = sectionOf(finding)
      return [total, items?.length ?? null, score, kinds?.session ?? null, 'unknown' in finding && finding.unknown]
    }
    assert.deepEqual(unseen(pageOf({})), [null, null, null, null, 'plain_http_reset'])
    assert.deepEqual(unseen(pageOf(setting('sid=1'))), [1, 1, null, 1, 'plain_http_reset'])
  })

  it('that did not arrive has none', () => {
    assert.deepEqual(find(plugin.analyze, { ...pageOf(), failure: 'reset' }, null), { notApplicable: 'reset' })
  })

  it('gives a section that matches its schema', async () => {
    const page = pageOf(setting('sid=1; Max-Age=60', '__Host-a=1; SameSite=None; Partitioned', 'x=1; Domain=com'))
    assert.ok(sectionAjv().compile(plugin.schema)(sectionOf(find(plugin.analyze, page))))
    const served = { url: 'https://example.com/', status: 200, chain: [], kind: 'page', rule: null, failure: null }
    const http = { url: 'http://example.com/', status: null, failure: 'refused', location: null }
    const evidence = { page, served, entrances: { http, www: null } }
    const { result } = await engineOf([plugin], { evidence }).check(EXAMPLE)
    assert.deepEqual((result['coverage'] as { sections: unknown }).sections, {
      cookies: { status: 'completed', reason: null, duration_ms: 0 },
    })
  })
})
