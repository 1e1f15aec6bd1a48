// What may be asked of a name, and its zone.
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faults } from '../../plugins/dns_security/faults.ts'
import plugin from '../../plugins/dns_security/index.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import type { Zone } from '../evidence/mail_zone.ts'
import { zoneOf } from '../evidence_of.ts'
import { check, find, healthy } from './dns_security_checked.ts'

const withDnssec = (dnssec: Evidence['dns']['dnssec']): Evidence['dns'] => {
  const ns = { status: 'found', records: ['ns1.example.com'], ttl: 60, authenticated: false, cnames: [] } as const
  return zoneOf({ ns, zone: 'example.com', dnssec })
}

describe('the records that a name needs', () => {
  const bare = { 'example.com': { A: ['192.0.2.80'] }, 'www.example.com': { A: ['192.0.2.80'] } }
  const rows: readonly (readonly [string, string, Zone, boolean | null, readonly string[]])[] = [
    [
      'a registrable domain lacks everything',
      'example.com',
      bare,
      false,
      ['missing_mx_records', 'missing_spf_record', 'missing_dmarc_record'],
    ],
    ['a bystander lacks nothing', 'www.example.com', bare, false, []],
    [
      'a bystander under a perfect domain is covered by its DMARC policy',
      'www.example.com',
      { ...bare, ...healthy },
      true,
      [],
    ],
    [
      'a name below with MX needs SPF',
      'www.example.com',
      { ...healthy, 'www.example.com': { MX: [{ preference: 0, exchange: 'mx.example.com' }] } },
      false,
      ['missing_spf_record'],
    ],
    [
      'a name below with SPF needs MX',
      'www.example.com',
      { ...healthy, 'www.example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } },
      true,
      ['missing_mx_records'],
    ],
    [
      'a name below that is broken is broken',
      'www.example.com',
      { ...healthy, 'www.example.com': { TXT: ['v=spf1 moo'] } },
      false,
      ['missing_mx_records', 'invalid_spf_record'],
    ],
    ['a name that has no mail needs no DMARC', 'example.com', { 'example.com': { TXT: ['v=spf1 -all'] } }, true, []],
    [
      'a name that may send needs DMARC',
      'example.com',
      { 'example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } },
      false,
      ['missing_mx_records', 'missing_dmarc_record'],
    ],
  ]
  for (const [title, name, zone, valid, signals] of rows) {
    test(title, async () => {
      const checked = await check(name, zone)
      deepEqual([checked.section.valid_config, checked.signals], [valid, signals])
    })
  }

  test('records that a bystander lacks are informational', async () => {
    const { section } = await check('www.example.com', bare)
    deepEqual(
      section.issues?.map(({ code, severity }) => [code, severity]),
      [
        ['missing_spf_record', 'info'],
        ['missing_dmarc_record', 'info'],
      ],
    )
  })
})

describe('the zone of a name', () => {
  test('is judged by its own evidence', async () => {
    const { section, codes, signals, unknown } = await check('example.com', healthy, { dns: withDnssec('unsigned') })
    const { dnssec, zone, name_servers, caa } = section
    deepEqual(
      [dnssec, zone, name_servers, caa],
      ['unsigned', 'example.com', ['ns1.example.com'], { found_at: null, records: [] }],
    )
    deepEqual(codes, ['single_name_server', 'dnssec_unsigned', 'missing_caa_records'])
    deepEqual([signals, unknown], [[], null])
  })

  test('is unknown without its evidence', async () => {
    const { section, unknown } = await check('example.com', healthy, { dns: null })
    const { dnssec, zone, name_servers, caa } = section
    deepEqual([dnssec, zone, name_servers, caa, unknown], ['unknown', null, null, null, 'dns_unavailable'])
  })

  const tags: readonly (readonly [tag: string, restricts: boolean])[] = [
    ['issue', true],
    ['IssueWild', true],
    ['iodef', false],
    ['contactemail', false],
  ]
  for (const [tag, restricts] of tags) {
    test(`says ${restricts ? '' : 'not '}by a CAA record of ${tag} who may issue`, async () => {
      const records = [{ critical: false, tag, value: 'mailto:a@example.com' }]
      const caa = { status: 'found', records, ttl: 1, authenticated: false, cnames: [] } as const
      const { codes } = await check('example.com', healthy, {
        dns: { ...withDnssec('signed'), caa, caa_at: 'example.com' },
      })
      deepEqual(codes.includes('missing_caa_records'), !restricts)
    })
  }

  test('has its CAA texts made printable', async () => {
    const value = `ca.example${String.fromCharCode(0, 27)}\u202e`
    const caa = {
      status: 'found',
      records: [{ critical: true, tag: 'issue', value }],
      ttl: 1,
      authenticated: false,
      cnames: [],
    } as const
    const { section } = await check('example.com', healthy, {
      dns: { ...withDnssec('signed'), caa, caa_at: 'example.com' },
    })
    deepEqual(section.caa, {
      found_at: 'example.com',
      records: [{ critical: true, tag: 'issue', value: 'ca.example' }],
    })
  })
})

test('one signal covers all faults that raise it, most serious first', async () => {
  const finding = await find('example.com', {
    ...healthy,
    'example.com': { ...healthy['example.com'], TXT: ['v=spf1 moo mu -all'] },
  })
  deepEqual(finding.signals, [
    {
      id: 'invalid_spf_record',
      strength: 1,
      detail: 'In the SPF record of example.com, "moo" is not a mechanism.',
      evidence: { issues: ['spf_syntax_error'], name: 'example.com', term: 'moo' },
    },
  ])
})

test('every fault raises a signal that exists, and every signal has a cause', () => {
  const raised = new Set<string>(Object.values(faults).flatMap(fault => ('signal' in fault ? [fault.signal] : [])))
  const ofTheName = ['domain_not_found', 'dns_servfail', 'dns_unanswered', 'dns_alias_loop']
  deepEqual([...raised, ...ofTheName].sort(), Object.keys(plugin.signals).sort())
})
