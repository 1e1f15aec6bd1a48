import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { diffResults } from '../../../src/results/diff/diff.ts'
import { rules } from '../../../src/results/diff/rules.ts'
import { kindsIn, readResult } from '../../golden/files.ts'

type Plain = Record<string, unknown>

const shop = () => structuredClone(readResult('shop')) as Plain

/** Sets members of a copy, by their paths. */
function shopWith(changes: Readonly<Record<string, unknown>>): Plain {
  const result = shop()
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.reduce<Plain>((at, name) => {
      at[name] ??= {}
      return at[name] as Plain
    }, result)
    holder[last] = value
  }
  return result
}

const told = (before: Plain, after: Plain) =>
  diffResults(before, after).changes.map(({ severity, message }) => `${severity}: ${message}`)

const list = (listed: boolean | null, name = 'SpamCop') => ({
  name,
  asked: '193.0.14.104',
  listed,
  status: listed === null ? 'unknown' : 'answered',
  reason: null,
  category: null,
})
const cookie = (issues: readonly string[], name = 'sid') => ({ name, host: 'shop.lab', issues })
const technologies = (named: Readonly<Record<string, string | null>>) => ({
  'tech_stack.technologies': Object.entries(named).map(([name, version]) => ({ name, version })),
})
/** A section that lacks something for a reason. */
const partly = (section: string, reason: string) => ({
  [`coverage.sections.${section}`]: { status: 'completed', reason, duration_ms: 1 },
})
const dmarc = (policy: string | null, status = 'valid') => ({
  'dns_security.dmarc.status': status,
  'dns_security.dmarc.effective_policy': policy,
})

const rendered = (members: Plain) => ({
  url: 'https://shop.lab/',
  title: 'Shop',
  drawn: { passwords: 0 },
  hosts: [{ host: 'shop.lab', octets: 500 }],
  downloads: [],
  copied: [],
  screenshots: [],
  ...members,
})

const whole = { status: 'completed', reason: null, duration_ms: 1 }
const accepting = (name: string, status: string) => ({
  status,
  reason: null,
  suite: null,
  block_mode: null,
  version: name,
  kind: name,
})
/** What a server accepts, by version or kind of suites. */
const offers = (
  versions: Readonly<Record<string, string>>,
  suites: Readonly<Record<string, string>>,
  more: Plain = {},
) => {
  const list = (all: Readonly<Record<string, string>>) => Object.entries(all).map(one => accepting(...one))
  const flags = { own_order: true, secure_renegotiation: true, compression: false, fallback_refused: true }
  const found = { versions: list(versions), suites: list(suites), prime_bits: 2048, ...flags, handshakes: 9, ...more }
  return { tls_offer: found, 'coverage.sections.tls_offer': whole }
}
/** The mail server mx.a. */
const mailServer = (members: Plain, tls: Plain | null = {}) => {
  const certificate = { fingerprint_sha256: 'aa' }
  const encrypted = tls && { protocol: 'TLSv1.3', valid: true, invalid_reasons: [], certificate, ...tls }
  const states = {
    dane: { status: 'none', records: 0 },
    mta_sts: 'none',
    reverse_name: { status: 'confirmed', names: [] },
  }
  const reached = { contact: 'answered', address: '192.0.2.1', banner: 'mx.a 10:00', starttls: tls !== null }
  const servers = [{ exchange: 'mx.a', preference: 1, ...reached, tls: encrypted, ...states, ...members }]
  return { mail_servers: { total: 1, servers }, 'coverage.sections.mail_servers': whole }
}

