// SPF limits, loops and references (RFC 7208 section 4.6.4).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatherMail, type Zone } from '../evidence/mail_zone.ts'
import { check, healthy } from './dns_security_checked.ts'

const mx = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ preference: index, exchange: `mx${index}.example.net` }))

/** Mail and DMARC in order, so that only SPF decides. */
const around: Zone = {
  'mx0.example.net': { A: ['192.0.2.25'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
}
const policy = (record: string, more: Zone[string] = {}) => ({
  'example.com': { MX: mx(1), A: ['192.0.2.80'], TXT: [record], ...more },
})
const includes = (count: number) =>
  Array.from({ length: count }, (_, index) => `include:i${index}.example.com`).join(' ')
/** `i0` to `i4`, each including one more. */
const nested: Zone = Object.fromEntries(
  [0, 1, 2, 3, 4].flatMap(index => [
    [`i${index}.example.com`, { TXT: [`v=spf1 include:j${index}.example.com -all`] }],
    [`j${index}.example.com`, { TXT: ['v=spf1 ip4:192.0.2.1 -all'] }],
  ]),
)
const inc = { 'inc.example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 a a a a a a a a'] } }
const alias: Zone = {
  'helper.example.com': { CNAME: ['inc.example.com'] },
  'inc.example.com': { A: ['192.0.2.1'], TXT: ['note', 'v=spf1 a a -all', 'other', 'v=spf2.0/pra'] },
}
const ten = 'a mx a mx a mx a mx a ptr ip4:1.2.3.4 -all'

interface Outcome {
  readonly status: 'valid' | 'invalid' | 'unknown'
  readonly lookups: number | null
  readonly voids: number | null
  readonly reason: string | null
}
const valid = (lookups = 0, voids = 0): Outcome => ({ status: 'valid', lookups, voids, reason: null })
const invalid = (lookups = 0, voids = 0): Outcome => ({ status: 'invalid', lookups, voids, reason: null })
const unknown = (reason: string): Outcome => ({ status: 'unknown', lookups: null, voids: null, reason })

