// Which DMARC record applies to a name, and what it asks (RFC 9989 sections 4.7 and 4.10).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Zone } from '../evidence/mail_zone.ts'
import { check } from './dns_security_checked.ts'

/** MX and SPF in order at both names, so that only DMARC decides. */
const mail: Zone[string] = { MX: [{ preference: 10, exchange: 'mx.example.com' }], TXT: ['v=spf1 mx -all'] }
const around: Zone = { 'example.com': mail, 'shop.example.com': mail, 'mx.example.com': { A: ['192.0.2.25'] } }
const at = (name: string, ...TXT: readonly string[]): Zone => ({ [`_dmarc.${name}`]: { TXT } })
const reject = 'v=DMARC1; p=reject; rua=mailto:d@example.com'

interface Row {
  readonly title: string
  readonly zone: Zone
  readonly name?: string
  readonly status: 'valid' | 'invalid' | 'missing' | 'unknown'
  /** What the name itself publishes: as `status` when it is found at the name, else missing. */
  readonly published?: Row['status']
  readonly record?: string | null
  readonly found_at?: string | null
  readonly effective?: 'none' | 'quarantine' | 'reject' | null
  /** Faults of DMARC, gravest first. */
  readonly codes?: readonly string[]
}

const found = (found_at = 'example.com', record = reject, effective: Row['effective'] = 'reject') =>
  ({ status: 'valid', record, found_at, effective }) as const

const applied: readonly Row[] = [
  { title: 'its own record applies to a name', zone: at('example.com', reject), ...found() },
  { title: 'no record anywhere is missing', zone: {}, status: 'missing', codes: ['missing_dmarc_record'] },
  {
    title: "a name without a record takes its parent's",
    zone: at('example.com', reject),
    name: 'shop.example.com',
    ...found(),
  },
  {
    title: 'sp speaks for names below',
    zone: at('example.com', `${reject}; sp=none`),
    name: 'shop.example.com',
    ...found('example.com', `${reject}; sp=none`, 'none'),
    codes: ['dmarc_policy_none'],
  },
  {
    title: "a record of its own goes before the parent's",
    zone: { ...at('example.com', 'v=DMARC1; p=none'), ...at('shop.example.com', reject) },
    name: 'shop.example.com',
    ...found('shop.example.com'),
  },
  {
    title: 'the parent with the fewest labels is the organization',
    zone: { ...at('shop.example.com', 'v=DMARC1; p=none'), ...at('example.com', reject) },
    name: 'a.shop.example.com',
    ...found(),
  },
  {
    title: 'psd=n ends the walk',
    zone: { ...at('shop.example.com', `${reject}; psd=n`), ...at('example.com', 'v=DMARC1; p=none') },
    name: 'a.shop.example.com',
    ...found('shop.example.com', `${reject}; psd=n`),
  },
  {
    title: 'psd=y makes the name below it the organization',
    zone: {
      ...at('com', `${reject}; psd=y`),
      ...at('example.com', 'v=DMARC1; p=quarantine; rua=mailto:d@example.com'),
    },
    name: 'shop.example.com',
    ...found('example.com', 'v=DMARC1; p=quarantine; rua=mailto:d@example.com', 'quarantine'),
  },
  {
    title: 'the public suffix speaks for organizations without a record',
    zone: at('com', 'v=DMARC1; p=quarantine; psd=y; rua=mailto:d@com.example'),
    ...found('com', 'v=DMARC1; p=quarantine; psd=y; rua=mailto:d@com.example', 'quarantine'),
    codes: ['dmarc_unauthorized_report_address'],
  },
  {
    title: 'two records are none',
    zone: at('example.com', reject, 'v=DMARC1; p=none'),
    status: 'invalid',
    codes: ['multiple_dmarc_records'],
  },
  {
    title: "two records are none and the parent's applies",
    zone: { ...at('shop.example.com', reject, 'v=DMARC1; p=none'), ...at('example.com', reject) },
    name: 'shop.example.com',
    published: 'invalid',
    ...found(),
    codes: ['multiple_dmarc_records'],
  },
  {
    title: "a record that repeats its policy is none and the parent's applies",
    zone: { ...at('shop.example.com', 'v=DMARC1; p=none; p=reject'), ...at('example.com', reject) },
    name: 'shop.example.com',
    published: 'invalid',
    ...found(),
    codes: ['dmarc_invalid_record'],
  },
  {
    title: "a misspelled version is none and the parent's applies",
    zone: { ...at('shop.example.com', 'v=DMARC; p=none'), ...at('example.com', reject) },
    name: 'shop.example.com',
    published: 'invalid',
    ...found(),
    codes: ['dmarc_lookalike'],
  },
  { title: 'another TXT beside it does not matter', zone: at('example.com', 'v=spf1 -all', reject), ...found() },
  {
    title: 'a misspelled one beside it does not matter',
    zone: at('example.com', 'v=DMARC; p=none', reject),
    ...found(),
  },
  { title: 'a time-out leaves it unknown', zone: { '_dmarc.example.com': { fails: 'timeout' } }, status: 'unknown' },
  {
    title: 'a parent that fails leaves it unknown',
    zone: { '_dmarc.example.com': { fails: 'servfail' } },
    name: 'shop.example.com',
    status: 'unknown',
    published: 'missing',
  },
  {
    title: 'a record is not taken for the organization’s while the name above it does not answer',
    zone: { ...at('shop.example.com', reject), '_dmarc.example.com': { fails: 'timeout' } },
    name: 'a.shop.example.com',
    status: 'unknown',
    published: 'missing',
  },
  {
    title: 'a failure above does not matter where psd=n has ended the walk',
    zone: { ...at('shop.example.com', `${reject}; psd=n`), '_dmarc.example.com': { fails: 'timeout' } },
    name: 'a.shop.example.com',
    ...found('shop.example.com', `${reject}; psd=n`),
  },
  {
    title: 'a failure above does not matter to a name with a record',
    zone: { ...at('shop.example.com', reject), '_dmarc.example.com': { fails: 'servfail' } },
    name: 'shop.example.com',
    ...found('shop.example.com'),
  },
]