const cases: readonly (readonly [string, Plain, Plain, readonly string[]])[] = [
  ['an issuer', {}, { 'ssl_info.issuer': 'Other CA' }, ['changed: Certificate issuer: Lab Trust Services → Other CA']],
  ['times of the check and of its requests', {}, { process_time_ms: 9_000, requests: null }, []],
  [
    'an expiry',
    { 'ssl_info.expires_at': '2027-01-29T17:21:37' },
    { 'ssl_info.expires_at': '2027-04-29T17:21:37' },
    ['changed: Certificate expiry: 29 January 2027 at 17:21 UTC → 29 April 2027 at 17:21 UTC'],
  ],
  [
    'what a browser made of it, without what differs at each visit',
    { rendered: rendered({ took_ms: 3_000, received: 700, screenshots: [{ sha256: 'a' }] }) },
    { rendered: rendered({ title: 'Log in', took_ms: 4_000, received: 800, copied: ['curl x | sh'] }) },
    ['changed: Title in a browser: Shop → Log in', 'weakened: Written to the clipboard: added curl x | sh'],
  ],
  [
    'that it was seen here before',
    { signal_details: [{ id: 'first_seen_here', section: 'reputation', severity: 'info', points: 0, title: 'New' }] },
    { signal_details: [] },
    [],
  ],
  [
    'versions and suites that a server accepts, by what they are worth',
    offers({ 'TLSv1.3': 'accepted', TLSv1: 'refused', SSLv3: 'accepted' }, { rc4: 'refused', export: 'unknown' }),
    offers(
      { 'TLSv1.3': 'refused', TLSv1: 'accepted', SSLv3: 'refused' },
      { rc4: 'accepted', export: 'accepted' },
      { prime_bits: 1024, compression: true, own_order: null, handshakes: 12 },
    ),
    [
      'weakened: Offer of TLSv1.3: accepted → refused',
      'weakened: Offer of TLSv1: refused → accepted',
      'strengthened: Offer of SSLv3: accepted → refused',
      'weakened: Offer of weak suites, rc4: refused → accepted',
      'weakened: Diffie-Hellman prime (bits): 2048 → 1024',
      'weakened: TLS compression: no → yes',
    ],
  ],
  [
    'a mail server, without its greeting',
    mailServer({ mta_sts: 'unknown' }),
    mailServer(
      { banner: 'mx.a 11:00', mta_sts: 'not_met', dane: { status: 'mismatch', records: 1 } },
      { protocol: 'TLSv1', valid: false, invalid_reasons: ['expired'], certificate: { fingerprint_sha256: 'bb' } },
    ),
    [
      'weakened: Mail server mx.a TLS version: TLSv1.3 → TLSv1',
      'weakened: Mail server mx.a certificate valid: yes → no',
      'weakened: Mail server mx.a certificate faults: added expired',
      'changed: Mail server mx.a certificate: aa → bb',
      'weakened: Mail server mx.a DANE: none → mismatch',
    ],
  ],
  [
    'a mail server without encryption',
    mailServer({}),
    mailServer({}, null),
    ['weakened: Mail server mx.a STARTTLS: yes → no'],
  ],
  [
    'a key',
    {},
    { 'ssl_info.key': { kind: 'rsa', bits: 2048, curve: null } },
    ['changed: Certificate key: ec P-256 → rsa 2048'],
  ],
  [
    'a certificate that became invalid',
    {},
    { 'ssl_info.valid': false, 'ssl_info.invalid_reasons': ['expired'] },
    ['weakened: Certificate valid: yes → no', 'weakened: Certificate faults: added expired'],
  ],
  ['an older TLS', {}, { 'ssl_info.protocol': 'TLSv1.1' }, ['weakened: TLS version: TLSv1.3 → TLSv1.1']],
  ['a weaker DMARC policy', dmarc('reject'), dmarc('none'), ['weakened: DMARC policy: reject → none']],
  ['a stronger DMARC policy', dmarc('none'), dmarc('quarantine'), ['strengthened: DMARC policy: none → quarantine']],
  ['a removed DMARC record', dmarc('none'), dmarc(null, 'missing'), ['weakened: DMARC policy: none → missing']],
  ['a DMARC record that is now unknown', dmarc('reject'), dmarc(null, 'unknown'), []],
  ['a DMARC record that was unknown', dmarc(null, 'unknown'), dmarc('none'), []],
  ['a weaker SPF policy', {}, { 'dns_security.spf.policy': 'softfail' }, ['weakened: SPF policy: fail → softfail']],
  [
    'an SPF policy that now depends on the sender',
    {},
    { 'dns_security.spf.policy': null },
    ['changed: SPF policy: fail → by sender'],
  ],
  [
    'other mail servers',
    {},
    { 'dns_security.mx.hosts': [{ exchange: 'alt1.aspmx.l.google.com' }, { exchange: 'mx.evil.lab' }] },
    ['changed: Mail servers (MX): added mx.evil.lab; removed aspmx.l.google.com'],
  ],
  [
    'removed mail servers',
    {},
    { 'dns_security.mx.status': 'none', 'dns_security.mx.hosts': [] },
    ['changed: Mail servers (MX): removed alt1.aspmx.l.google.com, aspmx.l.google.com'],
  ],
  ['mail servers that are now unknown', {}, { 'dns_security.mx.status': 'unknown', 'dns_security.mx.hosts': [] }, []],
  [
    'mail servers in another order',
    { 'dns_security.mx.hosts': [{ exchange: 'a' }, { exchange: 'b' }] },
    {
      'dns_security.mx.hosts': [{ exchange: 'b' }, { exchange: 'a' }],
    },
    [],
  ],
  [
    'name servers',
    { 'dns_security.name_servers': ['ns1.a', 'ns2.a'] },
    { 'dns_security.name_servers': ['ns2.a', 'ns.b'] },
    ['changed: Name servers: added ns.b; removed ns1.a'],
  ],
  [
    'a new listing',
    { 'reputation.lists': [list(false)] },
    { 'reputation.lists': [list(true)] },
    ['weakened: Now listed by SpamCop'],
  ],
  [
    'a removed listing',
    { 'reputation.lists': [list(true)] },
    { 'reputation.lists': [list(false)] },
    ['strengthened: No longer listed by SpamCop'],
  ],
  ['a list that did not answer', { 'reputation.lists': [list(true)] }, { 'reputation.lists': [list(null)] }, []],
  ['a list that had not answered', { 'reputation.lists': [list(null)] }, { 'reputation.lists': [list(true)] }, []],
  [
    'a verdict',
    {},
    { verdict: 'malicious', risk_score: 80 },
    ['weakened: Verdict: safe → malicious', 'weakened: Risk score: 2 → 80'],
  ],
  [
    'a grade',
    { 'security_headers.grade': 'A' },
    { 'security_headers.grade': 'C' },
    ['weakened: Security headers grade: A → C'],
  ],
  [
    'an added header',
    { 'security_headers.csp.status': 'fail' },
    { 'security_headers.csp.status': 'pass' },
    ['strengthened: Content-Security-Policy: fail → pass'],
  ],
  [
    'an address and its location',
    {},
    { ip: '193.0.14.9', 'geo_location.country': 'SC', 'geo_location.asn': 1 },
    [
      'changed: Address: 193.0.14.104 → 193.0.14.9',
      `changed: Country: ${(shop()['geo_location'] as Plain)['country']} → SC`,
      'changed: Network (ASN): 64496 → 1',
    ],
  ],
  ['a location that was unknown', { 'geo_location.country': null }, { 'geo_location.country': 'SC' }, []],
  [
    'a cookie that lost its flag',
    { 'cookies.items': [cookie([])] },
    { 'cookies.items': [cookie(['missing_secure'])] },
    ['weakened: Cookie sid: added missing_secure'],
  ],
  [
    'a fixed cookie',
    { 'cookies.items': [cookie(['missing_secure'])] },
    { 'cookies.items': [cookie([])] },
    ['strengthened: Cookie sid: removed missing_secure'],
  ],
  [
    'a new bad cookie',
    { 'cookies.items': [] },
    { 'cookies.items': [cookie(['missing_secure'])] },
    ['weakened: Cookie sid: added, with missing_secure'],
  ],
  [
    'a cookie that a check may have missed',
    {
      'cookies.items': [],
      'coverage.sections.cookies': { status: 'completed', reason: 'plain_http_timeout', duration_ms: 1 },
    },
    { 'cookies.items': [cookie(['missing_secure'])] },
    [],
  ],
  [
    'a page replaced by a block page',
    { 'cookies.items': [cookie([])] },
    {
      'cookies.items': [],
      'cookies.blocked': true,
      'tech_stack.blocked': true,
      'tech_stack.technologies': [],
    },
    [],
  ],
  [
    'a technology and a version',
    technologies({ nginx: '1.18', PHP: '8.1', Vue: null }),
    technologies({ Vue: '3.1', nginx: '1.27', Drupal: null }),
    [
      'changed: Technology Drupal: added',
      'changed: Technology PHP: removed 8.1',
      'changed: Technology nginx: 1.18 → 1.27',
    ],
  ],
  [
    'technologies in an incomplete section',
    technologies({ nginx: '1.18', PHP: null }),
    { ...technologies({ nginx: '1.27', Drupal: null }), ...partly('tech_stack', 'no_dns') },
    ['changed: Technology Drupal: added', 'changed: Technology nginx: 1.18 → 1.27'],
  ],
  [
    'values that change with time',
    { 'ssl_info.days_to_expire': 60, 'threat_summary.age_days': 1 },
    { 'ssl_info.days_to_expire': 59 },
    [],
  ],
]

