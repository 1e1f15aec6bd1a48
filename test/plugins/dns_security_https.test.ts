// HTTPS records (RFC 9460): what browsers learn, and where they lead them.
import { deepEqual, equal } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blameOf, type Evidence } from '../../src/engine/plugin.ts'
import { addresses, check, dns, healthy } from './dns_security_checked.ts'

type Answer = NonNullable<Evidence['dns']['https']>
type Binding = Extract<Answer, { status: 'found' }>['records'][number]

const binding = (changes: Partial<Binding> = {}): Binding => ({
  priority: 1,
  target: '',
  alpn: ['h2', 'h3'],
  no_default_alpn: false,
  port: null,
  ech: false,
  mandatory: [],
  ipv4_hints: [],
  ipv6_hints: [],
  ...changes,
})
const answer = (...records: readonly Binding[]): Answer => ({
  status: 'found',
  records,
  ttl: 300,
  authenticated: false,
  cnames: [],
})
const checked = (https: Answer | undefined, world: object = {}) =>
  check('example.com', healthy, { dns: { ...dns, ...(https && { https }) }, ...world })

describe('an HTTPS record', () => {
  const mixed = binding({ priority: 0, target: 'cdn.example', alpn: [] })
  const rows: readonly (readonly [what: string, records: readonly Binding[], codes: readonly string[]])[] = [
    ['with protocols', [binding()], []],
    ['with Encrypted Client Hello', [binding({ ech: true })], []],
    ['with nothing', [binding({ alpn: [] })], []],
    ['with the address of the name', [binding({ ipv4_hints: ['192.0.2.80'] })], []],
    ['with an address of a family that the name does not have', [binding({ ipv6_hints: ['2001:db8::1'] })], []],
    ['with another address', [binding({ ipv4_hints: ['192.0.2.80', '192.0.2.99'] })], ['https_record_other_addresses']],
    ['with the port of HTTPS', [binding({ port: 443 })], []],
    ['with another port', [binding({ port: 8443 })], ['https_record_leads_elsewhere']],
    ['with another host', [binding({ target: 'cdn.example' })], ['https_record_leads_elsewhere']],
    [
      'with another host and its address',
      [binding({ target: 'cdn.example', ipv4_hints: ['198.51.100.1'] })],
      ['https_record_leads_elsewhere'],
    ],
    ['that is an alias', [mixed], ['https_record_leads_elsewhere']],
    ['that says that there is no service', [binding({ priority: 0, alpn: [] })], []],
    ['that is an alias beside another', [mixed, binding()], ['https_record_mixed', 'https_record_leads_elsewhere']],
    ['with a mandatory parameter that browsers know', [binding({ mandatory: [1], port: 443 })], []],
    ['with a mandatory parameter that nobody knows', [binding({ mandatory: [65_280] })], ['https_record_unusable']],
    ['that demands the list of demands', [binding({ mandatory: [0] })], ['https_record_unusable']],
    ['without any protocol', [binding({ alpn: [], no_default_alpn: true })], ['https_record_unusable']],
  ]
  for (const [what, records, codes] of rows)
    it(`${what} has ${codes.join(' and ') || 'no issue'}`, async () =>
      deepEqual((await checked(answer(...records))).codes, codes))

  it('is described, the preferred one first', async () => {
    const { section } = await checked(
      answer(
        binding({ priority: 2, target: 'b.example', port: 8443 }),
        binding({ ech: true, ipv4_hints: ['192.0.2.80'], ipv6_hints: ['2001:db8::80'] }),
      ),
    )
    deepEqual(section.https_records, [
      {
        priority: 1,
        target: null,
        protocols: ['h2', 'h3'],
        port: null,
        ech: true,
        addresses: ['192.0.2.80', '2001:db8::80'],
      },
      { priority: 2, target: 'b.example', protocols: ['h2', 'h3'], port: 8443, ech: false, addresses: [] },
    ])
  })

  it('differs from nothing where the addresses of the name are unknown', async () => {
    const https = answer(binding({ ipv4_hints: ['192.0.2.99'] }))
    deepEqual((await checked(https, { addresses: null })).section.issues, null)
    const none = { ...addresses, status: 'no_data', answers: [] } as unknown as Evidence['addresses']
    deepEqual((await checked(https, { addresses: none })).codes.includes('https_record_other_addresses'), false)
  })

  it('is unknown without an answer, with a reason that leaves the section complete', async () => {
    const silent = await checked({ status: 'unknown', reason: 'timeout' })
    deepEqual([silent.section.https_records, silent.unknown], [null, 'https_records_not_answered'])
    equal(blameOf('https_records_not_answered'), 'nobody')
    const older = await checked(undefined)
    deepEqual([older.section.https_records, older.unknown], [null, null])
    const none = await checked({ status: 'no_data', authenticated: false, cnames: [] })
    deepEqual([none.section.https_records, none.unknown], [[], null])
  })
})
