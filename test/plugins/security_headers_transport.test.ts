import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/security_headers/index.ts'
import type { GradedHeaders } from '../../plugins/security_headers/section.ts'
import type { Entrance, Entrances } from '../../src/evidence/entrances/facts.ts'
import type { Certificate, Tls } from '../../src/evidence/tls/facts.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ADDRESS, findOf, sts, table } from './security_headers_graded.ts'
import { find, sectionOf } from './web_section.ts'

const hstsOf = (...response: Parameters<typeof findOf>) => (sectionOf(findOf(...response)) as GradedHeaders).hsts

describe('Strict-Transport-Security', () => {
  table('hsts', [
    ['is absent', [], { present: false, value: null, max_age: null, status: 'fail' }],
    [
      'is read with all its directives',
      [sts('max-age=31536000; includeSubDomains; preload')],
      {
        max_age: 31_536_000,
        include_sub_domains: true,
        preload: true,
        preload_eligible: true,
        status: 'pass',
        recommendation: null,
      },
    ],
    [
      'has names in any case',
      [sts('MAX-AGE=31536000; INCLUDESUBDOMAINS')],
      { max_age: 31_536_000, include_sub_domains: true },
    ],
    [
      'is sent when it is absent',
      [],
      { recommendation: 'Send Strict-Transport-Security: max-age=31536000; includeSubDomains.' },
    ],
    [
      'is mended when it is not valid',
      [sts('max-age=1y')],
      { recommendation: 'Fix the header: it violates RFC 6797, so browsers ignore it.' },
    ],
    [
      'is kept when it takes the policy back',
      [sts('max-age=0; includeSubDomains')],
      { recommendation: 'Raise max-age: 0 tells browsers to forget the policy.' },
    ],
    [
      'is prolonged below a year',
      [sts('max-age=31535999; includeSubDomains')],
      { recommendation: 'Raise max-age to a year (31536000) or more.' },
    ],
    [
      'covers the names below',
      [sts('max-age=31536000')],
      {
        include_sub_domains: false,
        recommendation: 'Add includeSubDomains once every subdomain supports HTTPS.',
      },
    ],
    [
      'is not eligible for preloading below a year',
      [sts('max-age=31535999; includeSubDomains; preload')],
      { preload_eligible: false },
    ],
    ['has a quoted value', [sts('max-age="31536000"')], { max_age: 31_536_000, status: 'pass' }],
    [
      'has blanks around its parts',
      [sts('  max-age = 31536000 ;  includeSubDomains  ')],
      { max_age: 31_536_000, include_sub_domains: true },
    ],
    ['has empty directives', [sts(';max-age=31536000;;')], { max_age: 31_536_000 }],
    ['has unknown directives, which are ignored', [sts('max-age=31536000; x="a;b,c"; y')], { max_age: 31_536_000 }],
    ['passes from 180 days', [sts('max-age=15552000')], { status: 'pass' }],
    ['warns below 180 days', [sts('max-age=15551999')], { status: 'warn' }],
    [
      'fails with max-age=0, which takes the policy back',
      [sts('max-age=0')],
      { present: true, max_age: 0, status: 'fail' },
    ],
    [
      'is ignored without max-age',
      [sts('includeSubDomains')],
      { max_age: null, include_sub_domains: false, status: 'fail' },
    ],
    ['is ignored when max-age has no value', [sts('max-age')], { max_age: null, status: 'fail' }],
    ['is ignored when max-age is empty', [sts('max-age=""')], { max_age: null }],
    ['is ignored when max-age is negative', [sts('max-age=-1')], { max_age: null }],
    ['is ignored when max-age is not a number', [sts('max-age=1y')], { max_age: null }],
    ['is ignored with a directive twice', [sts('max-age=1; max-age=31536000')], { max_age: null }],
    ['is ignored when a flag has a value', [sts('max-age=31536000; includeSubDomains=true')], { max_age: null }],
    ['is ignored when commas join two', [sts('max-age=31536000, max-age=31536000')], { max_age: null, status: 'fail' }],
    ['is ignored with an open quote', [sts('max-age="31536000')], { max_age: null }],
    [
      'counts by its first line only',
      [sts('max-age=0'), sts('max-age=31536000')],
      { max_age: 0, value: 'max-age=0, max-age=31536000' },
    ],
    [
      'holds an enormous max-age within 32 bits',
      [sts(`max-age=${'9'.repeat(400)}`)],
      { max_age: 2_147_483_647, status: 'pass' },
    ],
    [
      'holds although preload has a value, for it is no directive that browsers know',
      [sts('max-age=31536000; preload=1')],
      { max_age: 31_536_000, preload: false, status: 'pass' },
    ],
    [
      'is not eligible for preloading without subdomains',
      [sts('max-age=31536000; preload')],
      { preload_eligible: false },
    ],
  ])

  it('is ignored on HTTP', () => {
    const hsts = hstsOf({ url: 'http://example.com/', headers: [sts('max-age=31536000')] })
    assert.deepEqual([hsts.present, hsts.max_age, hsts.status, hsts.preload_eligible], [true, null, 'fail', null])
    assert.equal(hsts.recommendation, 'Serve the page over HTTPS: browsers ignore the header over HTTP.')
  })

  it('does not apply to addresses', () => {
    const hsts = hstsOf({ url: 'https://93.184.216.34/' }, {}, ADDRESS)
    assert.deepEqual([hsts.status, hsts.recommendation], [null, null])
  })

  it('applies to the name that an address redirects to', () => {
    const page = pageOf({ url: 'http://93.184.216.34/', status: 301 }, { url: 'https://example.com/' })
    const { hsts, missing } = sectionOf(find(plugin.analyze, page, null, ADDRESS)) as GradedHeaders
    assert.deepEqual(
      [hsts.status, hsts.preload_eligible, missing.includes('strict-transport-security')],
      ['fail', null, true],
    )
  })

  it('is preloaded by the base domain’s own response', () => {
    const headers = [sts('max-age=63072000; includeSubDomains; preload')]
    const page = pageOf({ status: 301, headers }, { url: 'https://www.example.com/' })
    assert.equal((sectionOf(find(plugin.analyze, page)) as GradedHeaders).hsts.preload_eligible, true)
  })

  it('is preloaded only if each response of the base domain asks for it', () => {
    const headers = [sts('max-age=63072000; includeSubDomains; preload')]
    const page = pageOf(
      { status: 301, headers },
      { url: 'https://example.com/home', headers: [sts('max-age=63072000')] },
    )
    assert.equal((sectionOf(find(plugin.analyze, page)) as GradedHeaders).hsts.preload_eligible, false)
  })

  for (const [url, isAddress] of [
    ['https://93.184.216.34', true],
    ['https://93.184.216.34:8443/', true],
    ['http://93.184.216.34/', true],
    ['https://[2606:4700::1111]/', true],
    ['https://1.example.com/', false],
    ['https://example.com/https://1.2.3.4/', false],
  ] as const)
    it(`${isAddress ? 'does not apply' : 'applies'} to ${url}`, () => {
      const hsts = hstsOf({ url }, {}, ADDRESS)
      assert.equal(hsts.status, isAddress ? null : 'fail')
    })

  it('is not eligible for preloading while HTTP serves a page of its own', () => {
    const page = pageOf({ headers: [sts('max-age=63072000; includeSubDomains; preload')] })
    const entrance = { url: 'http://example.com/', status: 200, failure: null, location: null }
    const seen = find(plugin.analyze, page, documentOf(), EXAMPLE, { http: entrance, www: null })
    assert.equal((sectionOf(seen) as GradedHeaders).hsts.preload_eligible, false)
  })

  it('does not know about preloading if the base domain was not visited', () => {
    const hsts = hstsOf({ url: 'https://www.example.com/', headers: [sts('max-age=31536000')] })
    assert.equal(hsts.preload_eligible, null)
  })
})