/** A possible entry for each rule about lists. */
const entries: Readonly<Record<string, unknown>> = {
  'rendered.hosts': { host: 'cdn.lab', octets: 1 },
  'rendered.downloads': 'https://shop.lab/a.exe',
  'rendered.copied': 'curl x | sh',
  threat_types: 'phishing',
  'reputation.registration_status': 'client hold',
  'dns_security.name_servers': 'ns9.example.net',
  'dns_security.caa.records': { critical: false, tag: 'issue', value: 'ca.example' },
  'dns_security.mx.hosts': { preference: 1, exchange: 'mx9.example.net', addresses: null },
  'ssl_info.invalid_reasons': 'expired',
  'ssl_info.subject_alternative_names': 'other.example',
  'cookies.items': cookie(['set_over_http']),
  'tech_stack.technologies': { name: 'Drupal', version: null },
}

describe('a list that is unknown to one of the checks', () => {
  const paths = rules.flatMap(({ kind, path }) => (['set', 'issues', 'versions'].includes(kind) ? [path] : []))
  for (const path of paths) {
    it(`does not count as empty: ${path}`, () => {
      const entry = entries[path] ?? assert.fail()
      const [none, some] = [shopWith({ [path]: [] }), shopWith({ [path]: [entry] })]
      // A list of a part with a state is unknown when its state is.
      const part = path.split('.').slice(0, -1).join('.')
      const state = path === 'dns_security.mx.hosts' ? { [`${part}.status`]: 'unknown' } : {}
      const unknown = shopWith({ [path]: null, ...state })
      assert.equal(told(none, some).length, 1)
      for (const known of [none, some]) {
        assert.deepEqual([told(known, unknown), told(unknown, known)], [[], []])
      }
    })
  }
})

