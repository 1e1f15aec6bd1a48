import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/mail_servers/index.ts'
import type { Section } from '../../plugins/mail_servers/section.ts'
import { type Evidence, NotApplicable, Unavailable } from '../../src/engine/plugin.ts'
import { runPlugin } from '../../src/testing/run_plugin.ts'
import { describeSection } from '../engine/report/shipped.ts'
import { gatherMail } from '../evidence/mail_zone.ts'

type Server = Evidence['mail_servers']['servers'][number]
type Tls = NonNullable<Server['tls']>
type Policy = NonNullable<Evidence['mail_records']['mta_sts']['policy']>

const now = new Date('2026-11-20T12:00:00Z')
const certificate = {
  subject: { label: 'mx.example.com', common_name: 'mx.example.com', organization: null, country: null },
  issuer: { label: 'Lab CA', common_name: 'Lab CA', organization: 'Lab', country: null },
  serial: '01',
  not_before: '2026-10-01T00:00:00Z',
  not_after: '2027-01-01T00:00:00Z',
  dns_names: ['mx.example.com'],
  ip_addresses: [],
  fingerprint_sha256: 'ab'.repeat(32),
} as unknown as NonNullable<Tls['certificate']>

const tls: Tls = {
  protocol: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  only_legacy: false,
  certificate,
  names_host: true,
  anchored: true,
  verify_error: null,
}
const noDane: Server['dane'] = {
  name: '_25._tcp.mx',
  status: 'not_found',
  reason: null,
  authenticated: false,
  records: [],
}

const server = (parts: Partial<Server> = {}): Server => ({
  preference: 10,
  exchange: 'mx.example.com',
  contact: 'answered',
  reason: null,
  code: null,
  address: '93.184.216.25',
  banner: 'mx.example.com ESMTP',
  extensions: ['STARTTLS'],
  starttls: true,
  tls,
  tls_failure: null,
  dane: noDane,
  reverse_failure: null,
  reverse: { ip: '93.184.216.25', names: [{ name: 'mx.example.com', confirmed: true }], total: 1 },
  ...parts,
})
const unheard: Partial<Server> = { banner: null, extensions: null, starttls: null, tls: null }

const dane = (usage: number, matches: boolean | null, parts: Partial<Server['dane']> = {}): Server['dane'] => ({
  ...noDane,
  status: 'found',
  authenticated: true,
  records: [{ usage, selector: 1, matching_type: 1, usable: usage >= 2, matches }],
  ...parts,
})

const { mail } = await gatherMail('example.com', {
  'example.com': { MX: [{ preference: 10, exchange: 'mx.example.com' }] },
})
const policy: Policy = {
  failure: null,
  content_type: 'text/plain',
  version: 'STSv1',
  mode: 'enforce',
  max_age: '604800',
  mx: ['*.example.com'],
  violations: [],
  valid: true,
}
const withPolicy = (parts: Partial<Policy>) => ({
  ...mail,
  mta_sts: { ...mail.mta_sts, policy: { ...policy, ...parts } },
})

async function judge(servers: readonly Server[], mail_records: unknown = mail, total = servers.length) {
  const outcome = await runPlugin(plugin, { evidence: { mail_servers: { total, servers }, mail_records }, now })
  assert.deepEqual(outcome.defects, [])
  return { ...outcome, section: outcome.section as Section }
}

/** A signal of mx.example.com: its name, its points and what it says. */
const WITHOUT_STARTTLS = [
  'mail_server_without_starttls',
  2,
  'mx.example.com does not offer STARTTLS, so mail travels to it unencrypted.',
] as const
const DANE_MISMATCH = [
  'dane_mismatch',
  3,
  'mx.example.com does not match its TLSA records, so senders that use DANE do not deliver mail to it.',
] as const
const invalidAs = (fault: string) =>
  ['mail_certificate_invalid', 1, `The certificate of mx.example.com is ${fault}.`] as const

