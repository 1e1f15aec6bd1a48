import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCookieDate } from '../../plugins/cookies/cookie_date.ts'
import { findOf, sectionWith, setting, table } from './cookies_set.ts'
import { sectionOf } from './web_section.ts'

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

describe('the lifetime of a cookie', () => {
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

  it('ends with Max-Age=0, with a negative one and with a past date', () => {
    const deletions = ['a=; Max-Age=0', 'b=; Max-Age=-1', 'c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
    assert.deepEqual([sectionWith(...deletions).total, sectionWith(...deletions).score], [0, 100])
  })

  it('ends an earlier cookie', () => {
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
    assert.equal(items?.[0]?.path, '/x/y')
  })

  it('can be a parent domain of the host', () => {
    const { items } = sectionOf(findOf({ ...setting('a=b; Domain=example.com'), url: 'https://www.example.com/' }))
    assert.deepEqual(
      [items?.[0]?.host, items?.[0]?.domain, items?.[0]?.stored],
      ['www.example.com', 'example.com', true],
    )
  })

  it('share nothing for an address, which has no subdomains', () => {
    const field = 'sid=1; Domain=93.184.216.34; Secure; HttpOnly; SameSite=Lax'
    const [item] = sectionOf(findOf({ ...setting(field), url: 'https://93.184.216.34/' })).items ?? []
    assert.deepEqual([item?.stored, item?.domain, item?.issues], [true, null, []])
  })

  it('match an address only exactly', () => {
    const from = (domain: string) =>
      sectionOf(findOf({ ...setting(`a=b; Domain=${domain}`), url: 'https://93.184.216.34/' })).items?.[0]?.stored
    assert.deepEqual([from('93.184.216.34'), from('184.216.34')], [true, false])
  })

  it('treat a public suffix that is the host itself as host-only', () => {
    const { items } = sectionOf(findOf({ ...setting('a=b; Domain=github.io'), url: 'https://github.io/' }))
    assert.deepEqual([items?.[0]?.domain, items?.[0]?.stored], [null, true])
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
    ['of a cookie that only servers set are kept', `__Http-a=b${kept}`, { prefix: '__Http-', stored: true }],
    [
      'of a cookie that only servers set need HttpOnly',
      '__Http-a=b; Secure; SameSite=Lax',
      { prefix: '__Http-', stored: false, issues: ['missing_http_only', 'prefix_violated'] },
    ],
    [
      'of a host’s cookie that only servers set are kept',
      `__Host-Http-a=b; Path=/${kept}`,
      { prefix: '__Host-Http-', stored: true },
    ],
    [
      'of a host’s cookie that only servers set need HttpOnly',
      '__Host-Http-a=b; Path=/; Secure; SameSite=Lax',
      { stored: false },
    ],
    ['of a host’s cookie that only servers set need the path /', `__Host-Http-a=b; Path=/x${kept}`, { stored: false }],
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
