// CAA properties and DNSSEC algorithms.
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Evidence } from '../../src/engine/plugin.ts'
import { check, dns, healthy } from './dns_security_checked.ts'

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
