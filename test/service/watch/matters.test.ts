// What a watch tells, and what it keeps to itself.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { FACTS_ALONE, observe } from '../../../src/service/watch/matters.ts'
import type { Facts } from '../../../src/store/watches.ts'

const NOW = Date.parse('2026-11-15T00:00:00Z')
const DAY = 86_400_000
const day = (days: number) => new Date(NOW + days * DAY).toISOString()

type Part = Readonly<Record<string, unknown>>

interface Given {
  readonly verdict?: string
  readonly recommendation?: string
  readonly scoring_policy?: string
  readonly ip?: string
  readonly asn?: number | null
  readonly lists?: readonly (readonly [name: string, listed: boolean | null])[]
  readonly ssl?: Part | null
  readonly dns?: Part | null
  /** When the registration and security.txt expire. */
  readonly ends?: readonly [registration: string | null, security_txt: string | null]
  /** Sections that were not seen. */
  readonly unseen?: readonly string[]
}

const goodMail = {
  spf: { status: 'valid', policy: 'fail' },
  dmarc: { status: 'valid', effective_policy: 'reject', subdomain_policy: 'reject' },
  mta_sts: { status: 'valid', mode: 'enforce' },
  name_servers: ['ns1.example.com', 'ns2.example.com'],
}

/** A result of the API, as far as it matters. */
function result(given: Given = {}): Part {
  const { verdict = 'safe', recommendation = 'allow', scoring_policy = 'p', ip = '192.0.2.1', asn = null } = given
  const { lists = [['A', false]], ssl = {}, dns = {}, ends = [null, null], unseen = [] } = given
  const certificate = { valid: true, invalid_reasons: [], not_before: day(-30), expires_at: day(60) }
  const sections = {
    reputation: { lists: lists.map(([name, listed]) => ({ name, listed })), expires_at: ends[0] },
    security_txt: { expires_at: ends[1] },
    ssl_info: ssl === null ? null : { ...certificate, ...ssl },
    dns_security: dns === null ? null : { ...goodMail, ...dns },
    geo_location: { asn },
    certificate_log: { certificates: 1 },
  }
  const seen = (name: string) =>
    unseen.includes(name) ? { status: 'unavailable', reason: 'timeout' } : { status: 'completed', reason: null }
  const visible = Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, unseen.includes(name) ? null : section]),
  )
  const coverage = { sections: Object.fromEntries(Object.keys(sections).map(name => [name, seen(name)])) }
  return { domain: 'example.com', ip, verdict, recommendation, scoring_policy, ...visible, coverage }
}

/** A result of an installation that has switched a section off. */
function without(section: string, one: Part): Part {
  const { sections } = one['coverage'] as { sections: Part }
  const kept = Object.entries(sections).filter(([name]) => name !== section)
  return { ...one, [section]: undefined, coverage: { sections: Object.fromEntries(kept) } }
}

/** The changes that each of the results after the first tells. */
function told(...results: readonly Part[]): string[][] {
  let facts: Facts | null = null
  return results
    .map(one => {
      const observed = observe(facts, one, NOW)
      // As the store keeps them.
      facts = JSON.parse(JSON.stringify(observed.facts))
      return observed.changes.map(({ matter, severity, message }) => `${matter} ${severity}: ${message}`)
    })
    .slice(1)
}

const bad = { verdict: 'malicious', recommendation: 'block' }

const expiring = (within: string, days: number) =>
  `certificate_expiring weakened: Certificate expires within ${within}: ${day(days)}`
const WORSE = ['recommendation weakened: Recommendation: allow → block', 'verdict weakened: Verdict: safe → malicious']
const BETTER = [
  'recommendation strengthened: Recommendation: block → allow',
  'verdict strengthened: Verdict: malicious → safe',
]