/** The faults are those of SPF. */
const rows: readonly (readonly [title: string, zone: Zone, outcome: Outcome, faults?: readonly string[]])[] = [
  [
    'an all that comes first ends the record: nothing after it is looked up',
    { ...policy('v=spf1 -all mx include:i0.example.com'), ...nested },
    valid(),
    ['spf_terms_after_all'],
  ],
  ['a redirect to itself is a loop', policy('v=spf1 redirect=example.com'), invalid(1), ['spf_loop']],
  [
    'two records that include each other are a loop',
    { ...policy('v=spf1 include:e3.example.com'), 'e3.example.com': { TXT: ['v=spf1 include:EXAMPLE.com.'] } },
    invalid(2),
    ['spf_loop'],
  ],
  ['a redirect beside all is ignored', policy('v=spf1 redirect=example.com ~all'), valid(), ['spf_redirect_ignored']],
  [
    'an include without a record is an error',
    { ...policy('v=spf1 include:x.example.com'), 'x.example.com': { A: ['192.0.2.1'] } },
    invalid(1, 1),
    ['spf_missing_target'],
  ],
  [
    'an include of a name with other TXT is an error',
    { ...policy('v=spf1 include:x.example.com'), 'x.example.com': { TXT: ['hello'] } },
    invalid(1),
    ['spf_missing_target'],
  ],
  [
    'an include of a name that does not exist is an error',
    policy('v=spf1 include:nx.example.com'),
    invalid(1, 1),
    ['spf_missing_target'],
  ],
  [
    'a redirect to a name that does not exist is an error',
    policy('v=spf1 redirect=nx.example.com'),
    invalid(1, 1),
    ['spf_missing_target'],
  ],
  [
    'an include of a broken record is an error',
    { ...policy('v=spf1 include:x.example.com -all'), 'x.example.com': { TXT: ['v=spf1 moo -all'] } },
    invalid(1),
    ['spf_syntax_error'],
  ],
  [
    'an include of a name with two records is an error',
    { ...policy('v=spf1 include:x.example.com -all'), 'x.example.com': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] } },
    invalid(1),
    ['multiple_spf_records'],
  ],
  [
    'an include that times out leaves it unknown',
    { ...policy('v=spf1 include:x.example.com -all'), 'x.example.com': { fails: 'timeout' } },
    unknown('timeout'),
  ],
  [
    'an error is an error although an include times out',
    {
      ...policy('v=spf1 include:x.example.com include:nx.example.com -all'),
      'x.example.com': { fails: 'timeout' },
    },
    invalid(2, 1),
    ['spf_missing_target'],
  ],
  [
    'an include that is not a name is an error',
    policy('v=spf1 include:a..example.com -all'),
    invalid(1),
    ['spf_missing_target'],
  ],
  ['an a that is not a name matches nobody', policy('v=spf1 a:a..example.com -all'), valid(1), ['spf_not_a_name']],
  ['ten lookups are allowed', policy(`v=spf1 ${ten}`), valid(10), ['spf_uses_ptr']],
  ['eleven lookups are too many', policy(`v=spf1 a ${ten}`), invalid(11), ['spf_too_many_lookups', 'spf_uses_ptr']],
  [
    'five includes with one more each are ten lookups',
    { ...policy(`v=spf1 ${includes(5)} -all`), ...nested },
    valid(10),
  ],
  [
    'an eleventh beside them is too many',
    { ...policy(`v=spf1 ${includes(5)} a -all`), ...nested },
    invalid(11),
    ['spf_too_many_lookups'],
  ],
  [
    'hosts of ten mx are no lookups',
    { ...policy(`v=spf1 ${'mx:m.example.com '.repeat(10)}-all`), 'm.example.com': { MX: mx(3) } },
    valid(10),
  ],
  [
    'eleven hosts behind one mx are too many',
    { ...policy('v=spf1 mx:m.example.com -all'), 'm.example.com': { MX: mx(11) } },
    invalid(1),
    ['spf_too_many_mx_hosts'],
  ],
  [
    'ten hosts behind one mx are allowed',
    { ...policy('v=spf1 mx:m.example.com -all'), 'm.example.com': { MX: mx(10) } },
    valid(1),
  ],
  [
    'twelve addresses are one lookup',
    policy('v=spf1 a -all', { A: Array.from({ length: 12 }, (_, n) => `192.0.2.${n}`) }),
    valid(1),
  ],
  ['two void lookups are allowed', policy('v=spf1 a:n1.example.com a:n2.example.com -all'), valid(2, 2)],
  [
    'three void lookups are too many',
    policy('v=spf1 a:n1.example.com a:n2.example.com a:n3.example.com -all'),
    invalid(3, 3),
    ['spf_too_many_void_lookups'],
  ],
  [
    'an a with IPv6 alone is not void',
    { ...policy('v=spf1 a:v6.example.com -all'), 'v6.example.com': { AAAA: ['2001:db8::1'] } },
    valid(1),
  ],
  ['exp is no lookup', policy('v=spf1 a:n1.example.com a:n2.example.com exp=nx.example.com -all'), valid(2, 2)],
  [
    'the worst case counts, also where an address may match before',
    { ...policy('v=spf1 a include:inc.example.com ip4:1.2.3.4 mx -all'), ...inc },
    invalid(11),
    ['spf_too_many_lookups'],
  ],
  [
    'one helper included twice is not a loop',
    { ...policy('v=spf1 include:helper.example.com include:inc.example.com a mx -all'), ...alias },
    valid(8),
  ],
  [
    'a name that is an alias has one record',
    { 'example.com': { MX: mx(1), CNAME: ['inc.example.com'] }, ...alias },
    valid(2),
  ],
  [
    'an mx without MX records is void',
    { ...policy('v=spf1 mx:a.example.com -all'), 'a.example.com': { A: ['192.0.2.1'] } },
    valid(1, 1),
  ],
  [
    'a name that depends on the sender counts but is not asked',
    policy('v=spf1 exists:%{i}.x.example.com a:%{l}.example.com include:%{h}.example.com -all'),
    valid(3),
  ],
]

