import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csp, graded, STRICT, table } from './security_headers_graded.ts'

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
      'passes as a sandbox, in which no script runs',
      [csp('sandbox')],
      { weaknesses: [], findings: [], status: 'pass' },
    ],
    [
      'fails as a sandbox in which scripts run, though no plugins',
      [csp('sandbox Allow-Scripts')],
      { weaknesses: ['inline_script', 'any_script_host', 'eval'], status: 'fail' },
    ],
    [
      'passes with empty lists, which allow nothing',
      [csp('script-src; object-src')],
      { weaknesses: [], status: 'pass' },
    ],
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
        recommendation: 'Enforce the policy: it is report-only now.',
      },
    ],
    [
      'stands beside a policy that only reports',
      [csp(STRICT), 'content-security-policy-report-only: default-src *'],
      { present: true, report_only: true, policies: 1, status: 'pass' },
    ],
    ['is absent when empty', [csp(' ; ;')], { present: false }],
  ])

  const parted: [policy: string, weaknesses: string[]][] = [
    ["script-src * 'unsafe-inline'; script-src-elem 'self'; script-src-attr 'none'", []],
    ["script-src 'unsafe-inline'; script-src-elem 'self'", ['inline_script']],
    ["script-src 'self'; script-src-attr *", []],
    ["script-src 'self'; script-src-elem *", ['any_script_host']],
    ["script-src 'self'; script-src-elem ajax.googleapis.com", ['known_bypass']],
    ["script-src 'self' ajax.googleapis.com; script-src-elem 'self'", []],
    ["default-src *; script-src-elem 'self'; script-src-attr 'none'", []],
    ["script-src-elem 'self'; script-src-attr 'none'", ['eval']],
    ["script-src-elem 'self'", ['inline_script', 'eval']],
  ]
  for (const [policy, weaknesses] of parted) {
    it(`judges elements and attributes by the directive that governs them: ${policy}`, () => {
      assert.deepEqual(graded([csp(`${policy}; object-src 'none'; base-uri 'none'`)]).csp.weaknesses, weaknesses)
    })
  }

  for (const source of ['*:443', 'https://*:443', 'HTTPS://*:*', 'https://*/', '*/app.js']) {
    it(`fails with ${source}, which is every host`, () => {
      const { status, weaknesses, findings } = graded([csp(`script-src ${source}; object-src 'none'`)]).csp
      assert.deepEqual([status, weaknesses, findings[0]?.code], ['fail', ['any_script_host'], 'plain_wildcard'])
    })
  }

  it('reports findings with their severity', () => {
    assert.deepEqual(
      graded([csp("script-src 'self' 'unsafe-inline'; object-src 'none'; form-action 'self'; oops x")]).csp.findings,
      [
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
      ],
    )
  })

  const spots: [title: string, policies: string[], codes: string[]][] = [
    ['has nothing to report', [`${STRICT}; form-action 'self'`], []],
    ['reports a repeated directive', [`${STRICT}; form-action 'self'; SCRIPT-SRC *`], ['duplicate_directive']],
    ['reports pictures over plain HTTP', [`${STRICT}; form-action 'self'; img-src http:`], ['src_http']],
    ['reports a host over plain HTTP once', [`${STRICT}; form-action 'self'; img-src http://a.example`], ['src_http']],
    [
      'reports addresses',
      [`${STRICT}; form-action 'self'; img-src 192.0.2.1 https://192.0.2.2:8443/x http://[2001:db8::1] 1.2.3`],
      ['src_http', 'ip_source', 'ip_source'],
    ],
    ['reports that forms may go anywhere', [STRICT], ['missing_form_action']],
    ['reports no missing form-action that another policy has', [STRICT, "form-action 'self'"], []],
    ['reports no missing form-action in a sandbox without forms', [`${STRICT}; sandbox allow-scripts`], []],
    [
      'reports strict-dynamic that blocks every script',
      ["script-src 'strict-dynamic'; object-src 'none'; base-uri 'none'; form-action 'self'"],
      ['strict_dynamic_alone'],
    ],
  ]
  const own = ['duplicate_directive', 'src_http', 'ip_source', 'missing_form_action', 'strict_dynamic_alone']
  for (const [title, policies, codes] of spots) {
    it(title, () => {
      const { findings } = graded(policies.map(csp)).csp
      assert.deepEqual(
        findings.map(({ code }) => code).filter(code => own.includes(code)),
        codes,
      )
    })
  }

  it('is read from meta elements, without directives that have no effect there', () => {
    const metas = [
      { name: 'content-security-policy', content: "script-src 'self', object-src 'none'; frame-ancestors 'none'" },
    ]
    const { csp: section, x_frame_options } = graded([], { metas })
    assert.deepEqual(section.directives, { 'script-src': ["'self',", 'object-src', "'none'"] })
    assert.deepEqual([section.in_meta, section.policies, x_frame_options.status], [true, 1, 'fail'])
  })

  it('cannot be report-only in a meta element', () => {
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
    [
      'is open to every host at a port',
      [csp('frame-ancestors https://*:443')],
      { frame_ancestors: ['https://*:443'], status: 'fail' },
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
