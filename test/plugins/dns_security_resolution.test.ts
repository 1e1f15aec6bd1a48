// Whether the name leads anywhere: it may not exist, not resolve, or point where nobody may connect.
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Evidence } from '../../src/engine/plugin.ts'
import type { DnsFailure } from '../../src/network/resolver.ts'
import type { Zone } from '../evidence/mail_zone.ts'
import { zoneOf } from '../evidence_of.ts'
import { check, find, healthy } from './dns_security_checked.ts'

const resolved = (
  ...answers: readonly (readonly [address: string, refused: string | null])[]
): Evidence['addresses'] => {
  const listed = answers.map(([address, refused]) => ({ address, family: 4 as const, refused }))
  const dialable = listed.filter(({ refused }) => refused === null)
  return { status: 'found', answers: listed, dialable, cnames: [], ttl: 60, authenticated: false }
}
const absent = (status: 'no_data' | 'not_found'): Evidence['addresses'] => ({ ...resolved(), status })
const failing = (fails: DnsFailure, name = 'example.com'): Zone => ({
  [name]: { fails },
  [`_dmarc.${name}`]: { fails },
})
const bogus = zoneOf({ dnssec: 'bogus' })
const signalsOf = (finding: Awaited<ReturnType<typeof find>>) => (finding.signals ?? []).map(({ id }) => id)

