import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/security_headers/index.ts'
import type { CrossOriginAnswer, Entrance } from '../../src/evidence/entrances/facts.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { graded, table } from './security_headers_graded.ts'
import { find, idsOf, sectionOf } from './web_section.ts'

const CLOSED: Entrance = { url: 'http://example.com/', status: null, failure: 'refused', location: null }

describe('X-Content-Type-Options', () => {
  table('x_content_type_options', [
    ['is absent', [], { present: false, status: 'fail' }],
    ['passes', ['x-content-type-options: NoSniff'], { status: 'pass', recommendation: null }],
    ['counts by its first value', ['x-content-type-options: nosniff, x'], { status: 'pass' }],
    [
      'does not count by its second',
      ['x-content-type-options: x', 'x-content-type-options: nosniff'],
      { status: 'fail' },
    ],
    ['fails with another value', ['x-content-type-options: sniff'], { present: true, status: 'fail' }],
  ])
})

const referrer = (value: string) => `referrer-policy: ${value}`

describe('Referrer-Policy', () => {
  table('referrer_policy', [
    ['is absent, and browsers have a default', [], { present: false, policy: null, status: 'warn' }],
    ['passes', [referrer('strict-origin')], { policy: 'strict-origin', status: 'pass' }],
    [
      'is the last known token',
      [referrer('no-referrer, strict-origin-when-cross-origin, future')],
      { policy: 'strict-origin-when-cross-origin' },
    ],
    [
      'is the last known token over all lines',
      [referrer('no-referrer'), referrer('unsafe-url')],
      { policy: 'unsafe-url', status: 'fail' },
    ],
    ['is none when no token is known', [referrer('whatever')], { present: true, policy: null, status: 'warn' }],
    ['warns about origins', [referrer('origin')], { status: 'warn' }],
    ['is no member of an object', [referrer('constructor')], { policy: null }],
  ])

  it('is replaced by a meta element', () => {
    const metas = [{ name: 'referrer', content: ' Never ' }]
    assert.equal(graded([referrer('unsafe-url')], { metas }).referrer_policy.policy, 'no-referrer')
  })
})

const permissions = (value: string) => `permissions-policy: ${value}`

describe('Permissions-Policy', () => {
  table('permissions_policy', [
    ['is absent', [], { present: false, features: null, status: 'warn' }],
    [
      'restricts',
      [permissions('camera=(), geolocation=(self "https://a.example"), fullscreen=*')],
      {
        features: [
          { name: 'camera', allow: [] },
          { name: 'geolocation', allow: ['self', 'https://a.example'] },
          { name: 'fullscreen', allow: ['*'] },
        ],
        status: 'pass',
      },
    ],
    ['fails when it allows everyone everything', [permissions('camera=*, microphone=(*)')], { status: 'fail' }],
    [
      'is ignored in the syntax of Feature-Policy',
      [permissions("camera 'none'; microphone 'none'")],
      { features: null, status: 'fail' },
    ],
    [
      'is joined over its lines',
      [permissions('camera=()'), permissions('camera=*')],
      { features: [{ name: 'camera', allow: ['*'] }], status: 'fail' },
    ],
  ])
})

describe('isolation', () => {
  table('coop', [
    ['by opener is absent', [], { present: false, policy: null, status: 'warn' }],
    [
      'by opener passes',
      ['cross-origin-opener-policy: same-origin; report-to="x"'],
      { policy: 'same-origin', status: 'pass' },
    ],
    [
      'by opener has no effect as unsafe-none',
      ['cross-origin-opener-policy: unsafe-none'],
      { policy: 'unsafe-none', status: 'warn' },
    ],
    ['by opener is ignored in quotes', ['cross-origin-opener-policy: "same-origin"'], { policy: null }],
    ['by opener is ignored in another case', ['cross-origin-opener-policy: Same-Origin'], { policy: null }],
    [
      'by opener is ignored on two lines',
      Array(2).fill('cross-origin-opener-policy: same-origin'),
      { present: true, policy: null },
    ],
  ])
  table('coep', [
    ['by embedder passes', ['cross-origin-embedder-policy: require-corp'], { policy: 'require-corp', status: 'pass' }],
    ['by embedder passes without credentials', ['cross-origin-embedder-policy: credentialless'], { status: 'pass' }],
    ['by embedder is ignored when unknown', ['cross-origin-embedder-policy: corp'], { policy: null, status: 'warn' }],
  ])
  table('corp', [
    ['by resource passes', ['cross-origin-resource-policy: same-site'], { policy: 'same-site', status: 'pass' }],
    [
      'by resource is open when it says so',
      ['cross-origin-resource-policy: cross-origin'],
      { policy: 'cross-origin', status: 'warn' },
    ],
    ['by resource is ignored with parameters', ['cross-origin-resource-policy: same-site; a'], { policy: null }],
  ])
})