describe('HSTS over a certificate that browsers reject', () => {
  const headers = [sts('max-age=63072000; includeSubDomains; preload')]
  const leaf = {
    not_before: '2026-01-01T00:00:00Z',
    not_after: '2027-01-01T00:00:00Z',
    dns_names: ['example.com', '*.example.com'],
  }
  const cases: readonly [what: string, leaf: Partial<Certificate>, anchored: boolean | null, honoured: boolean][] = [
    ['is honoured where browsers accept it', leaf, true, true],
    ['is honoured where the root is not known', leaf, null, true],
    ['is not honoured where it is expired', { ...leaf, not_after: '2026-11-01T00:00:00Z' }, true, false],
    ['is not honoured before it is valid', { ...leaf, not_before: '2026-12-01T00:00:00Z' }, true, false],
    ['is not honoured under another name', { ...leaf, dns_names: ['example.org', '*.www.example.com'] }, true, false],
    ['is not honoured without a trusted root', leaf, false, false],
  ]
  for (const [what, certificate, anchored, honoured] of cases) {
    it(what, () => {
      const tls = { status: 'handshake', server_name: 'example.com', chain: [certificate], anchored } as unknown as Tls
      const { hsts } = sectionOf(
        find(plugin.analyze, pageOf({ headers }), documentOf(), EXAMPLE, null, tls),
      ) as GradedHeaders
      const expected = honoured ? [63_072_000, true, 'pass'] : [null, false, 'fail']
      assert.deepEqual([hsts.max_age, hsts.preload_eligible, hsts.status], expected)
    })
  }
})

