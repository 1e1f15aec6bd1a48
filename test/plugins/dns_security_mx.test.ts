// MX records and where they lead (RFC 5321 section 5.1, RFC 7505).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Zone } from '../evidence/mail_zone.ts'
import { check, healthy } from './dns_security_checked.ts'

const mx = (...exchanges: readonly string[]) =>
  exchanges.map((exchange, index) => ({ preference: index * 10, exchange }))
const withMx = (...exchanges: readonly string[]): Zone => ({
  ...healthy,
  'example.com': { MX: mx(...exchanges), TXT: ['v=spf1 ip4:192.0.2.25 -all'] },
  '_mta-sts.example.com': {},
})

test('a healthy domain has no issue and no signal', async () => {
  const { section, codes, signals, unknown } = await check('example.com', healthy)
  deepEqual([section.has_mx, section.valid_config, codes, signals, unknown], [true, true, [], [], null])
  deepEqual(section.mx, {
    status: 'found',
    total: 1,
    hosts: [{ preference: 0, exchange: 'mx.example.com', addresses: ['192.0.2.25', '2001:db8::25'] }],
  })
  deepEqual(section.mta_sts, {
    status: 'valid',
    id: '20260101',
    mode: 'enforce',
    effective_mode: 'enforce',
    max_age: 604_800,
    mx: ['mx.example.com', '*.mail.example.com'],
  })
  deepEqual(section.tls_rpt, { status: 'valid', reports: ['mailto:t@example.com'] })
})

interface MxRow {
  readonly title: string
  readonly zone: Zone
  readonly has_mx: boolean | null
  readonly valid: boolean | null
  readonly codes?: readonly string[]
  readonly signals?: readonly string[]
  readonly unknown?: string
}

const host = (records: Zone[string]): Zone => ({ ...withMx('mx.example.com'), 'mx.example.com': records })
const faulty = (title: string, zone: Zone, valid: boolean | null, ...codes: readonly string[]): MxRow => ({
  title,
  zone,
  has_mx: true,
  valid,
  codes,
  signals: ['invalid_mx_records'],
})
const mxRows: readonly MxRow[] = [
  { title: 'a null MX is no mail server', zone: withMx(''), has_mx: false, valid: true },
  faulty('a null MX beside others is an error', withMx('', 'mx.example.com'), false, 'null_mx_beside_others'),
  faulty('an MX to an IPv4 address is an error', withMx('127.0.0.1'), false, 'mx_is_address'),
  faulty(
    'an MX to an alias is a warning',
    { ...host({ CNAME: ['real.example.com'] }), 'real.example.com': { A: ['192.0.2.25'] } },
    true,
    'mx_is_alias',
  ),
  faulty('an MX that does not exist is an error', withMx('nx.example.com'), false, 'mx_without_address'),
  faulty('an MX without an address is an error', host({ TXT: ['x'] }), false, 'mx_without_address'),
  faulty('an MX at a private address is an error', host({ A: ['10.0.0.1'] }), false, 'mx_not_public'),
  {
    title: 'an MX at a private address may have others in a family that times out',
    zone: host({ A: ['10.0.0.1'], fails: { AAAA: 'timeout' } }),
    has_mx: true,
    valid: null,
    unknown: 'timeout',
  },
  faulty(
    'one MX that leads somewhere suffices',
    withMx('nx.example.com', 'mx.example.com'),
    true,
    'mx_without_address',
  ),
  {
    title: 'an MX whose address times out is not a fault, nor known to lead anywhere',
    zone: host({ fails: 'timeout' }),
    has_mx: true,
    valid: null,
    unknown: 'timeout',
  },
  {
    title: 'an MX whose address times out does not matter beside one that leads somewhere',
    zone: { ...withMx('late.example.com', 'mx.example.com'), 'late.example.com': { fails: 'timeout' } },
    has_mx: true,
    valid: true,
    unknown: 'timeout',
  },
  faulty(
    'five MX that do not exist say nothing of a sixth, which is not looked up',
    withMx('1.example.com', '2.example.com', '3.example.com', '4.example.com', '5.example.com', 'mx.example.com'),
    null,
    ...Array(5).fill('mx_without_address'),
  ),
  {
    title: 'no MX costs a little and names where mail goes',
    zone: {
      ...healthy,
      'example.com': { TXT: ['v=spf1 ip4:192.0.2.25 -all'] },
      '_mta-sts.example.com': {},
      '_smtp._tls.example.com': {},
    },
    has_mx: false,
    valid: true,
    codes: ['missing_mx_records', 'implicit_mx'],
    signals: ['missing_mx_records'],
  },
  {
    title: 'an MX question that fails is not a missing MX',
    zone: { ...withMx(), 'example.com': { fails: { MX: 'servfail' }, TXT: ['v=spf1 ip4:192.0.2.25 -all'] } },
    has_mx: null,
    valid: null,
    unknown: 'servfail',
  },
]

describe('MX', () => {
  for (const { title, zone, has_mx, valid, codes = [], signals = [], unknown = null } of mxRows) {
    test(title, async () => {
      const checked = await check('example.com', zone)
      const { section } = checked
      deepEqual([section.has_mx, section.valid_config, checked.unknown], [has_mx, valid, unknown])
      deepEqual(
        checked.codes.filter(code => code !== 'missing_mta_sts'),
        codes,
      )
      deepEqual(checked.signals, signals)
    })
  }

  test('of two hundred MX records, fifty are listed and all are counted', async () => {
    const { section } = await check(
      'example.com',
      withMx(...Array.from({ length: 200 }, (_, index) => `mx${index}.example.com`)),
    )
    deepEqual(
      [section.mx.total, section.mx.hosts?.length, section.mx.hosts?.[49]?.exchange],
      [200, 50, 'mx49.example.com'],
    )
  })
})