describe('the tree of an SPF record', () => {
  for (const [title, zone, { status, lookups, voids, reason }, faults = []] of rows) {
    test(title, async () => {
      const { section, codes, unknown } = await check('example.com', { ...around, ...zone })
      const expected = { valid: true, invalid: false, unknown: null }
      deepEqual(
        [section.spf.status, section.valid_config, section.spf.lookups, section.spf.void_lookups, unknown],
        [status, expected[status], lookups, voids, reason],
      )
      deepEqual([...new Set(codes.filter(code => code.includes('spf')))], faults)
    })
  }

  test('a TXT that times out is unknown, and has no record and no fault', async () => {
    const { section, codes, signals, unknown } = await check('example.com', {
      ...around,
      ...policy('', { fails: { TXT: 'timeout' } }),
    })
    deepEqual(
      [section.spf.status, section.valid_config, unknown, section.spf_record, section.has_mx, codes, signals],
      [
        'unknown',
        null,
        'timeout',
        null,
        true,
        ['missing_dkim_keys', 'dmarc_without_reports', 'missing_mta_sts', 'missing_tls_rpt'],
        [],
      ],
    )
  })

  const questionsOf = async (zone: Zone) => {
    const { questions } = await gatherMail('example.com', { ...around, ...zone })
    return questions.filter(
      question => question.startsWith('TXT ') && !question.includes(' _') && !question.includes('bimi'),
    )
  }

  test('a loop is queried once', async () => {
    deepEqual(
      await questionsOf({
        ...policy('v=spf1 include:e3.example.com'),
        'e3.example.com': { TXT: ['v=spf1 include:example.com'] },
      }),
      ['TXT example.com', 'TXT e3.example.com'],
    )
  })

  test('too many includes are not queried at all', async () => {
    deepEqual(await questionsOf(policy(`v=spf1 ${includes(200)} -all`)), ['TXT example.com'])
  })

  test('a tree that branches endlessly costs no more than the limit', async () => {
    const zone = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `i${index}.example.com`,
        { TXT: [`v=spf1 include:i${2 * index + 1}.example.com include:i${2 * index + 2}.example.com -all`] },
      ]),
    )
    deepEqual((await questionsOf({ ...policy('v=spf1 include:i0.example.com -all'), ...zone })).length, 8)
  })
})

describe('what each term of an SPF record costs', () => {
  const txt = (record: string) => ({ TXT: [record] })
  const base: Zone = {
    ...healthy,
    '_spf.one.example': txt('v=spf1 ip4:192.0.2.0/24 -all'),
    '_spf.two.example': txt('v=spf1 include:_a.two.example include:_b.two.example -all'),
    '_a.two.example': txt('v=spf1 a -all'),
    '_b.two.example': txt('v=spf1 ip6:2001:db8::/32 -all'),
    'mail.example.net': { A: ['192.0.2.9'] },
  }
  const costs: readonly (readonly [record: string, costs: readonly (readonly [string, number])[] | null])[] = [
    ['v=spf1 -all', []],
    ['v=spf1 ip4:192.0.2.0/24 -all', []],
    ['v=spf1 mx -all', [['mx', 1]]],
    ['v=spf1 a:mail.example.net -all', [['a:mail.example.net', 1]]],
    ['v=spf1 include:_spf.one.example -all', [['include:_spf.one.example', 1]]],
    ['v=spf1 include:_spf.two.example -all', [['include:_spf.two.example', 4]]],
    [
      'v=spf1 ?include:_spf.one.example mx ~all',
      [
        ['?include:_spf.one.example', 1],
        ['mx', 1],
      ],
    ],
    ['v=spf1 redirect=_spf.two.example', [['redirect=_spf.two.example', 4]]],
    [
      'v=spf1 mx include:_spf.two.example include:_spf.two.example -all',
      [
        ['mx', 1],
        ['include:_spf.two.example', 4],
        ['include:_spf.two.example', 4],
      ],
    ],
    ['v=spf1 exists:%{i}.list.example -all', [['exists:%{i}.list.example', 1]]],
    ['v=spf1 include:gone.example -all', [['include:gone.example', 1]]],
    ['v=spf1 all mx', []],
    ['no record', null],
  ]
  for (const [record, expected] of costs)
    test(`${record}: ${JSON.stringify(expected?.map(([, lookups]) => lookups) ?? null)}`, async () => {
      const zone = { ...base, 'example.com': { ...healthy['example.com'], TXT: [record] } }
      const { spf } = (await check('example.com', zone)).section
      deepEqual(spf.costs?.map(({ term, lookups }) => [term, lookups]) ?? null, expected)
      const sum = (expected ?? []).reduce((all, [, lookups]) => all + lookups, 0)
      if (expected !== null) deepEqual(spf.lookups, sum)
    })
})