const cases: readonly (readonly [title: string, results: readonly Part[], told: readonly (readonly string[])[]])[] = [
  ['nothing when nothing changed', [result(), result()], [[]]],
  ['a worse and then a better verdict, with the recommendation', [result(), result(bad), result()], [WORSE, BETTER]],
  [
    'a new verdict of another policy, and says so',
    [result(), result({ verdict: 'suspicious', scoring_policy: 'q' })],
    [['verdict weakened: Verdict: safe → suspicious (the scoring policy changed)']],
  ],
  [
    'no better verdict of a check that saw less, and no repetition after it',
    [result(bad), result({ unseen: ['reputation'] }), result(bad)],
    [[], []],
  ],
  [
    'a worse verdict of a check that saw less',
    [result(), result({ ...bad, unseen: ['ssl_info'] }), result()],
    [WORSE, BETTER],
  ],
  [
    'no review that missing evidence alone recommends',
    [result(), result({ recommendation: 'review', unseen: ['reputation'] }), result()],
    [[], []],
  ],
  [
    'another recommendation though a third party did not answer that nothing is judged by',
    [result(), result({ recommendation: 'review', unseen: ['certificate_log'] })],
    [['recommendation weakened: Recommendation: allow → review']],
  ],
  [
    'a listing and its end, by the list',
    [result(), result({ lists: [['A', true]] }), result()],
    [['listing weakened: Now listed by A'], ['listing strengthened: No longer listed by A']],
  ],
  [
    'a listing across a check to which the list was silent',
    [result(), result({ lists: [['A', null]] }), result({ lists: [['A', true]] })],
    [[], ['listing weakened: Now listed by A']],
  ],
  ['nothing of a list that is asked for the first time', [result(), result({ lists: [['B', true]] })], [[]]],
  [
    'a certificate that became invalid, and valid again',
    [result(), result({ ssl: { valid: false, invalid_reasons: ['expired'] } }), result()],
    [
      ['certificate weakened: Certificate valid: yes → no', 'certificate weakened: Certificate faults: added expired'],
      ['certificate strengthened: Certificate valid: no → yes'],
    ],
  ],
  [
    'a registration and a security.txt that expire, at each limit once',
    [
      result({ ends: [day(40), day(20)] }),
      result({ ends: [day(29), day(13)] }),
      result({ ends: [day(29), day(13)] }),
      result({ ends: [null, null] }),
      result({ ends: [day(0.5), day(400)] }),
      result({ ends: [day(365), day(400)] }),
    ],
    [
      [
        `registration_expiring weakened: Registration of the domain expires within 30 days: ${day(29)}`,
        `security_txt_expiring weakened: security.txt expires within 14 days: ${day(13)}`,
      ],
      [],
      [],
      [`registration_expiring weakened: Registration of the domain expires within 1 day: ${day(0.5)}`],
      [],
    ],
  ],
  [
    'signatures of DNSSEC that are not renewed, and none that are made for each answer',
    [
      result(),
      result({ dns: { dnssec_signatures: { valid_from: day(-12), expires_at: day(1.9) } } }),
      result({ dns: { dnssec_signatures: { valid_from: day(-12), expires_at: day(0.9) } } }),
      result({ dns: { dnssec_signatures: { valid_from: day(-1), expires_at: day(13) } } }),
      result({ dns: { dnssec_signatures: { valid_from: day(-1), expires_at: day(0.9) } } }),
      result({ dns: { dnssec_signatures: null } }),
    ],
    [
      [`dnssec_expiring weakened: DNSSEC signatures of the zone expire within 2 days: ${day(1.9)}`],
      [`dnssec_expiring weakened: DNSSEC signatures of the zone expire within 1 day: ${day(0.9)}`],
      [],
      [],
      [],
    ],
  ],
  ['no renewed certificate', [result(), result({ ssl: { expires_at: day(89), issuer: 'Other CA' } })], [[]]],
  [
    'an expiring certificate at each limit once',
    [
      result(),
      result({ ssl: { expires_at: day(13) } }),
      result({ ssl: { expires_at: day(13) } }),
      result({ ssl: { expires_at: day(60) } }),
      result({ ssl: { expires_at: day(0.5), not_before: day(-89) } }),
      result({ ssl: { expires_at: day(0.5), not_before: day(-89) } }),
    ],
    [[expiring('14 days', 13)], [], [], [expiring('1 day', 0.5)], []],
  ],
  [
    'no expiry of a certificate that lives for a few days only, before its last day',
    [result(), result({ ssl: { not_before: day(-1), expires_at: day(5) } })],
    [[]],
  ],
  [
    'a weakened mail policy, and no improved one',
    [result(), result({ dns: { dmarc: { ...goodMail.dmarc, effective_policy: 'none' } } }), result()],
    [['mail weakened: DMARC policy: reject → none'], []],
  ],
  [
    'a mail policy that was weakened while it could not be seen',
    [
      result(),
      result({ unseen: ['dns_security'] }),
      result({ dns: { spf: { status: 'missing', policy: null }, mta_sts: { status: 'missing', mode: null } } }),
    ],
    [[], ['mail weakened: SPF policy: fail → missing', 'mail weakened: MTA-STS mode: enforce → missing']],
  ],
  [
    'other name servers',
    [result(), result({ dns: { name_servers: ['ns1.example.com', 'ns.evil.example'] } })],
    [['name_servers changed: Name servers: added ns.evil.example; removed ns2.example.com']],
  ],
  [
    'an address in a network that was never seen, once',
    [result(), result({ ip: '192.0.2.77' }), result({ ip: '198.51.100.7' }), result(), result({ ip: '198.51.100.9' })],
    [[], ['address changed: New address in a network not seen before: 198.51.100.7'], [], []],
  ],
  [
    'no other address of the same operator',
    [result({ asn: 64500 }), result({ asn: 64500, ip: '198.51.100.7' }), result({ asn: 64501, ip: '203.0.113.9' })],
    [[], ['address changed: New address in a network not seen before: 203.0.113.9 in AS64501']],
  ],
  ['no other address of a watched address', [result(), { ...result({ ip: '203.0.113.9' }), domain: null }], [[]]],
  ['no missing address', [result(), { ...result(), ip: null }, result()], [[], []]],
  [
    'a listing by one of two answers of a list',
    [result(), result({ lists: ['A', 'A', 'A'].map((name, at) => [name, at === 1] as const) })],
    [['listing weakened: Now listed by A']],
  ],
  ['a better verdict when a section was switched off', [result(bad), without('geo_location', result())], [BETTER]],
  [
    'no better verdict of less evidence, and a worse one that is proven',
    [
      result(bad),
      result({ verdict: 'suspicious', recommendation: 'review', unseen: ['reputation'] }),
      result({ unseen: ['reputation'] }),
      result(bad),
    ],
    [[], [], []],
  ],
  ['a proven verdict of less evidence', [result(), result({ ...bad, unseen: ['reputation'] })], [WORSE]],
  [
    'that a renewed certificate expires, too',
    [
      result(),
      result({ ssl: { not_before: day(-89), expires_at: day(0.5) } }),
      result({ ssl: { not_before: day(-30), expires_at: day(13) } }),
    ],
    [[expiring('1 day', 0.5)], [expiring('14 days', 13)]],
  ],
  [
    'an expiry at the limit, of a certificate that lives three times as long',
    [result(), result({ ssl: { not_before: day(-28), expires_at: day(14) } })],
    [[expiring('14 days', 14)]],
  ],
  [
    'no expiry of a certificate that lives shorter than three times the limit',
    [result(), result({ ssl: { not_before: day(-27), expires_at: day(14) } })],
    [[]],
  ],
  ['no expiry of a certificate whose time is over', [result(), result({ ssl: { expires_at: day(0) } })], [[]]],
  [
    'no expiry of a certificate without dates',
    [result(), result({ ssl: { not_before: null, expires_at: day(1) } })],
    [[]],
  ],
  ['nothing that is of no concern to a watch', [result(), { ...result(), seo_health: { score: 1 } }], [[]]],
]

