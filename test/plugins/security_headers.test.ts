import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { weights } from '../../plugins/security_headers/grade.ts'
import plugin from '../../plugins/security_headers/index.ts'
import type { Graded } from '../../plugins/security_headers/section.ts'
import type { Target } from '../../src/engine/target.ts'
import type { Document } from '../../src/evidence/document.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { documentOf, pageOf, type ResponseGiven } from '../evidence/page_of.ts'
import { readmeHeadings, readmeSignals } from './readme_signals.ts'
import { find, idsOf, sectionOf } from './web_section.ts'

const findOf = (response: ResponseGiven, document: Partial<Document> = {}, target: Target = EXAMPLE) =>
  find(plugin.analyze, pageOf(response), documentOf(document), target)
const graded = (headers: readonly string[], document: Partial<Document> = {}) =>
  sectionOf(findOf({ headers }, document)) as Graded

type Cases<Section> = readonly (readonly [title: string, headers: readonly string[], expected: Partial<Section>])[]

/** One test a row: what the header's part of the section says of these lines. */
function table<Key extends keyof Graded>(key: Key, cases: Cases<Graded[Key]>) {
  for (const [title, headers, expected] of cases) {
    it(title, () => {
      const section = graded(headers)[key] as Record<string, unknown>
      const actual = Object.fromEntries(Object.keys(expected).map(name => [name, section[name]]))
      assert.deepEqual(actual, expected)
    })
  }
}

const sts = (value: string) => `strict-transport-security: ${value}`

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
      'is not eligible for preloading without subdomains',
      [sts('max-age=31536000; preload')],
      { preload_eligible: false },
    ],
  ])

  it('is ignored on HTTP', () => {
    const { hsts } = sectionOf(findOf({ url: 'http://example.com/', headers: [sts('max-age=31536000')] })) as Graded
    assert.deepEqual([hsts.present, hsts.max_age, hsts.status, hsts.preload_eligible], [true, null, 'fail', null])
  })

  it('does not apply to addresses', () => {
    const target: Target = { kind: 'ip', domain: null, ip: '93.184.216.34', registrable: null, registered: null }
    const { hsts } = sectionOf(findOf({ url: 'https://93.184.216.34/' }, {}, target)) as Graded
    assert.deepEqual([hsts.status, hsts.recommendation], [null, null])
  })

  it('is preloaded by the base domain’s own response', () => {
    const headers = [sts('max-age=63072000; includeSubDomains; preload')]
    const page = pageOf({ status: 301, headers }, { url: 'https://www.example.com/' })
    assert.equal((sectionOf(find(plugin.analyze, page)) as Graded).hsts.preload_eligible, true)
  })

  it('says nothing of preloading when the visit did not show the base domain', () => {
    const { hsts } = sectionOf(
      findOf({ url: 'https://www.example.com/', headers: [sts('max-age=31536000')] }),
    ) as Graded
    assert.equal(hsts.preload_eligible, null)
  })
})

const csp = (value: string) => `content-security-policy: ${value}`
const STRICT = "script-src 'nonce-2726c7f26c' 'strict-dynamic'; object-src 'none'; base-uri 'none'"