describe('a name that does not resolve', () => {
  test('does not exist when its addresses say so', async () => {
    const finding = await find('example.com', {}, { addresses: absent('not_found') })
    deepEqual(finding, {
      notApplicable: 'domain_not_found',
      signals: [{ id: 'domain_not_found', detail: 'example.com does not exist in DNS.' }],
    })
  })

  test('does not exist when its addresses say so and its mail was not asked', async () => {
    const finding = await find('example.com', {}, { addresses: absent('not_found'), mail_records: null })
    deepEqual(finding, {
      notApplicable: 'domain_not_found',
      signals: [{ id: 'domain_not_found', detail: 'example.com does not exist in DNS.' }],
    })
  })

  test('is unavailable when its mail was not asked, but its addresses and signatures are judged', async () => {
    const secret = resolved(['10.0.0.1', 'private_use'])
    const finding = await find('example.com', {}, { addresses: secret, mail_records: null, dns: bogus })
    deepEqual(
      ['unavailable' in finding && finding.unavailable, signalsOf(finding)],
      ['timeout', ['resolves_to_private_address', 'dnssec_bogus']],
    )
    const unseen = await find('example.com', {}, { addresses: null, mail_records: null, dns: null })
    deepEqual(unseen, { unavailable: 'timeout', signals: [] })
  })

  test('exists if it has mail records, even if its servers deny other queries', async () => {
    const { section, signals } = await check('example.com', healthy, { addresses: absent('not_found') })
    deepEqual([section.has_mx, signals], [true, []])
  })

  test('does not exist at the end of its aliases', async () => {
    const dangling = { ...absent('not_found'), cnames: ['shop.example.net', 'gone.example.org'] }
    const finding = await find('example.com', {}, { addresses: dangling })
    const detail = 'example.com is a CNAME of gone.example.org, which does not exist in DNS.'
    deepEqual(finding.signals, [{ id: 'domain_not_found', detail }])
  })

  test('does not exist when MX and TXT say so and addresses are unknown', async () => {
    const finding = await find('example.com', {}, { addresses: null })
    deepEqual(
      ['notApplicable' in finding && finding.notApplicable, signalsOf(finding)],
      ['domain_not_found', ['domain_not_found']],
    )
  })

  const rows: readonly (readonly [DnsFailure, string[]])[] = [
    ['servfail', ['dns_servfail']],
    ['cname_loop', ['dns_alias_loop']],
    ['cname_too_long', ['dns_alias_loop']],
    ['timeout', ['dns_unanswered']],
    ['refused', ['dns_unanswered']],
    ['malformed', ['dns_unanswered']],
    ['too_many_queries', ['dns_alias_loop']],
  ]
  for (const [reason, signals] of rows) {
    test(`is unavailable with the reason ${reason}`, async () => {
      const finding = await find('example.com', failing(reason), { addresses: null, dns: null })
      deepEqual(['unavailable' in finding && finding.unavailable, signalsOf(finding)], [reason, signals])
    })
  }

  const beside: readonly (readonly [string, Zone, Evidence['addresses'], string[]])[] = [
    ['does not exist', {}, absent('not_found'), ['domain_not_found', 'ip_not_in_dns_answers']],
    ['says nothing of mail', failing('timeout'), resolved(['192.0.2.80', null]), ['ip_not_in_dns_answers']],
    ['says only where it is', failing('timeout'), resolved(['192.0.2.81', null]), []],
  ]
  for (const [title, zone, addresses, signals] of beside) {
    test(`is compared with the given address when it ${title}`, async () => {
      deepEqual(signalsOf(await find('example.com', zone, { addresses, ip: '192.0.2.81' })), signals)
    })
  }

  test('is not reported as failing when its addresses are known', async () => {
    const finding = await find('example.com', failing('servfail'))
    deepEqual(['unavailable' in finding && finding.unavailable, signalsOf(finding)], ['servfail', []])
  })

  test('is bogus when the resolver says so', async () => {
    const finding = await find('example.com', failing('servfail'), { addresses: null, dns: bogus })
    deepEqual(signalsOf(finding), ['dns_servfail', 'dnssec_bogus'])
  })

  test('has a section when only its DMARC record could be read', async () => {
    const zone = { ...failing('servfail'), '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] } }
    const { section, unknown } = await check('example.com', zone)
    const { has_mx, spf_record, dmarc_record, valid_config } = section
    deepEqual(
      [has_mx, spf_record, dmarc_record, valid_config, unknown],
      [null, null, 'v=DMARC1; p=reject', null, 'servfail'],
    )
  })
})

describe('the addresses of a name', () => {
  const secret = ['10.0.0.1', 'private_use'] as const
  const open = ['192.0.2.80', null] as const
  const many = resolved(...Array.from({ length: 16 }, (_, index) => [`192.0.2.${index}`, null] as const))
  const rows: readonly (readonly [
    string,
    Evidence['addresses'] | null,
    string | undefined,
    (readonly [string, number])[],
  ])[] = [
    ['all private', resolved(secret), undefined, [['resolves_to_private_address', 1]]],
    ['some private', resolved(open, secret), undefined, [['resolves_to_private_address', 0.5]]],
    ['all public', resolved(open), undefined, []],
    ['that of this installation itself', resolved(['192.0.2.80', 'own_address']), undefined, []],
    ['unknown', null, undefined, []],
    ['the given one among them', resolved(open), '192.0.2.80', []],
    ['the given one not among them', resolved(open), '192.0.2.81', [['ip_not_in_dns_answers', 1]]],
    [
      'of one family only, and one of that given',
      { ...resolved(open), unanswered: 6 },
      '192.0.2.81',
      [['ip_not_in_dns_answers', 1]],
    ],
    ['of one family only, and one of the other given', { ...resolved(open), unanswered: 6 }, '2001:db8::1', []],
    ['none, and one given', absent('no_data'), '192.0.2.81', [['ip_not_in_dns_answers', 1]]],
    ['more than are kept, and one given', many, '192.0.2.81', []],
    ['unknown, and one given', null, '192.0.2.81', []],
  ]
  for (const [title, addresses, ip, expected] of rows) {
    test(`${title}: ${expected[0]?.[0] ?? 'no signal'}`, async () => {
      const finding = await find('example.com', healthy, { addresses, ...(ip === undefined ? {} : { ip }) })
      deepEqual(
        (finding.signals ?? []).map(({ id, strength }) => [id, strength]),
        expected,
      )
    })
  }
})