describe('a watch tells', () => {
  for (const [title, results, expected] of cases) {
    it(title, () => assert.deepEqual(told(...results), expected))
  }

  it('that the same certificate expires at each limit once, as its end comes nearer', () => {
    let facts: Facts | null = null
    const messages = [16, 13, 12, 8, 6, 5, 2, 0.9, 0.1, -1].map(left => {
      const given = result({ ssl: { not_before: day(-60), expires_at: day(30) } })
      const observed = observe(facts, given, NOW + (30 - left) * DAY)
      facts = observed.facts
      return observed.changes.map(({ message }) => message).join()
    })
    const within = (days: string) => `Certificate expires within ${days}: ${day(30)}`
    const expected = ['', within('14 days'), '', '', within('7 days'), '', '', within('1 day'), '', '']
    assert.deepEqual(messages, expected)
  })

  it('where each change is, with what was before and after', () => {
    const { facts } = observe(null, result(), NOW)
    const { changes } = observe(facts, result({ lists: [['A', true]], ip: '198.51.100.7', verdict: 'suspicious' }), NOW)
    assert.deepEqual(
      changes.map(({ path, before, after }) => ({ path, before, after })),
      [
        { path: 'verdict', before: 'safe', after: 'suspicious' },
        { path: 'reputation.lists.A', before: false, after: true },
        { path: 'ip', before: '192.0.2.0/24', after: '198.51.100.7' },
      ],
    )
  })

  it('an address again after 64 other networks, and none of those between', () => {
    const networks = Array.from({ length: 65 }, (_, at) => result({ ip: `198.18.${at}.1` }))
    const again = [...networks, result({ ip: '198.18.0.7' }), result({ ip: '198.18.2.7' })]
    const tells = told(...again).map(({ length }) => length)
    assert.deepEqual(tells, [...Array(64).fill(1), 1, 0])
  })

  it('of a first result nothing but a certificate that is about to expire', () => {
    assert.deepEqual(observe(null, result(bad), NOW).changes, [])
    const { changes } = observe(null, result({ ssl: { expires_at: day(5) } }), NOW)
    assert.deepEqual(
      changes.map(({ matter, path, before, after }) => ({ matter, path, before, after })),
      [{ matter: 'certificate_expiring', path: 'ssl_info.expires_at', before: null, after: day(5) }],
    )
  })

  it('knows the optional plugins by which nothing is judged', () => {
    const facts = builtInPlugins.flatMap(({ plugin }) =>
      'analyze' in plugin && plugin.optional && Object.keys(plugin.signals).length === 0 ? [plugin.name] : [],
    )
    assert.deepEqual([...FACTS_ALONE], facts.sort())
  })
})