describe('Content-Security-Policy', () => {
  table('csp', [
    ['is absent', [], { present: false, value: null, policies: 0, directives: {}, findings: [], status: 'fail' }],
    ['passes by nonce', [csp(STRICT)], { present: true, weaknesses: [], status: 'pass', recommendation: null }],
    ['passes with the site’s own scripts alone', [csp("default-src 'self'")], { weaknesses: [], status: 'pass' }],
    ['passes when it allows nothing', [csp("default-src 'none'")], { weaknesses: [], status: 'pass' }],
    [
      'fails as a bare asterisk',
      [csp('*')],
      {
        present: true,
        weaknesses: ['inline_script', 'any_script_host', 'eval', 'plugins'],
        status: 'fail',
      },
    ],
    [
      'fails with default-src *',
      [csp('default-src *')],
      { weaknesses: ['any_script_host', 'plugins'], status: 'fail' },
    ],
    [
      'fails with a whole scheme',
      [csp("script-src https:; object-src 'none'")],
      { weaknesses: ['any_script_host'], status: 'fail' },
    ],
    [
      'fails with unsafe-inline',
      [csp("script-src 'self' 'unsafe-inline'; object-src 'none'")],
      { weaknesses: ['inline_script'], status: 'fail' },
    ],
    [
      'passes when a nonce makes unsafe-inline void',
      [csp("script-src 'unsafe-inline' 'nonce-2726c7f26c'; object-src 'none'; base-uri 'none'")],
      { weaknesses: [], status: 'pass' },
    ],
    ['fails without script-src', [csp("frame-ancestors 'self'")], { status: 'fail' }],
    [
      'warns about unsafe-eval',
      [csp("script-src 'self' 'unsafe-eval'; object-src 'none'")],
      { weaknesses: ['eval'], status: 'warn' },
    ],
    [
      'warns about a host that is known to serve a bypass',
      [csp("script-src ajax.googleapis.com; object-src 'none'")],
      { weaknesses: ['known_bypass'], status: 'warn' },
    ],
    [
      'warns about a wildcard that holds such a host',
      [csp("script-src https://*.googleapis.com; object-src 'none'")],
      { weaknesses: ['known_bypass'], status: 'warn' },
    ],
    [
      'lets a harmless path of such a host be',
      [csp("script-src https://ajax.googleapis.com/mine.js; object-src 'none'")],
      { weaknesses: [], status: 'pass' },
    ],
    [
      'warns about plugins',
      [csp("script-src 'self'")],
      { weaknesses: ['plugins'], status: 'warn', recommendation: "Add object-src 'none'." },
    ],
    [
      'warns about base-uri, which a nonce needs',
      [csp("script-src 'nonce-2726c7f26c'; object-src 'none'")],
      { weaknesses: ['base_uri'], status: 'warn' },
    ],
    [
      'reads the first of two equal directives',
      [csp("script-src 'none'; script-src *; object-src 'none'")],
      { directives: { 'script-src': ["'none'"], 'object-src': ["'none'"] }, status: 'pass' },
    ],
    [
      'compares names and keywords without case',
      [csp("SCRIPT-SRC 'SELF'; Object-Src 'None'")],
      { directives: { 'script-src': ["'self'"], 'object-src': ["'none'"] } },
    ],
    ['keeps the case of nonces', [csp("script-src 'Nonce-AbC'")], { directives: { 'script-src': ["'nonce-AbC'"] } }],
    [
      'falls apart at commas into policies',
      [csp("script-src 'self', object-src 'none'")],
      { policies: 2, weaknesses: [], status: 'pass' },
    ],
    [
      'is as strict as all its lines together',
      [csp("script-src 'self' 'unsafe-inline'"), csp('script-src https:'), csp("object-src 'none'")],
      { policies: 3, weaknesses: [], status: 'pass' },
    ],
    [
      'is open where every line is',
      [csp("script-src 'unsafe-inline'"), csp("object-src 'none'")],
      { weaknesses: ['inline_script'], status: 'fail' },
    ],
    [
      'is told apart from a policy that only reports',
      [`content-security-policy-report-only: ${STRICT}`],
      {
        present: false,
        report_only: true,
        policies: 0,
        weaknesses: [],
        status: 'fail',
        recommendation: 'Enforce the policy: so far it only reports.',
      },
    ],
    [
      'stands beside a policy that only reports',
      [csp(STRICT), 'content-security-policy-report-only: default-src *'],
      { present: true, report_only: true, policies: 1, status: 'pass' },
    ],
    ['is absent when empty', [csp(' ; ;')], { present: false }],
  ])

  it('reads findings with their severity', () => {
    assert.deepEqual(graded([csp("script-src 'self' 'unsafe-inline'; object-src 'none'; oops x")]).csp.findings, [
      {
        code: 'script_unsafe_inline',
        severity: 'high',
        directive: 'script-src',
        source: "'unsafe-inline'",
        message: "'unsafe-inline' allows the execution of unsafe in-page scripts and event handlers.",
      },
      {
        code: 'unknown_directive',
        severity: 'syntax',
        directive: 'oops',
        source: null,
        message: 'Directive "oops" is not a known CSP directive.',
      },
    ])
  })

  it('is read from meta elements, without what has no effect there', () => {
    const metas = [
      { name: 'content-security-policy', content: "script-src 'self', object-src 'none'; frame-ancestors 'none'" },
    ]
    const { csp: section, x_frame_options } = graded([], { metas })
    assert.deepEqual(section.directives, { 'script-src': ["'self',", 'object-src', "'none'"] })
    assert.deepEqual([section.in_meta, section.policies, x_frame_options.status], [true, 1, 'fail'])
  })

  it('cannot only report from a meta element', () => {
    const metas = [{ name: 'content-security-policy-report-only', content: STRICT }]
    assert.deepEqual([graded([], { metas }).csp.present, graded([], { metas }).csp.report_only], [false, false])
  })
})

const xfo = (value: string) => `x-frame-options: ${value}`

