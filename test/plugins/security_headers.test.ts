import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { weights } from '../../plugins/security_headers/grade.ts'
import plugin from '../../plugins/security_headers/index.ts'
import type { Document } from '../../src/evidence/document/facts.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { ADDRESS, csp, findOf, graded, STRICT, sts } from './security_headers_graded.ts'
import { find, idsOf, sectionOf } from './web_section.ts'

const referrer = (value: string) => `referrer-policy: ${value}`
const permissions = (value: string) => `permissions-policy: ${value}`
const xfo = (value: string) => `x-frame-options: ${value}`

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

  it('does not require of an address what browsers do not store for it', () => {
    const section = sectionOf(findOf({ url: 'https://93.184.216.34/', headers: BEST.slice(1) }, {}, ADDRESS))
    assert.equal(section.score, 100)
  })

  it('lists missing headers', () => {
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
        'weak_hsts',
        'weak_csp',
        'clickjackable',
        'unsafe_referrer_policy',
        'cors_wildcard_with_credentials',
        'server_version_leak',
      ],
    ],
  ]
  for (const [title, headers, ids] of cases) it(title, () => assert.deepEqual(idsOf(findOf({ headers })), ids))

  it('name the headers with versions', () => {
    const headers = [...BEST, 'server: a/1.0', 'x-powered-by: b/2.0', 'x-powered-by: c/3']
    const leak = findOf({ headers }).signals?.find(({ id }) => id === 'server_version_leak')
    assert.equal(leak?.detail, 'Software versions are disclosed by server, x-powered-by.')
  })

  it('explain that browsers reject every origin with credentials', () => {
    const headers = [...BEST, 'access-control-allow-origin: *', 'access-control-allow-credentials: true']
    const found = findOf({ headers }).signals?.map(({ detail }) => detail)
    assert.deepEqual(found, ['CORS allows every origin with credentials, which browsers reject.'])
  })

  it('report a redirect away from HTTPS', () => {
    const page = pageOf({ status: 302 }, { url: 'http://example.com/' }, { headers: BEST })
    assert.deepEqual(idsOf(find(plugin.analyze, page)), ['insecure_redirect'])
  })
})

describe('the response that is graded', () => {
  it('is any of the site’s own, with any status', () => {
    const section = sectionOf(findOf({ status: 404, headers: BEST }))
    assert.deepEqual(
      [section.served_as, section.status_code, section.grade, section.blocked],
      ['error', 404, 'A+', false],
    )
  })

  it('is not a challenge: nothing is graded and no signal is raised', () => {
    const finding = findOf({ status: 403, headers: ['cf-mitigated: challenge'] })
    assert.deepEqual(finding, { unavailable: 'page_withheld', signals: [] })
  })

  it('is the last of the redirects', () => {
    const page = pageOf({ url: 'http://example.com/', status: 301, headers: BEST }, {})
    const section = sectionOf(find(plugin.analyze, page))
    assert.deepEqual(
      [section.evaluated_url, section.redirects, section.score],
      ['https://example.com/', [{ url: 'http://example.com/', status: 301 }], 19],
    )
  })

  it('is missing if nothing answered', () => {
    const page = { ...pageOf(), failure: 'refused' }
    assert.deepEqual(find(plugin.analyze, page, null), { notApplicable: 'refused' })
  })

  it('is unknown if we could not look', () => {
    for (const failure of ['timeout', 'unreachable', 'dns_timeout', 'too_many_requests']) {
      assert.deepEqual(find(plugin.analyze, { ...pageOf(), failure }, null), { unavailable: failure })
    }
  })

  it('gives a section that matches its schema', async () => {
    const headers = [...BEST, 'server: nginx/1.25', csp("script-src 'unsafe-inline'; oops")]
    const page = pageOf({ url: 'http://example.com/', status: 301 }, { headers })
    const served = { url: 'https://example.com/', status: 200, chain: [], kind: 'page', rule: null, failure: null }
    const entrances = { http: { url: 'http://example.com/', status: 301, failure: null, location: null }, www: null }
    const tls = { status: 'refused', chain: [], server_name: null }
    const hsts_preload = { host: 'example.com', preloaded: false }
    const evidence = { page, document: documentOf(), served, entrances, tls, hsts_preload }
    const engine = engineOf([plugin], { evidence })
    const { result } = await engine.check(EXAMPLE)
    const { sections } = result['coverage'] as { sections: Record<string, unknown> }
    assert.deepEqual(sections, { security_headers: { status: 'completed', reason: null, duration_ms: 0 } })
  })
})

describe('scripts of other sites', () => {
  const script = (src: string | null, integrity = false) => ({ src, type: null, integrity })
  const scripts = [
    script('https://cdn.example.net/a.js', true),
    script('https://cdn.example.net/b.js'),
    script('https://static.example.com/own.js'),
    script('data:text/javascript,1', true),
    script(null),
  ]
  const table: [title: string, document: Partial<Document>, expected: unknown][] = [
    ['are counted, with those that are pinned', { scripts }, { third_party_scripts: 2, with_integrity: 1 }],
    ['may be none', {}, { third_party_scripts: 0, with_integrity: 0 }],
    ['are unknown when the page was cut', { scripts, truncated: true }, null],
  ]
  for (const [title, document, expected] of table) {
    it(title, () => assert.deepEqual(sectionOf(findOf({}, document)).subresource_integrity, expected))
  }
})

describe('the README', () => {
  it('lists the points of each criterion', () => {
    const text = readFileSync(join(import.meta.dirname, '../../plugins/security_headers/README.md'), 'utf8')
    const [, table = ''] = text.split('### The score')
    const rows = [...table.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, points]) => [name, Number(points)])
    assert.deepEqual(Object.fromEntries(rows), weights)
  })
})