/** The whole record at example.com. */
const tags: readonly (readonly [
  record: string,
  status: Row['status'],
  effective: Row['effective'],
  codes: readonly string[],
])[] = [
  ['v=DMARC1; p=quarantine; rua=mailto:d@example.com', 'valid', 'quarantine', []],
  ['v=DMARC1;p=REJECT;rua=mailto:d@example.com;', 'valid', 'reject', []],
  ['V = DMARC1 ; p = reject ; rua = mailto:d@example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=none; rua=mailto:d@example.com', 'valid', 'none', ['dmarc_policy_none']],
  ['v=DMARC1; p=reject', 'valid', 'reject', ['dmarc_without_reports']],
  ['v=DMARC1; rua=mailto:d@example.com', 'valid', 'none', ['dmarc_invalid_policy', 'dmarc_policy_none']],
  ['v=DMARC1; p=deny; rua=mailto:d@example.com', 'valid', 'none', ['dmarc_invalid_policy', 'dmarc_policy_none']],
  [
    'v=DMARC1; p=reject; sp=deny; rua=mailto:d@example.com',
    'valid',
    'none',
    ['dmarc_invalid_policy', 'dmarc_policy_none'],
  ],
  ['v=DMARC1', 'invalid', null, ['dmarc_without_policy', 'dmarc_without_reports']],
  ['v=DMARC1; p=deny', 'invalid', null, ['dmarc_without_policy', 'dmarc_without_reports']],
  ['v=DMARC1; p=reject; t=y; rua=mailto:d@example.com', 'valid', 'quarantine', ['dmarc_testing']],
  ['v=DMARC1; p=quarantine; t=y; rua=mailto:d@example.com', 'valid', 'none', ['dmarc_policy_none', 'dmarc_testing']],
  ['v=DMARC1; p=reject; np=none; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_subdomains_unprotected']],
  ['v=DMARC1; p=reject; pct=50; rf=afrf; ri=3600; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_obsolete_tag']],
  ['v=DMARC1; p=reject; adkim=x; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  ['v=DMARC1; p=reject; fo=1:d:s; ruf=mailto:d@example.com; rua=mailto:d@example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; fo=0:1; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  ['v=DMARC1; p=reject; fo=D : s; rua=mailto:d@example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; fo=0:d; rua=mailto:d@example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; fo=1:x; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  ['v=DMARC1; p=reject; fo=d:d; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  ['v=DMARC1; p=reject; x=1; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  [
    'v=DMARC1; p=reject; np=deny; rua=mailto:d@example.com',
    'valid',
    'none',
    ['dmarc_invalid_policy', 'dmarc_policy_none'],
  ],
  ['v=DMARC1; p=deny; rua=nobody', 'invalid', null, ['dmarc_without_policy', 'dmarc_invalid_report_address']],
  ['v=DMARC1; p=deny; ruf=mailto:d@example.com', 'invalid', null, ['dmarc_without_policy', 'dmarc_without_reports']],
  ['v=DMARC1; p=reject; sp=none; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_subdomains_unprotected']],
  ['v=DMARC1; p=reject; ruf=mailto:d@example.com', 'valid', 'reject', ['dmarc_without_reports']],
  ['v=DMARC1; p=reject; p=none; rua=mailto:d@example.com', 'invalid', null, ['dmarc_invalid_record']],
  ['v=DMARC1; p=reject; P=none; rua=mailto:d@example.com', 'invalid', null, ['dmarc_invalid_record']],
  ['v=DMARC1; P=Reject; RUA=mailto:d@example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; hello; x=1; rua=mailto:d@example.com', 'valid', 'reject', ['dmarc_invalid_tag']],
  ['v=DMARC1; p=reject; rua=d@example.com', 'valid', 'reject', ['dmarc_invalid_report_address']],
  ['v=DMARC1; p=reject; rua=mailto: d@example.com', 'valid', 'reject', ['dmarc_invalid_report_address']],
  [
    'v=DMARC1; p=reject; rua=mailto:d@example.com mailto:e@example.com',
    'valid',
    'reject',
    ['dmarc_invalid_report_address'],
  ],
  ['v=DMARC1; p=reject; rua=mailto:nobody', 'valid', 'reject', ['dmarc_invalid_report_address']],
  ['v=DMARC1; p=reject; rua=mailto:d@example.com!10m, https://r.example/', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; rua=mailto:d@mail.example.com', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; rua=mailto:d@agrees.example', 'valid', 'reject', []],
  ['v=DMARC1; p=reject; rua=mailto:d@refuses.example', 'valid', 'reject', ['dmarc_unauthorized_report_address']],
  ['v=DMARC1; p=reject; rua=mailto:d@silent.example', 'valid', 'reject', []],
  ['v=dmarc1; p=reject', 'invalid', null, ['dmarc_lookalike']],
  ['v=DMARC1 p=reject', 'invalid', null, ['dmarc_lookalike']],
  [' v=DMARC1; p=reject', 'invalid', null, ['dmarc_lookalike']],
  ['v=DMARC2; p=reject', 'invalid', null, ['dmarc_lookalike']],
  ['p=reject; v=DMARC1', 'invalid', null, ['dmarc_lookalike']],
]
const agreements: Zone = {
  'example.com._report._dmarc.agrees.example': { TXT: ['v=DMARC1;'] },
  'example.com._report._dmarc.silent.example': { fails: 'timeout' },
}

