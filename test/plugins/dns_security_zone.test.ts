// CAA properties and DNSSEC algorithms.
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Evidence } from '../../src/engine/plugin.ts'
import { addresses, check, dns, healthy } from './dns_security_checked.ts'

type Caa = readonly [critical: boolean, tag: string, value: string]
const found = { status: 'found', ttl: 300, authenticated: true, cnames: [] } as const

const withCaa = (...records: readonly Caa[]): Evidence['dns'] => ({
  ...dns,
  caa: { ...found, records: records.map(([critical, tag, value]) => ({ critical, tag, value })) },
})
const issue: Caa = [false, 'issue', 'ca.example']

describe('CAA', () => {
  const rows: readonly (readonly [Caa, readonly string[]])[] = [
    [[true, 'issue', 'ca.example; validationmethods=dns-01; account=1'], []],
    [[false, 'IssueWild', ';'], []],
    [[false, 'issue', ''], []],
    [[false, 'issue', ' ca.example ; '], []],
    [[false, 'iodef', 'mailto:a@ca.example'], []],
    [[false, 'future', 'x'], []],
    [[true, 'issuemail', 'ca.example'], []],
    [[true, 'future', 'x'], ['caa_unknown_critical']],
    [[false, 'issue', 'https://ca.example/'], ['caa_malformed_value']],
    [[false, 'issue', 'ca.example ca2.example'], ['caa_malformed_value']],
    [[false, 'issuewild', 'ca.example; %%%'], ['caa_malformed_value']],
    [[false, 'iodef', 'a@ca.example'], ['caa_malformed_value']],
  ]
  for (const [record, codes] of rows)
    test(`${JSON.stringify(record)} raises ${codes.join() || 'nothing'}`, async () =>
      deepEqual((await check('example.com', healthy, { dns: withCaa(issue, record) })).codes, codes))
})

describe('DNSSEC', () => {
  type Sets = readonly (readonly [name: string, type: 'A' | 'AAAA' | 'MX'])[]
  const bogus: readonly (readonly [title: string, sets: Sets, which: string])[] = [
    ['no record set, as in older recordings', [], 'the zone'],
    ['one', [['example.com', 'A']], 'A of example.com'],
    [
      'two of a name',
      [
        ['example.com', 'A'],
        ['example.com', 'MX'],
      ],
      'A and MX of example.com',
    ],
    [
      'those of two names',
      [
        ['www.example.com', 'AAAA'],
        ['example.com', 'MX'],
      ],
      'AAAA of www.example.com, MX of example.com',
    ],
  ]
  for (const [title, sets, which] of bogus)
    test(`says where validation fails: ${title}`, async () => {
      const zone: Evidence['dns'] = { ...dns, dnssec: 'bogus', bogus: sets.map(([name, type]) => ({ name, type })) }
      const { section } = await check('example.com', healthy, { dns: zone })
      deepEqual(
        section.issues?.filter(({ code }) => code.startsWith('dnssec')).map(({ message }) => message),
        [`DNSSEC validation fails for ${which}: the signatures are invalid, expired or missing.`],
      )
    })

  const aliases: readonly (readonly [
    title: string,
    dnssec: Evidence['dns']['dnssec'],
    seen: Partial<Evidence['addresses']>,
    codes: readonly string[],
  ])[] = [
    ['an alias with a validated address', 'signed', { cnames: ['cdn.example.net'], authenticated: true }, []],
    ['an alias into an unsigned zone', 'signed', { cnames: ['cdn.example.net'] }, ['dnssec_unsigned_address']],
    ['no alias', 'signed', {}, []],
    ['an alias without an address', 'signed', { cnames: ['cdn.example.net'], status: 'no_data' }, []],
    ['an alias in an unsigned zone', 'unsigned', { cnames: ['cdn.example.net'] }, ['dnssec_unsigned']],
    ['an alias where the resolver does not validate', 'unknown', { cnames: ['cdn.example.net'] }, []],
    ['an alias in a bogus zone', 'bogus', { cnames: ['cdn.example.net'] }, ['dnssec_bogus']],
  ]
  for (const [title, dnssec, seen, expected] of aliases)
    test(`raises ${expected.join() || 'nothing'} for ${title}`, async () => {
      const world = { dns: { ...dns, dnssec }, addresses: { ...addresses, authenticated: false, ...seen } }
      const { codes } = await check('example.com', healthy, world)
      deepEqual(
        codes.filter(code => code.startsWith('dnssec')),
        expected,
      )
    })
})