describe('mail_servers', () => {
  const cases: readonly (readonly [
    title: string,
    servers: readonly Server[],
    signals: readonly (readonly [id: string, points: number, detail: string])[],
    mail?: unknown,
  ])[] = [
    ['has no signal for a server that does everything', [server()], [], withPolicy({})],
    ['reports a server without STARTTLS', [server({ starttls: false, tls: null })], [WITHOUT_STARTTLS]],
    [
      'reports STARTTLS that fails',
      [server({ tls: null, tls_failure: 'injected' })],
      [
        [
          'mail_tls_fails',
          2,
          'mx.example.com offers STARTTLS, but it fails: the server sends unencrypted data after STARTTLS.',
        ],
      ],
    ],
    ['reports nothing of STARTTLS that ran out of time', [server({ tls: null, tls_failure: 'timeout' })], []],
    [
      'reports every fault of a certificate at once',
      [server({ tls: { ...tls, names_host: false, anchored: false } })],
      [invalidAs('for another name and not issued by a trusted authority')],
    ],
    [
      'reports an expired one',
      [server({ tls: { ...tls, certificate: { ...certificate, not_after: '2026-11-20T11:59:59Z' } } })],
      [['mail_certificate_invalid', 1, 'The certificate of mx.example.com is expired.']],
    ],
    ['does not judge a certificate whose trust is unknown', [server({ tls: { ...tls, anchored: null } })], []],
    [
      'needs no public authority beside a TLSA record that matches',
      [server({ tls: { ...tls, names_host: false, anchored: false }, dane: dane(3, true) })],
      [],
    ],
    ['reports a TLSA record that does not match', [server({ dane: dane(3, false) })], [DANE_MISMATCH]],
    [
      'demands TLS of a server with TLSA records',
      [server({ starttls: false, tls: null, dane: dane(3, null) })],
      [DANE_MISMATCH, WITHOUT_STARTTLS],
    ],
    ['ignores TLSA records without DNSSEC', [server({ dane: dane(3, false, { authenticated: false }) })], []],
    ['ignores TLSA records of public authorities', [server({ dane: dane(1, null) })], []],
    [
      'reports a server that breaks the enforced policy',
      [server({ tls: { ...tls, names_host: false } })],
      [
        ['mail_certificate_invalid', 1, 'The certificate of mx.example.com is for another name.'],
        [
          'mta_sts_not_met',
          3,
          'mx.example.com does not meet the MTA-STS policy, so senders that obey it do not deliver mail to it.',
        ],
      ],
      withPolicy({}),
    ],
    [
      'does not report one that breaks a policy in testing',
      [server({ tls: { ...tls, names_host: false } })],
      [['mail_certificate_invalid', 1, 'The certificate of mx.example.com is for another name.']],
      withPolicy({ mode: 'testing' }),
    ],
    [
      'reports old versions',
      [server({ tls: { ...tls, protocol: 'TLSv1' } })],
      [['outdated_mail_tls', 1, 'mx.example.com supports at most TLS 1.0, which RFC 8996 deprecates.']],
    ],
    [
      'reports what does not speak SMTP',
      [server({ ...unheard, contact: 'not_smtp' })],
      [['mail_server_not_smtp', 1, 'mx.example.com answers on port 25, but does not speak SMTP.']],
    ],
    [
      'reports that nobody answers if that is certain of all',
      [server({ ...unheard, contact: 'unanswered', reason: 'timeout' }), server({ ...unheard, contact: 'internal' })],
      [['mail_servers_unreachable', 2, 'None of the 2 mail servers answers on port 25.']],
    ],
    [
      'accuses nobody where port 25 may be blocked',
      [
        server({ ...unheard, contact: 'unknown', reason: 'port_25_unproved' }),
        server({ ...unheard, contact: 'unanswered', reason: 'refused' }),
      ],
      [],
    ],
    ['accuses nobody who refuses to talk to us', [server({ ...unheard, contact: 'rejected', code: 554 })], []],
    [
      'informs about reverse names that lead elsewhere',
      [server({ reverse: { ip: '93.184.216.25', names: [{ name: 'a.example', confirmed: false }], total: 1 } })],
      [
        [
          'mail_server_without_reverse_name',
          0,
          '93.184.216.25, the address of mx.example.com, has no reverse name that leads back to it.',
        ],
      ],
    ],
  ]
  for (const [title, servers, signals, mail_records] of cases) {
    it(title, async () => {
      const { status, signals: found } = await judge(servers, mail_records)
      assert.equal(status, 'completed')
      assert.deepEqual(found.map(({ id, points, detail }) => [id, points, detail]).sort(), [...signals].sort())
    })
  }

  it('accuses nobody if there are more servers than were contacted', async () => {
    const { signals } = await judge([server({ ...unheard, contact: 'unanswered', reason: 'timeout' })], mail, 6)
    assert.deepEqual(signals, [])
  })

  const statuses: readonly (readonly [title: string, dane: Server['dane'], parts: Partial<Server>, status: string])[] =
    [
      ['valid by the key', dane(3, true), {}, 'valid'],
      ['valid by the key of an expired certificate', dane(3, true), { tls: { ...tls, certificate: null } }, 'valid'],
      ['valid by an authority', dane(2, true), {}, 'valid'],
      [
        'a mismatch by an authority for another name',
        dane(2, true),
        { tls: { ...tls, names_host: false } },
        'mismatch',
      ],
      ['unusable', dane(0, null), {}, 'unusable'],
      ['unsigned', dane(3, true, { authenticated: false }), {}, 'unsigned'],
      ['none', noDane, {}, 'none'],
      ['unknown after a failed query', { ...noDane, status: 'unknown', reason: 'servfail' }, {}, 'unknown'],
      ['unknown of a server that did not answer', dane(3, null), { ...unheard, contact: 'unanswered' }, 'unknown'],
    ]
  for (const [title, records, parts, status] of statuses) {
    it(`calls DANE ${title}`, async () => {
      const { section } = await judge([server({ dane: records, ...parts })])
      assert.equal(section.servers[0]?.dane.status, status)
    })
  }

  const policies: readonly (readonly [title: string, mail: unknown, parts: Partial<Server>, status: string])[] = [
    ['met', withPolicy({}), {}, 'met'],
    ['met in testing too', withPolicy({ mode: 'testing' }), {}, 'met'],
    ['not met without TLS', withPolicy({}), { starttls: false, tls: null }, 'not_met'],
    ['not listing the server', withPolicy({ mx: ['*.example.net'] }), {}, 'not_listed'],
    ['none without one', mail, {}, 'none'],
    ['none in mode none', withPolicy({ mode: 'none' }), {}, 'none'],
    ['none if senders cannot read it', withPolicy({ valid: false }), {}, 'none'],
    ['none if its site refuses it', withPolicy({ failure: 'status:404' }), {}, 'none'],
    ['unknown if we could not fetch it', withPolicy({ failure: 'timeout' }), {}, 'unknown'],
    ['unknown of a server that refuses us', withPolicy({}), { ...unheard, contact: 'rejected' }, 'unknown'],
  ]
  for (const [title, mail_records, parts, status] of policies) {
    it(`calls the MTA-STS policy ${title}`, async () => {
      const { section } = await judge([server(parts)], mail_records)
      assert.equal(section.servers[0]?.mta_sts, status)
    })
  }

  const unknown: readonly (readonly [
    title: string,
    servers: readonly Server[],
    mail: unknown,
    reason: string | null,
  ])[] = [
    ['nothing', [server()], mail, null],
    [
      'a blocked port',
      [server({ ...unheard, contact: 'unknown', reason: 'port_25_unproved' })],
      mail,
      'mail_servers_port_25_unproved',
    ],
    ['a server that refuses us', [server({ ...unheard, contact: 'rejected', code: 554 })], mail, 'mail_rejected'],
    [
      'TLSA records that fail',
      [server({ dane: { ...noDane, status: 'unknown', reason: 'servfail' } })],
      mail,
      'tlsa_servfail',
    ],
    [
      'silent reverse zones',
      [server({ reverse: null, reverse_failure: 'resolver_timeout' })],
      mail,
      'reverse_names_resolver_timeout',
    ],
    ['a policy that did not come', [server()], withPolicy({ failure: 'timeout' }), 'mta_sts_timeout'],
    [
      'mail records that did not come',
      [server()],
      new Unavailable('resolver_timeout'),
      'mail_records_resolver_timeout',
    ],
  ]
  for (const [title, servers, mail_records, reason] of unknown) {
    it(`says that ${title} is why something is unknown`, async () => {
      assert.equal((await judge(servers, mail_records)).reason, reason)
    })
  }

  it('does not apply to a domain that receives no mail', async () => {
    const evidence = { mail_servers: new NotApplicable('null_mx'), mail_records: mail }
    const { status, reason } = await runPlugin(plugin, { evidence })
    assert.deepEqual([status, reason], ['not_applicable', 'null_mx'])
  })

  const shown: readonly (readonly [title: string, servers: readonly Server[], summary: string, facts: object])[] = [
    [
      'of a good server',
      [server({ dane: dane(3, true) })],
      '1 mail server answered, with encryption.',
      {
        Servers: ['mx.example.com: answers, TLS 1.3, certificate valid'],
        DANE: ['mx.example.com: matches'],
        'MTA-STS': [],
        'Reverse names': ['mx.example.com: mx.example.com'],
      },
    ],
    [
      'of servers in the clear and out of reach',
      [
        server({ starttls: false, tls: null }),
        server({ ...unheard, contact: 'internal', address: null, reverse: null }),
      ],
      '1 of 2 mail servers answered, without encryption.',
      {
        Servers: [
          'mx.example.com: answers, no encryption',
          'mx.example.com: has no public address, so it was not contacted',
        ],
        'Reverse names': ['mx.example.com: mx.example.com'],
      },
    ],
    [
      'of a blocked port',
      [server({ ...unheard, contact: 'unknown', reason: 'port_25_unproved', dane: dane(3, null) })],
      'Whether the mail servers answer is unknown.',
      { Servers: ['mx.example.com: could not be checked'], DANE: null },
    ],
    [
      'of a server that refuses us',
      [server({ ...unheard, contact: 'rejected', code: 554 })],
      'No mail server could be reached.',
      { Servers: ['mx.example.com: refuses to talk to us (code 554)'] },
    ],
  ]
  for (const [title, servers, summary, facts] of shown) {
    it(`has words for people ${title}`, async () => {
      const { section, reason } = await judge(servers)
      const described = describeSection('mail_servers', section, { reason })
      assert.deepEqual(described.summary, [summary])
      const all = Object.fromEntries(described.facts)
      for (const [label, value] of Object.entries(facts)) assert.deepEqual(all[label], value, label)
    })
  }
})