describe('HTTPS', () => {
  const httpsOf = (urls: string[], entrances: Entrances | null = null) => {
    const page = pageOf(...urls.map((url, at) => ({ url, status: at === urls.length - 1 ? 200 : 301 })))
    const { https } = sectionOf(find(plugin.analyze, page, documentOf(), EXAMPLE, entrances)) as GradedHeaders
    return [https.used, https.redirects_from_http, https.downgraded, https.status]
  }
  const http = 'http://example.com/'
  const https = 'https://example.com/'

  it('is used, and HTTP is unknown', () => assert.deepEqual(httpsOf([https]), [true, null, false, 'pass']))
  it('is where HTTP leads', () => assert.deepEqual(httpsOf([http, https]), [true, true, false, 'pass']))
  it('is not used', () => assert.deepEqual(httpsOf([http]), [false, false, false, 'fail']))

  const entrances: [title: string, http: Partial<Entrance>, expected: unknown[]][] = [
    ['is where port 80 leads', { status: 301, location: https }, [true, true, false, 'pass']],
    ['is passed by at port 80', { status: 200 }, [true, false, false, 'warn']],
    [
      'may be where port 80 leads in the end',
      { status: 301, location: 'http://www.example.com/' },
      [true, null, false, 'pass'],
    ],
    [
      'is passed by where port 80 leads to a page of its own',
      {
        status: 301,
        location: 'http://www.example.com/',
        followed: [{ url: 'http://www.example.com/', status: 200, location: null }],
      },
      [true, false, false, 'warn'],
    ],
    [
      'is where port 80 leads in two steps',
      {
        status: 301,
        location: 'http://www.example.com/',
        followed: [{ url: 'http://www.example.com/', status: 301, location: https }],
      },
      [true, true, false, 'pass'],
    ],
    ['is all there is', { failure: 'refused' }, [true, null, false, 'pass']],
    ['is not led to by an error', { status: 403 }, [true, null, false, 'pass']],
  ]
  for (const [title, given, expected] of entrances) {
    it(title, () => {
      const entrance = { url: http, status: null, failure: null, location: null, ...given }
      assert.deepEqual(httpsOf([https], { http: entrance, www: null }), expected)
    })
  }

  const silent = { url: http, status: null, failure: 'timeout', location: null }
  const open = { ...silent, status: 301, failure: null, location: https }
  const unseen: [what: string, entrances: Entrances | null, reason: string][] = [
    ['plain HTTP is silent', { http: silent, www: null }, 'plain_http_timeout'],
    [
      'a request from another site is not answered',
      { http: open, www: null, cross_origin: null, cross_origin_failure: 'reset' },
      'cross_origin_reset',
    ],
    ['neither could be asked', null, 'entrances_timeout'],
  ]
  for (const [what, entrances, reason] of unseen) {
    it(`leaves the grade unknown, with the reason, if ${what}`, () => {
      const missing = entrances === null ? { entrances: { status: 'unavailable', reason: 'timeout' } as const } : {}
      const page = pageOf({ url: https })
      const finding = find(plugin.analyze, page, documentOf(), EXAMPLE, entrances, null, null, missing)
      const { score, grade, https: judged, cors } = sectionOf(finding) as GradedHeaders
      const statuses = [judged.status, cors.status]
      assert.deepEqual([score, grade, 'unknown' in finding && finding.unknown], [null, null, reason])
      assert.ok(statuses.includes(null))
    })
  }

  it('is graded as plain HTTP shows where a visit began there, whatever the other entrances say', () => {
    const finding = find(plugin.analyze, pageOf({ url: http, status: 301 }, { url: https }), documentOf(), EXAMPLE, {
      http: silent,
      www: null,
    })
    assert.notEqual(sectionOf(finding).grade, null)
  })

  it('is left by a redirect', () => assert.deepEqual(httpsOf([https, http]), [false, false, true, 'fail']))
  it('is left and used again', () => assert.deepEqual(httpsOf([https, http, https]), [true, true, true, 'warn']))
})

describe('the preload list of browsers', () => {
  const host = 'example.com'
  const table: [title: string, fact: { host: string; preloaded: boolean } | null, preloaded: boolean | null][] = [
    ['has the host', { host, preloaded: true }, true],
    ['lacks the host', { host, preloaded: false }, false],
    ['is unknown without the dataset', null, null],
    ['says nothing about another host', { host: 'www.example.com', preloaded: true }, null],
  ]
  for (const [title, fact, preloaded] of table) {
    it(title, () => {
      const finding = find(plugin.analyze, pageOf({}), documentOf(), EXAMPLE, null, null, fact)
      assert.equal(sectionOf(finding).hsts?.preloaded, preloaded)
    })
  }
})