describe('DNSSEC algorithms', () => {
  const rows: readonly (readonly [readonly number[], readonly string[], readonly string[]])[] = [
    [[13], ['ECDSAP256SHA256'], []],
    [[8, 8], ['RSASHA256'], []],
    [[5], ['RSASHA1'], ['dnssec_weak_algorithm']],
    [[5, 13], ['RSASHA1', 'ECDSAP256SHA256'], []],
    [[99], ['algorithm 99'], []],
  ]
  for (const [numbers, names, codes] of rows)
    test(`${numbers} are ${names}`, async () => {
      const records = numbers.map((algorithm, key_tag) => ({ key_tag, algorithm, digest_type: 2 }))
      const checked = await check('example.com', healthy, { dns: { ...dns, ds: { ...found, records } } })
      deepEqual([checked.section.dnssec_algorithms, checked.codes], [names, codes])
    })
})

describe('DNSSEC keys', () => {
  type Key = readonly [flags: number, algorithm: number, bits: number | null]
  const rows: readonly (readonly [string, readonly Key[], readonly object[], readonly string[]])[] = [
    [
      'of usual sizes raise nothing',
      [
        [257, 8, 2048],
        [256, 8, 1024],
        [256, 13, 512],
      ],
      [
        { role: 'key_signing', algorithm: 'RSASHA256', bits: 2048 },
        { role: 'zone_signing', algorithm: 'RSASHA256', bits: 1024 },
        { role: 'zone_signing', algorithm: 'ECDSAP256SHA256', bits: 512 },
      ],
      [],
    ],
    [
      'of 512 bits are weak with RSA',
      [[256, 8, 512]],
      [{ role: 'zone_signing', algorithm: 'RSASHA256', bits: 512 }],
      ['dnssec_weak_key'],
    ],
    ['of unknown size raise nothing', [[0, 5, null]], [{ role: 'other', algorithm: 'RSASHA1', bits: null }], []],
  ]
  for (const [title, keys, shown, codes] of rows)
    test(title, async () => {
      const records = keys.map(([flags, algorithm, bits]) => ({ flags, algorithm, bits }))
      const checked = await check('example.com', healthy, { dns: { ...dns, dnskey: { ...found, records } } })
      deepEqual([checked.section.dnssec_keys, checked.codes], [shown, codes])
    })

  test('are null with the reason if they were not answered, and without one if the zone has no DS', async () => {
    const silent = { status: 'unknown', reason: 'timeout' } as const
    for (const [dnskey, reason] of [[silent, 'timeout'] as const, [null, null] as const]) {
      const { section, unknown } = await check('example.com', healthy, { dns: { ...dns, dnskey } })
      deepEqual([section.dnssec_keys, unknown], [null, reason])
    }
  })

  const signature = { from: 1_795_000_000, until: 1_796_000_000 }
  const later = { ...signature, until: signature.until + 86_400 }
  const shown = { valid_from: '2026-11-18T11:06:40Z', expires_at: '2026-11-30T00:53:20Z' }
  const signed = (soa: object, dnskey: object | null, dnssec = 'signed') => ({
    ...dns,
    dnssec,
    soa: { ...dns.soa, ...soa },
    dnskey: dnskey === null ? null : { ...found, records: [], ...dnskey },
  })
  const expiries = {
    'are shown by the one that expires first': [signed({ signature: later }, { signature }), shown],
    'are shown by what is known of them': [signed({ signature }, null), shown],
    'are null where the resolver tells none': [signed({}, {}), null],
    'are null in a zone that is not validated': [signed({ signature }, null, 'unknown'), null],
  } as const
  for (const [title, [zone, expected]] of Object.entries(expiries))
    test(`with signatures that ${title}`, async () => {
      const { section } = await check('example.com', healthy, { dns: zone as never })
      deepEqual(section.dnssec_signatures, expected)
    })

  test('are unknown with the reason if DS was not answered, and with them whether the zone is signed', async () => {
    const ds = { status: 'unknown', reason: 'servfail' } as const
    const { section, unknown } = await check('example.com', healthy, { dns: { ...dns, ds, dnssec: 'unknown' } })
    deepEqual([section.dnssec_algorithms, section.dnssec, unknown], [null, 'unknown', 'servfail'])
  })
})