describe('the difference of two checks', () => {
  for (const [what, before, after, expected] of cases) {
    it(`reports ${expected.length === 0 ? 'nothing' : expected[0]?.split(':')[0]} for ${what}`, () => {
      assert.deepEqual(told(shopWith(before), shopWith(after)), expected)
    })
  }

  for (const kind of kindsIn('results')) {
    it(`is empty between ${kind} and itself, in any order of lists and members`, () => {
      const result = readResult(kind) as Plain
      assert.deepEqual(diffResults(result, reversed(result) as Plain), { changes: [], not_compared: blind(result) })
    })
  }

  it('is reversed when the checks are swapped', () => {
    const opposite = { weakened: 'strengthened', strengthened: 'weakened', changed: 'changed' } as const
    const kinds = fc.constantFrom(...kindsIn('results'))
    fc.assert(
      fc.property(kinds, kinds, (one, other) => {
        const [there, back] = [
          diffResults(readResult(one), readResult(other)).changes,
          diffResults(readResult(other), readResult(one)).changes,
        ]
        const steady = (all: typeof there) => all.filter(({ path }) => !/^(?:cookies|signals|coverage)/.test(path))
        assert.deepEqual(
          steady(there)
            .map(({ path, severity, before, after }) => [path, opposite[severity], after, before])
            .sort(),
          steady(back)
            .map(({ path, severity, before, after }) => [path, severity, before, after])
            .sort(),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('lists the sections that were not compared, and reports no change in them', () => {
    const gone = { status: 'unavailable', reason: 'timeout', duration_ms: 1 }
    const after = shopWith({
      reputation: null,
      'coverage.sections.reputation': gone,
      verdict: 'suspicious',
      risk_score: 40,
    })
    const { changes, not_compared } = diffResults(shop(), after)
    assert.deepEqual(not_compared, [{ section: 'reputation', unknown: 'after', reason: 'timeout' }])
    assert.deepEqual(
      changes.map(({ path, severity }) => [path, severity]),
      [
        ['verdict', 'changed'],
        ['risk_score', 'changed'],
      ],
    )
  })

  it('calls a score worse even if a section is unknown both times', () => {
    const gone = {
      geo_location: null,
      'coverage.sections.geo_location': { status: 'unavailable', reason: 'not_configured', duration_ms: 1 },
    }
    assert.deepEqual(told(shopWith(gone), shopWith({ ...gone, verdict: 'malicious', risk_score: 80 })), [
      'weakened: Verdict: safe → malicious',
      'weakened: Risk score: 2 → 80',
    ])
  })

  it('does not call a score worse if a section was incomplete', () => {
    const less = partly('reputation', 'no_list_answered')
    assert.deepEqual(told(shopWith(less), shopWith({ risk_score: 80 })), ['changed: Risk score: 2 → 80'])
  })

  it('does not call another policy’s score better or worse', () => {
    assert.deepEqual(told(shop(), shopWith({ scoring_policy: 'x', risk_score: 9 })), [
      `changed: Scoring policy: ${shop()['scoring_policy']} → x: the scores are not comparable`,
      'changed: Risk score: 2 → 9',
    ])
  })

  it('reports added and removed signals, unless their section is incomplete', () => {
    const details = shop()['signal_details'] as Plain[]
    const without = details.filter(({ id }) => id !== 'weak_csp')
    assert.deepEqual(told(shopWith({ signal_details: without }), shop()), [
      'weakened: Signal added: Content-Security-Policy does not stop injected scripts (weak_csp, low, 1 point)',
    ])
    assert.deepEqual(told(shop(), shopWith({ signal_details: without, ...partly('security_headers', 'timeout') })), [])
  })

  it('judges no signal in a section that one of the checks did not see completely', () => {
    const details = shop()['signal_details'] as Plain[]
    const signal_details = details.filter(({ id }) => id !== 'weak_csp')
    const less = shopWith(partly('security_headers', 'timeout'))
    const name = 'Content-Security-Policy does not stop injected scripts (weak_csp, low, 1 point)'
    assert.deepEqual(
      [told(shopWith({ signal_details }), less), told(less, shopWith({ signal_details }))],
      [[`changed: Signal added: ${name}`], [`changed: Signal removed: ${name}`]],
    )
  })

  it('judges signals where both checks lack the same, which is nobody’s fault', () => {
    const signal_details = (shop()['signal_details'] as Plain[]).filter(({ id }) => id !== 'weak_csp')
    const unseen = (reason: string) => partly('security_headers', reason)
    const added = (reason: string) =>
      told(shopWith({ ...unseen(reason), signal_details }), shopWith(unseen(reason))).map(one => one.slice(0, 22))
    assert.deepEqual([added('frame_not_seen'), added('timeout')], [['weakened: Signal added'], []])
  })

  it('reports joint evidence only if both checks saw the same sections', () => {
    const joint = {
      id: 'phishing_on_new_domain',
      section: 'content_analysis',
      points: 0,
      severity: 'critical',
      title: 'A phishing page on a newly registered domain',
      evidence: { signals: ['phishing_page', 'newly_registered_domain'] },
    }
    const found = { signal_details: [...(shop()['signal_details'] as Plain[]), joint] }
    const message = 'A phishing page on a newly registered domain (phishing_on_new_domain, critical, 0 points)'
    assert.deepEqual(
      [told(shop(), shopWith(found)), told(shopWith(found), shop())],
      [[`weakened: Signal added: ${message}`], [`strengthened: Signal removed: ${message}`]],
    )
    const unseen = partly('reputation', 'registration_timeout')
    assert.deepEqual([told(shopWith(unseen), shopWith(found)), told(shopWith(found), shopWith(unseen))], [[], []])
  })

  it('does not call kinds of threat better or worse if a section was incomplete', () => {
    assert.deepEqual(
      told(shopWith(partly('reputation', 'no_list_answered')), shopWith({ threat_types: ['phishing'] })),
      ['changed: Kinds of threat: added phishing'],
    )
  })

  const rated = (severity: string, points: number): Plain => ({
    signal_details: (shop()['signal_details'] as Plain[]).map(one =>
      one['id'] === 'weak_csp' ? { ...one, severity, points } : one,
    ),
  })
  const without = { signal_details: (shop()['signal_details'] as Plain[]).filter(({ id }) => id !== 'weak_csp') }

  for (const [severity, points, came, went] of [
    ['high', 0, 'weakened', 'strengthened'],
    ['low', 0, 'weakened', 'strengthened'],
    ['info', 0, 'changed', 'changed'],
    ['info', -5, 'strengthened', 'weakened'],
    [undefined, 3, 'weakened', 'strengthened'],
    [undefined, 0, 'changed', 'changed'],
  ] as const) {
    it(`calls it ${came} when a signal of severity ${severity ?? 'unknown'} and ${points} points is added`, () => {
      const having = { signal_details: rated('', points)['signal_details'] as Plain[] }
      for (const one of having.signal_details) if (one['id'] === 'weak_csp') one['severity'] = severity
      const [there, back] = [
        diffResults(shopWith(without), shopWith(having)).changes,
        diffResults(shopWith(having), shopWith(without)).changes,
      ]
      assert.deepEqual(
        [there, back].map(changes => changes.map(({ path, severity }) => [path, severity])),
        [[['signals.weak_csp', came]], [['signals.weak_csp', went]]],
      )
    })
  }

  it('reports a changed severity as neutral', () => {
    assert.deepEqual(told(shop(), shopWith(rated('medium', 1))), [
      'changed: Severity of Content-Security-Policy does not stop injected scripts (weak_csp): low → medium',
    ])
  })

  it('reports a changed recommendation, as better or worse only at equal coverage', () => {
    assert.deepEqual(told(shop(), shopWith({ recommendation: 'review' })), ['weakened: Recommendation: allow → review'])
    assert.deepEqual(told(shopWith({ recommendation: 'block' }), shopWith({ recommendation: 'review' })), [
      'strengthened: Recommendation: block → review',
    ])
    assert.deepEqual(told(shop(), shopWith({ recommendation: 'review', confidence: 'low' })), [
      'changed: Recommendation: allow → review',
      'changed: Confidence: high → low',
    ])
  })

  it('compares with a result of an earlier version, which has neither severity nor recommendation', () => {
    const { recommendation, recommendation_reason, confidence, ...older } = shop()
    const details = (older['signal_details'] as Plain[]).map(({ severity, ...one }) => one)
    const old = { ...older, signal_details: details }
    assert.deepEqual(told(old, shop()), [])
    assert.deepEqual(told(shop(), old), [])
    assert.deepEqual(told({ ...old, verdict: 'malicious' }, shopWith({ confidence: 'low' })), [
      'changed: Verdict: malicious → safe',
    ])
  })

  it('reports sections that no longer apply', () => {
    const none = { status: 'not_applicable', reason: 'refused', duration_ms: 1 }
    assert.deepEqual(told(shop(), shopWith({ cookies: null, 'coverage.sections.cookies': none })), [
      'changed: cookies no longer applies (refused)',
    ])
  })

  it('reports changes in sections without rules', () => {
    const moon = (phase: string) => ({
      moon_phase: { phase, addresses: 1, tides: null },
      'coverage.sections.moon_phase': { status: 'completed', reason: null, duration_ms: 1 },
    })
    assert.deepEqual(told(shopWith(moon('new')), shopWith(moon('full'))), ['changed: moon_phase.phase: new → full'])
  })

  it('ignores the toString of a value', () => {
    const odd = shopWith({ verdict: { toString: '' } })
    assert.ok(diffResults(shop(), odd).changes.some(({ path }) => path === 'verdict'))
  })

  for (const member of ['id', 'section', 'title', 'points']) {
    it(`ignores a signal with an invalid ${member}`, () => {
      const signal = { id: 'odd', section: 'dns_security', title: 'Odd', points: 3, [member]: { toString: '' } }
      const odd = shopWith({ signal_details: [signal] })
      const none = shopWith({ signal_details: [] })
      assert.deepEqual(diffResults(shop(), odd), diffResults(shop(), none))
      assert.deepEqual(diffResults(odd, shop()), diffResults(none, shop()))
    })
  }

  it('never throws for any value at any path', () => {
    const paths = fc.constantFrom(
      ...rules.flatMap(({ path, state }) => [path, ...(state ? [state] : [])]),
      'coverage',
      'signal_details',
    )
    fc.assert(
      fc.property(paths, fc.jsonValue(), (path, value) => {
        const odd = shopWith({ [path]: value })
        assert.ok(Array.isArray(diffResults(shop(), odd).changes))
        assert.ok(Array.isArray(diffResults(odd, shop()).changes))
      }),
      { numRuns: 300 },
    )
  })
})

describe('the rules', () => {
  it('name paths that exist in results', () => {
    const results = [
      ...kindsIn('results').map(kind => readResult(kind) as Plain),
      { rendered: rendered({}), ...offers({}, {}), ...mailServer({}) },
    ]
    const has = (path: string) =>
      results.some(
        result =>
          path.split('.').reduce<unknown>((at, name) => (at as Plain | null | undefined)?.[name], result) !== undefined,
      )
    const missing = rules.flatMap(({ path, state }) => [path, ...(state ? [state] : [])]).filter(path => !has(path))
    assert.deepEqual(missing, [])
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed).reverse()
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, reversed(one)])
      .reverse(),
  )
}

const blind = (result: Plain) =>
  Object.entries(
    (result['coverage'] as { sections: Record<string, { status: string; reason: string | null }> }).sections,
  )
    .filter(([, { status }]) => status === 'unavailable' || status === 'failed')
    .map(([section, { reason }]) => ({ section, unknown: 'both', reason }))