describe('cross-origin reading', () => {
  const both = ['access-control-allow-origin: *', 'access-control-allow-credentials: true']
  table('cors', [
    ['is not allowed', [], { present: false, status: 'pass' }],
    [
      'is allowed to everyone without credentials',
      both.slice(0, 1),
      { value: '*', allow_credentials: false, status: 'pass' },
    ],
    ['fails when everyone gets credentials', both, { allow_credentials: true, status: 'fail' }],
    [
      'takes credentials for allowed in lower case only',
      ['access-control-allow-origin: *', 'access-control-allow-credentials: True'],
      { allow_credentials: false, status: 'pass' },
    ],
    ['warns about the origin null', ['access-control-allow-origin: null'], { status: 'warn' }],
  ])

  const origin = 'https://other-site.invalid'
  const asked: [title: string, answer: Partial<CrossOriginAnswer> | null, reflects: unknown, ids: string[]][] = [
    ['is unknown to reflect origins without an answer', null, [null, null, 'pass'], []],
    ['is no reflection without the header', {}, [false, false, 'pass'], []],
    [
      'is no reflection by a list',
      { allow_origin: 'https://example.com', allow_credentials: true },
      [false, false, 'pass'],
      [],
    ],
    ['is as open as * by reflection without credentials', { allow_origin: origin }, [true, false, 'pass'], []],
    [
      'fails by reflection with credentials',
      { allow_origin: origin, allow_credentials: true },
      [true, true, 'fail'],
      ['cors_reflects_origin'],
    ],
    [
      'is not judged by the answer of another origin',
      { url: 'https://elsewhere.example/', allow_origin: origin, allow_credentials: true },
      [null, null, 'pass'],
      [],
    ],
  ]
  for (const [title, answer, reflects, ids] of asked) {
    it(title, () => {
      const none = { url: 'https://example.com/', origin, allow_origin: null, allow_credentials: false }
      const entrances = { http: CLOSED, www: null, cross_origin: answer && { ...none, ...answer } }
      const finding = find(plugin.analyze, pageOf({}), documentOf(), EXAMPLE, entrances)
      const { cors } = sectionOf(finding)
      assert.deepEqual([cors?.reflects_origin, cors?.reflects_with_credentials, cors?.status], reflects)
      assert.deepEqual(
        idsOf(finding).filter(id => id.startsWith('cors')),
        ids,
      )
    })
  }
})

describe('leaks', () => {
  const cases: readonly (readonly [string, string, boolean | null])[] = [
    ['a product alone is none', 'server: nginx', null],
    ['a version is one', 'server: nginx/1.25', true],
    ['a version behind a comment is one', 'server: Apache (Debian) PHP/8.2', true],
    ['a number in a comment is none', 'server: ECS (dcb/7F3B)', null],
    ['a version among modules is one', 'server: Apache (Unix) PHP/8', true],
    ['a framework is one without a version', 'x-powered-by: Express', false],
    ['a framework’s version is one', 'x-aspnet-version: 4.0.30319', true],
    ['a name of JavaScript’s own is none', 'constructor: 1.0', null],
  ]
  for (const [title, line, version] of cases) {
    it(title, () => {
      const [name = '', value = ''] = line.split(': ')
      assert.deepEqual(graded([line]).leaks, version === null ? [] : [{ name, value, version }])
    })
  }
})