describe('the start of authority', () => {
  const base = {
    mname: 'ns1.example.com',
    rname: 'hostmaster.example.com',
    serial: 1,
    refresh: 7200,
    retry: 900,
    expire: 1_209_600,
    minimum: 60,
  }
  const withSoa = (changes: object) => ({ ...dns, soa: { ...found, records: [{ ...base, ...changes }] } })
  const contacts: readonly (readonly [string, string | null])[] = [
    ['hostmaster.example.com', 'hostmaster@example.com'],
    ['first\\046last.example.com', 'first.last@example.com'],
    ['root', null],
    ['', null],
  ]
  for (const [rname, contact] of contacts)
    test(`has the contact ${contact} for ${JSON.stringify(rname)}`, async () =>
      deepEqual((await check('example.com', healthy, { dns: withSoa({ rname }) })).section.soa?.contact, contact))

  type Row = readonly [what: string, changes: object, codes: readonly string[]]
  const unusual = ['soa_unusual_times']
  const times: readonly Row[] = [
    ['those of RFC 1912', {}, []],
    ['those of RIPE-203', { refresh: 86_400, retry: 7_200, expire: 3_600_000, minimum: 86_400 }, []],
    ['those of Cloudflare', { refresh: 10_000, retry: 2_400, expire: 604_800, minimum: 1_800 }, []],
    ['those of Route 53', { refresh: 7_200, retry: 900, expire: 1_209_600, minimum: 86_400 }, []],
    ['those of Azure', { refresh: 3_600, retry: 300, expire: 2_419_200, minimum: 300 }, []],
    ['an expiry of three days', { expire: 259_200 }, unusual],
    ['an expiry of a year', { expire: 31_536_000 }, unusual],
    ['a refresh each minute', { refresh: 60, retry: 30 }, unusual],
    ['a refresh each week', { refresh: 604_800, expire: 3_600_000 }, unusual],
    ['a retry as late as the refresh', { refresh: 3_600, retry: 3_600 }, unusual],
    ['a retry after a second', { retry: 1 }, unusual],
    ['a retry after a day', { retry: 86_399, refresh: 86_400 }, unusual],
    ['denials that last a week', { minimum: 604_800 }, unusual],
    ['denials that do not last', { minimum: 0 }, []],
    ['an expiry before a second attempt', { expire: 8_100 }, ['soa_invalid_times']],
    ['an expiry just behind it', { expire: 8_101 }, unusual],
    ['nothing but zeros', { refresh: 0, retry: 0, expire: 0, minimum: 0 }, ['soa_invalid_times']],
  ]
  for (const [what, changes, codes] of times)
    test(`with ${what} has ${codes[0] ?? 'no issue'}`, async () =>
      deepEqual((await check('example.com', healthy, { dns: withSoa(changes) })).codes, codes))

  test('names each unusual time with what is recommended', async () => {
    const { section } = await check('example.com', healthy, { dns: withSoa({ refresh: 60, expire: 60_000 }) })
    deepEqual(
      section.issues?.map(({ message }) => message),
      [
        'Times of the zone are unusual, in seconds, with what is recommended: refresh 60 (1200 to 86400), expire 60000 (604800 to 3600000), retry 900 (less than refresh, 60) (RFC 1912, RIPE-203).',
      ],
    )
  })

  test('is null without a zone, and with the reason without an answer', async () => {
    const silent = { status: 'unknown', reason: 'timeout' } as const
    for (const [soa, reason] of [[silent, 'timeout'] as const, [null, null] as const]) {
      const { section, unknown } = await check('example.com', healthy, { dns: { ...dns, soa } })
      deepEqual([section.soa, unknown], [null, reason])
    }
  })
})

describe('IPv6', () => {
  const ns = (...ipv6: readonly (boolean | null)[]) => ({
    ...dns,
    name_server_ipv6: ipv6.map((has, at) => ({ name: `ns${at}.example.com`, ipv6: has })),
  })
  const rows: readonly (readonly [readonly (boolean | null)[], boolean | null, readonly string[]])[] = [
    [[false, true], true, []],
    [[null, true], true, []],
    [[false, null], null, []],
    [[], null, []],
    [[false, false], false, ['name_servers_without_ipv6']],
  ]
  for (const [seen, name_servers, codes] of rows)
    test(`of name servers seen as ${JSON.stringify(seen)} is ${name_servers}`, async () => {
      const checked = await check('example.com', healthy, { dns: ns(...seen) })
      deepEqual([checked.section.ipv6, checked.codes], [{ web: false, mail: true, name_servers }, codes])
      equal(checked.unknown, seen.includes(null) ? 'dns_unavailable' : null)
    })

  test('is unknown for the web if only that family was not answered, and for mail without mail servers', async () => {
    const zone = { ...healthy, 'example.com': { A: ['192.0.2.80'], TXT: ['v=spf1 mx -all'] } }
    const { section, unknown } = await check('example.com', zone, {
      addresses: {
        status: 'found',
        answers: [{ address: '192.0.2.80', family: 4, refused: null }],
        dialable: [],
        unanswered: 6,
        cnames: [],
        ttl: 1,
        authenticated: false,
      },
    })
    deepEqual([section.ipv6, unknown], [{ web: null, mail: null, name_servers: true }, 'dns_unavailable'])
  })
})