describe('framing', () => {
  table('x_frame_options', [
    ['is open without a word', [], { present: false, directive: null, protected_by: null, status: 'fail' }],
    ['is denied', [xfo('DENY')], { directive: 'deny', protected_by: 'x_frame_options', status: 'pass' }],
    ['is for the same origin', [xfo('sameorigin')], { directive: 'sameorigin', status: 'pass' }],
    ['is denied twice over', [xfo('DENY'), xfo('deny')], { directive: 'deny', status: 'pass' }],
    [
      'is open with ALLOW-FROM, which browsers ignore',
      [xfo('ALLOW-FROM https://a.example')],
      { directive: 'invalid', status: 'fail' },
    ],
    ['is open with ALLOWALL', [xfo('ALLOWALL')], { directive: 'invalid', status: 'fail' }],
    ['is open with a quoted value', [xfo('"DENY"')], { directive: 'invalid', status: 'fail' }],
    [
      'warns about values that contradict each other',
      [xfo('DENY, SAMEORIGIN')],
      { directive: 'conflicting', status: 'warn' },
    ],
    ['is open with values that are all unknown', [xfo('a'), xfo('b')], { directive: 'invalid', status: 'fail' }],
    [
      'is decided by frame-ancestors',
      [csp("frame-ancestors 'none'")],
      { frame_ancestors: ["'none'"], protected_by: 'csp', status: 'pass', recommendation: null },
    ],
    ['is denied by an empty frame-ancestors', [csp('frame-ancestors')], { frame_ancestors: [], status: 'pass' }],
    [
      'is open with frame-ancestors *, whatever X-Frame-Options says',
      [xfo('DENY'), csp('frame-ancestors *')],
      { directive: 'deny', protected_by: null, status: 'fail' },
    ],
    ['is open with a whole scheme', [csp("frame-ancestors 'self' https:")], { status: 'fail' }],
    [
      'is decided by the strictest of several policies',
      [csp('frame-ancestors *'), csp("frame-ancestors 'self'")],
      { frame_ancestors: ["'self'"], status: 'pass' },
    ],
    [
      'is not decided by a policy that only reports',
      ["content-security-policy-report-only: frame-ancestors 'self'"],
      { frame_ancestors: null, status: 'fail' },
    ],
  ])
})

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
})