const dmarcCodes = (codes: readonly string[]) => [...new Set(codes.filter(code => code.includes('dmarc')))]
const isValid = { valid: true, invalid: false, missing: false, unknown: null }

describe('the DMARC record that applies', () => {
  for (const {
    title,
    zone,
    name = 'example.com',
    status,
    record = null,
    found_at = null,
    effective = null,
    codes = [],
    published = found_at === name || found_at === null ? status : 'missing',
  } of applied) {
    test(title, async () => {
      const checked = await check(name, {
        ...around,

        'a.shop.example.com': mail,
        ...zone,
      })
      const { dmarc, dmarc_record, valid_config } = checked.section
      deepEqual(
        {
          status: dmarc.status,
          published: dmarc.published,
          dmarc_record,
          found_at: dmarc.found_at,
          effective: dmarc.effective_policy,
          valid_config,
        },
        {
          status,
          published,
          dmarc_record: record,
          found_at,
          effective,
          valid_config: published === 'invalid' ? false : isValid[status],
        },
      )
      deepEqual(dmarcCodes(checked.codes), codes)
    })
  }
})

describe('what is said of DMARC', () => {
  const RUA = 'rua=mailto:d@example.com'
  const said: readonly (readonly [records: readonly string[], code: string, message: string])[] = [
    [[], 'missing_dmarc_record', 'Neither example.com nor a name above it publishes a DMARC policy.'],
    [[reject, reject], 'multiple_dmarc_records', 'example.com has 2 DMARC records, so receivers ignore all of them.'],
    [['v=DMARC; p=none'], 'dmarc_lookalike', 'Receivers do not read "v=DMARC; p=none" as a DMARC record.'],
    [
      ['v=DMARC1; p=reject; rua=nobody'],
      'dmarc_invalid_report_address',
      '"nobody" is not a valid address for DMARC reports.',
    ],
    [
      ['v=DMARC1; p=reject; rua=mailto:d@refuses.example'],
      'dmarc_unauthorized_report_address',
      'refuses.example does not accept DMARC reports for this domain, so "mailto:d@refuses.example" receives no reports.',
    ],
    [['v=DMARC1; p=reject'], 'dmarc_without_reports', 'The DMARC record does not request aggregate reports.'],
    [
      ['v=DMARC1'],
      'dmarc_without_policy',
      'The DMARC record has no valid policy and requests no reports, so receivers ignore it.',
    ],
    [
      [`v=DMARC1; p=deny; ${RUA}`],
      'dmarc_invalid_policy',
      'The DMARC policy is missing or invalid, so receivers treat it as `none`.',
    ],
    [
      [`v=DMARC1; p=reject; t=y; ${RUA}`],
      'dmarc_testing',
      'The DMARC policy is in test mode, so receivers apply the next weaker policy.',
    ],
    [
      [`v=DMARC1; p=none; ${RUA}`],
      'dmarc_policy_none',
      'Mail that forges example.com is still delivered: the DMARC policy does not stop it.',
    ],
    [
      [`v=DMARC1; p=reject; np=none; ${RUA}`],
      'dmarc_subdomains_unprotected',
      'The DMARC policy protects the domain itself but not all of its subdomains.',
    ],
    [[`v=DMARC1; p=reject; pct=50; ${RUA}`], 'dmarc_obsolete_tag', 'The DMARC tag "pct=50" is obsolete (RFC 9989).'],
    [[`v=DMARC1; p=reject; x=1; ${RUA}`], 'dmarc_invalid_tag', 'The DMARC tag "x=1" is unknown and has no effect.'],
    [[`v=DMARC1; p=reject; adkim=x; ${RUA}`], 'dmarc_invalid_tag', 'The DMARC tag "adkim=x" has an invalid value.'],
  ]
  for (const [records, code, message] of said)
    test(`${code}: ${message}`, async () => {
      const { section } = await check('example.com', { ...around, ...agreements, ...at('example.com', ...records) })
      deepEqual(
        section.issues?.filter(issue => issue.code === code).map(({ message }) => message),
        [message],
      )
    })
})

describe('the tags of a DMARC record', () => {
  for (const [record, status, effective, codes] of tags) {
    test(`"${record}" is ${status}${effective ? `, ${effective}` : ''}`, async () => {
      const checked = await check('example.com', { ...around, ...agreements, ...at('example.com', record) })
      const { dmarc, valid_config } = checked.section
      deepEqual([dmarc.status, dmarc.effective_policy, valid_config], [status, effective, isValid[status]])
      deepEqual(dmarcCodes(checked.codes), codes)
    })
  }

  test('defaults are applied', async () => {
    const { section } = await check('example.com', {
      ...around,
      ...at(
        'example.com',
        'v=DMARC1; p=reject; sp=quarantine; aspf=s; rua=mailto:a@example.com,mailto:b@example.com; ruf=mailto:f@example.com',
      ),
    })
    deepEqual(section.dmarc, {
      status: 'valid',
      published: 'valid',
      found_at: 'example.com',
      policy: 'reject',
      subdomain_policy: 'quarantine',
      nonexistent_policy: 'quarantine',
      effective_policy: 'reject',
      testing: false,
      dkim_alignment: 'relaxed',
      spf_alignment: 'strict',
      aggregate_reports: ['mailto:a@example.com', 'mailto:b@example.com'],
      failure_reports: ['mailto:f@example.com'],
    })
  })

  test('4 KiB of report addresses are truncated', async () => {
    const rua = Array.from({ length: 200 }, (_, n) => `mailto:d@host${n}.example`).join(',')
    const { section } = await check('example.com', {
      ...around,
      ...at('example.com', `v=DMARC1; p=reject; rua=${rua}`),
    })
    deepEqual(
      [section.dmarc.status, section.dmarc.aggregate_reports?.length, section.dmarc_record?.length],
      ['valid', 10, 4096],
    )
  })
})