describe('leaks', () => {
  const cases: readonly (readonly [string, string, boolean | null])[] = [
    ['a product alone is none', 'server: nginx', null],
    ['a version is one', 'server: nginx/1.25', true],
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

describe('HTTPS', () => {
  const httpsOf = (...urls: string[]) => {
    const page = pageOf(...urls.map((url, at) => ({ url, status: at === urls.length - 1 ? 200 : 301 })))
    const { https } = sectionOf(find(plugin.analyze, page)) as Graded
    return [https.used, https.redirects_from_http, https.downgraded, https.status]
  }
  const http = 'http://example.com/'
  const https = 'https://example.com/'

  it('is used, and nothing is known of HTTP', () => assert.deepEqual(httpsOf(https), [true, null, false, 'pass']))
  it('is where HTTP leads', () => assert.deepEqual(httpsOf(http, https), [true, true, false, 'pass']))
  it('is not used', () => assert.deepEqual(httpsOf(http), [false, false, false, 'fail']))
  it('is left by a redirect', () => assert.deepEqual(httpsOf(https, http), [false, false, true, 'fail']))
  it('is left and found again', () => assert.deepEqual(httpsOf(https, http, https), [true, true, true, 'warn']))
})

const BEST = [
  sts('max-age=63072000; includeSubDomains; preload'),
  csp(`${STRICT}; frame-ancestors 'none'`),
  'x-content-type-options: nosniff',
  referrer('no-referrer'),
  permissions('camera=()'),
  'cross-origin-opener-policy: same-origin',
  'cross-origin-embedder-policy: require-corp',
  'cross-origin-resource-policy: same-origin',
]

describe('the grade', () => {
  const grades: readonly (readonly [string, readonly string[], number, string])[] = [
    ['is the best with everything', BEST, 100, 'A+'],
    ['is A without isolation', BEST.slice(0, 5), 90, 'A'],
    [
      'is C with what many sites have',
      [sts('max-age=31536000'), xfo('DENY'), 'x-content-type-options: nosniff', referrer('strict-origin')],
      58,
      'C',
    ],
    ['is F with HTTPS alone', [], 19, 'F'],
    [
      'is not raised by headers without effect',
      [sts('max-age=0'), csp('*'), xfo('ALLOWALL'), 'x-content-type-options: yes', permissions('camera=*')],
      19,
      'F',
    ],
  ]
  for (const [title, headers, score, grade] of grades) {
    it(title, () => {
      const section = graded(headers)
      assert.deepEqual([section.score, section.grade], [score, grade])
    })
  }

  it('does not ask of an address what browsers do not remember for it', () => {
    const target: Target = { kind: 'ip', domain: null, ip: '93.184.216.34', registrable: null, registered: null }
    const section = sectionOf(findOf({ url: 'https://93.184.216.34/', headers: BEST.slice(1) }, {}, target))
    assert.equal(section.score, 100)
  })

  it('names what is missing', () => {
    assert.deepEqual(graded(BEST.slice(0, 3)).missing, [
      'referrer-policy',
      'permissions-policy',
      'cross-origin-opener-policy',
      'cross-origin-embedder-policy',
      'cross-origin-resource-policy',
    ])
  })
})

describe('signals', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['are none with everything', BEST, []],
    [
      'name what protects nobody when absent',
      [],
      ['missing_hsts', 'missing_csp', 'clickjackable', 'missing_x_content_type_options'],
    ],
    [
      'name what is there without effect',
      [
        ...BEST.slice(2),
        sts('max-age=60'),
        csp('default-src *; frame-ancestors *'),
        referrer('unsafe-url'),
        'server: a/1.0',
        'access-control-allow-origin: *',
        'access-control-allow-credentials: true',
      ],
      [
        'clickjackable',
        'cors_wildcard_with_credentials',
        'weak_hsts',
        'weak_csp',
        'unsafe_referrer_policy',
        'server_version_leak',
      ],
    ],
  ]
  for (const [title, headers, ids] of cases) it(title, () => assert.deepEqual(idsOf(findOf({ headers })), ids))

  it('name a redirect away from HTTPS', () => {
    const page = pageOf({ status: 302 }, { url: 'http://example.com/' }, { headers: BEST })
    assert.deepEqual(idsOf(find(plugin.analyze, page)), ['insecure_redirect'])
  })
})

describe('the response that is graded', () => {
  it('is any of the site’s own, whatever its status', () => {
    const section = sectionOf(findOf({ status: 404, headers: BEST }))
    assert.deepEqual(
      [section.served_as, section.status_code, section.grade, section.blocked],
      ['error', 404, 'A+', false],
    )
  })

  it('is not a challenge: nothing is graded, nothing is noticed', () => {
    const finding = findOf({ status: 403, headers: ['cf-mitigated: challenge'] })
    assert.deepEqual(finding, {
      section: {
        evaluated_url: 'https://example.com/',
        status_code: 403,
        redirects: [],
        served_as: 'challenge',
        recognised_by: 'cloudflare_challenge',
        blocked: true,
        score: null,
        grade: null,
        https: null,
        hsts: null,
        csp: null,
        x_frame_options: null,
        x_content_type_options: null,
        referrer_policy: null,
        permissions_policy: null,
        coop: null,
        coep: null,
        corp: null,
        cors: null,
        missing: [],
        leaks: [],
      },
      signals: [],
    })
  })

  it('is the last of the redirects', () => {
    const page = pageOf({ url: 'http://example.com/', status: 301, headers: BEST }, {})
    const section = sectionOf(find(plugin.analyze, page))
    assert.deepEqual(
      [section.evaluated_url, section.redirects, section.score],
      ['https://example.com/', [{ url: 'http://example.com/', status: 301 }], 19],
    )
  })

  it('is none where nothing answered', () => {
    const page = { ...pageOf(), failure: 'refused' }
    assert.deepEqual(find(plugin.analyze, page, null), { notApplicable: 'refused' })
  })

  it('is unknown where we could not look', () => {
    const page = { ...pageOf(), failure: 'timeout' }
    assert.deepEqual(find(plugin.analyze, page, null), { unavailable: 'timeout' })
  })

  it('makes a section that keeps its schema', async () => {
    const headers = [...BEST, 'server: nginx/1.25', csp("script-src 'unsafe-inline'; oops")]
    const page = pageOf({ url: 'http://example.com/', status: 301 }, { headers })
    const served = { url: 'https://example.com/', status: 200, chain: [], kind: 'page', rule: null, failure: null }
    const engine = engineOf([plugin], { evidence: { page, document: documentOf(), served } })
    const { result } = await engine.check(EXAMPLE)
    const { sections } = result['coverage'] as { sections: Record<string, unknown> }
    assert.deepEqual(sections, { security_headers: { status: 'completed', reason: null, duration_ms: 0 } })
  })
})

describe('the README', () => {
  it('has the headings that every plugin has', () => {
    const headings = ['What it reports', 'Evidence', 'Signals', 'Options', 'When to disable']
    assert.deepEqual(readmeHeadings('security_headers'), headings)
  })

  it('tells the signals as they are', () => assert.deepEqual(readmeSignals('security_headers'), plugin.signals))

  it('tells the points of each criterion', () => {
    const text = readFileSync(join(import.meta.dirname, '../../plugins/security_headers/README.md'), 'utf8')
    const [, table = ''] = text.split('### The score')
    const rows = [...table.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, points]) => [name, Number(points)])
    assert.deepEqual(Object.fromEntries(rows), weights)
  })
})
