import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readListing } from '../../src/evidence/listings/block_list.ts'
import { judgeTestPoints, testPoints } from '../../src/evidence/listings/list_health.ts'
import { queryName, reversedAddress, withoutMapping } from '../../src/evidence/listings/questions.ts'
import type { Answer } from '../../src/network/resolver.ts'
import { knownList } from './listings_lab.ts'

const found = (...records: string[]): Answer<string> => ({
  status: 'found',
  records,
  ttl: 300,
  authenticated: false,
  cnames: [],
})
const nothing = (status: 'not_found' | 'no_data'): Answer<string> => ({ status, authenticated: false, cnames: [] })

/** `status`, or `status: reason`, or for each code `code category strength`. */
function said(id: string, answer: Answer<string>): string {
  const reading = readListing(knownList(id), answer)
  if (reading.status === 'unknown') return `unknown: ${reason(reading)}`
  if (reading.status === 'not_listed') return 'not_listed'
  return reading.codes.map(({ code, category, strength }) => `${code} ${category} ${strength}`).join(', ')
}
const reason = ({ reason, by }: { reason: string; by: string }) => `${reason} (${by})`

describe('the answer of a list', () => {
  const rows: readonly [title: string, list: string, records: readonly string[], expected: string][] = [
    ['names spammers (SBL)', 'spamhaus_zen', ['127.0.0.2'], '127.0.0.2 spam moderate'],
    ['names senders of poor mail (CSS)', 'spamhaus_zen', ['127.0.0.3'], '127.0.0.3 spam weak'],
    ['names infected hosts (XBL)', 'spamhaus_zen', ['127.0.0.4'], '127.0.0.4 botnet moderate'],
    ['names infected hosts by its last code', 'spamhaus_zen', ['127.0.0.7'], '127.0.0.7 botnet moderate'],
    ['names criminal networks (DROP)', 'spamhaus_zen', ['127.0.0.9'], '127.0.0.9 malware strong'],
    ['states a policy (PBL), which is no hit', 'spamhaus_zen', ['127.0.0.10'], '127.0.0.10 policy none'],
    ['states Spamhaus’ policy (PBL), no hit either', 'spamhaus_zen', ['127.0.0.11'], '127.0.0.11 policy none'],
    ['names spam (DBL)', 'spamhaus_dbl', ['127.0.1.2'], '127.0.1.2 spam moderate'],
    ['names phishing (DBL)', 'spamhaus_dbl', ['127.0.1.4'], '127.0.1.4 phishing strong'],
    ['names malware (DBL)', 'spamhaus_dbl', ['127.0.1.5'], '127.0.1.5 malware strong'],
    ['names a botnet (DBL)', 'spamhaus_dbl', ['127.0.1.6'], '127.0.1.6 botnet strong'],
    [
      'names an abused honest site, which weighs less',
      'spamhaus_dbl',
      ['127.0.1.102'],
      '127.0.1.102 abused_legit weak',
    ],
    ['names one abused by a botnet', 'spamhaus_dbl', ['127.0.1.106'], '127.0.1.106 abused_legit weak'],
    ['adds bits up', 'uribl', ['127.0.0.12'], '127.0.0.12 policy none, 127.0.0.12 spam weak'],
    ['is one bit', 'uribl', ['127.0.0.2'], '127.0.0.2 spam moderate'],
    ['is a bit beside unknown ones', 'surbl', ['127.0.0.10'], '127.0.0.10 phishing strong'],
    ['is all bits of SURBL', 'surbl', ['127.0.0.24'], '127.0.0.24 phishing strong, 127.0.0.24 malware strong'],
    ['praises', 'dnswl', ['127.0.5.3'], '127.0.5.3 white none'],
    [
      'has several records of one list',
      'spamhaus_zen',
      ['127.0.0.4', '127.0.0.2', '127.0.0.4'],
      '127.0.0.2 spam moderate, 127.0.0.4 botnet moderate',
    ],
  ]
  for (const [title, list, records, expected] of rows) {
    it(title, () => assert.equal(said(list, found(...records)), expected))
  }

  const undefinedCodes: readonly [title: string, list: string, records: readonly string[], expected?: string][] = [
    ['127.0.0.1, which resolvers give for blocked names', 'spamcop', ['127.0.0.1']],
    ['127.0.0.1 from a list of names', 'nordspam_dbl', ['127.0.0.1']],
    ['127.0.0.1 from a list that defines all of 127.0.0.0/24', '0spam', ['127.0.0.1']],
    ['another code from that list', '0spam', ['127.0.0.99'], '127.0.0.99 spam weak'],
    ['127.0.0.1 from a list with codes in 127.0.1.0/24', 'spamhaus_dbl', ['127.0.0.1']],
    ['127.0.0.1 from a list of several', 'spamhaus_zen', ['127.0.0.1']],
    ['127.0.0.99', 'psbl', ['127.0.0.99']],
    ['a code of a list that has few', 'spamcop', ['127.0.0.77']],
    ['a gap between defined codes', 'spamhaus_zen', ['127.0.0.8']],
    ['a code of another list', 'spamhaus_dbl', ['127.0.0.2']],
    ['a code in another network', 'psbl', ['127.0.1.2']],
    ['the last address of the network', 'psbl', ['127.255.254.254']],
    ['a bit without a meaning', 'surbl', ['127.0.0.2']],
    ['no bit', 'uribl', ['127.0.0.0']],
    ['a bit outside 127.0.0.0/24', 'surbl', ['127.0.1.8']],
    ['a bit in another network', 'uribl', ['127.2.0.2']],
    ['a kind that an allowlist does not have', 'dnswl', ['127.0.30.1']],
    ['a trust that an allowlist does not have', 'dnswl', ['127.0.5.4']],
    ['two undefined codes', 'psbl', ['127.0.0.77', '127.0.0.99']],
    ['an undefined code beside a defined one', 'psbl', ['127.0.0.2', '127.0.0.99'], '127.0.0.2 spam weak'],
    ['127.0.0.1 beside a defined code', 'psbl', ['127.0.0.1', '127.0.0.2'], '127.0.0.2 spam weak'],
    ['a code that the list defines without a class', 'dronebl', ['127.0.0.255'], '127.0.0.255 unknown none'],
    ['127.0.0.1 where the list defines it as a refusal', 'surbl', ['127.0.0.1'], 'unknown: list_refused (list)'],
  ]
  for (const [title, list, records, expected = 'unknown: undocumented_code (code)'] of undefinedCodes) {
    it(`is “${expected}” for ${title} (${list})`, () => assert.equal(said(list, found(...records)), expected))
  }

  const silent: readonly [title: string, list: string, answer: Answer<string>, expected: string][] = [
    ['the zone was misspelt', 'spamhaus_zen', found('127.255.255.252'), 'wrong_zone (list)'],
    ['the resolver is a public one', 'spamhaus_zen', found('127.255.255.254'), 'public_resolver (list)'],
    ['too much was asked', 'spamhaus_zen', found('127.255.255.255'), 'volume_exceeded (list)'],
    ['it answers with another error', 'psbl', found('127.255.255.1'), 'list_error (list)'],
    ['an error stands beside a listing', 'psbl', found('127.0.0.2', '127.255.255.254'), 'public_resolver (list)'],
    ['a list of names was asked about an address', 'spamhaus_dbl', found('127.0.1.255'), 'wrong_question (list)'],
    ['SURBL refuses', 'surbl', found('127.0.0.1'), 'list_refused (list)'],
    ['URIBL refuses', 'uribl', found('127.0.0.1'), 'list_refused (list)'],
    ['bit 1 is set beside others', 'uribl', found('127.0.0.3'), 'list_refused (list)'],
    ['DNSWL blocks', 'dnswl', found('127.0.0.255'), 'volume_exceeded (list)'],
    ['DNSWL blocks by its other code', 'dnswl', found('127.0.10.3'), 'volume_exceeded (list)'],
    ['the address is outside 127.0.0.0/8', 'psbl', found('93.184.216.34'), 'foreign_answer (list)'],
    ['one address of two is', 'psbl', found('127.0.0.2', '93.184.216.34'), 'foreign_answer (list)'],
    ['the zone fails', 'psbl', { status: 'unknown', reason: 'servfail' }, 'servfail (network)'],
    ['the question is refused', 'psbl', { status: 'unknown', reason: 'refused' }, 'refused (network)'],
    ['nobody answers', 'psbl', { status: 'unknown', reason: 'timeout' }, 'timeout (network)'],
    [
      'the check has no question left',
      'psbl',
      { status: 'unknown', reason: 'too_many_queries' },
      'too_many_queries (check)',
    ],
  ]
  for (const [title, list, answer, expected] of silent) {
    it(`is unknown when ${title}`, () => assert.equal(said(list, answer), `unknown: ${expected}`))
  }

  it('is not a listing when the name does not exist or has no address', () => {
    assert.equal(said('psbl', nothing('not_found')), 'not_listed')
    assert.equal(said('psbl', nothing('no_data')), 'not_listed')
  })

  it('is never a listing within 127.255.255.0/24 or outside 127.0.0.0/8', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const ids = fc.constantFrom('spamhaus_zen', 'spamhaus_dbl', 'surbl', 'uribl', 'dnswl', '0spam', 'psbl')
    const foreign = fc
      .tuple(octet, octet, octet, octet)
      .filter(([first]) => first !== 127)
      .map(octets => octets.join('.'))
    const errors = octet.map(last => `127.255.255.${last}`)
    fc.assert(
      fc.property(ids, fc.oneof(foreign, errors), (id, address) => said(id, found(address)).startsWith('unknown: ')),
    )
  })
})

describe('the name queried at a list', () => {
  const rows: readonly [address: string, reversed: string][] = [
    ['1.2.3.4', '4.3.2.1'],
    ['127.0.0.2', '2.0.0.127'],
    ['::ffff:7f00:2', '2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0'],
    ['2001:db8:1:2:3:4:567:89ab', 'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2'],
  ]
  for (const [address, reversed] of rows)
    it(`reverses ${address}`, () => assert.equal(reversedAddress(address), reversed))

  it('uses the IPv4 address of an IPv4-mapped one', () => {
    assert.equal(withoutMapping('::ffff:1.2.3.4'), '1.2.3.4')
    assert.equal(withoutMapping('::ffff:102:304'), '1.2.3.4')
    assert.equal(withoutMapping('2606:4700::1111'), '2606:4700::1111')
  })

  it('has at most 253 octets', () => {
    const label = 'a'.repeat(63)
    const room = `${label}.${label}.${label}.${'b'.repeat(49)}`
    assert.equal(queryName(room, 'psbl.test')?.length, 251)
    assert.equal(queryName(`cc.${room}`, 'psbl.test'), null)
  })
})

describe('the test points of a list', () => {
  const six = '0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0'
  const rows = [
    ['addresses', { asks: ['ipv4'] }, ['2.0.0.127'], ['1.0.0.127']],
    ['IPv6 addresses', { asks: ['ipv6'] }, [`2.${six}`], [`1.${six}`]],
    ['names', { asks: ['registrable'] }, ['test'], ['invalid']],
    ['hosts and addresses', { asks: ['host', 'ipv4'] }, ['test', '2.0.0.127'], ['invalid', '1.0.0.127']],
  ] as const
  for (const [title, { asks }, listed, unlisted] of rows) {
    it(`are those of RFC 5782 for ${title}`, () => {
      assert.deepEqual(testPoints({ asks, test_points: null }), { listed, unlisted })
    })
  }

  it('are the list’s own if it has any', () => {
    assert.deepEqual(testPoints(knownList('sem_uri')), { listed: ['_dnsbl_.test'], unlisted: ['_dnsblneg_.test'] })
  })

  const silence: Answer<string> = { status: 'unknown', reason: 'timeout' }
  const proofs = [
    ['a healthy list', found('127.0.0.2'), nothing('not_found'), 'healthy'],
    ['a list with a sample code', found('127.0.0.15'), nothing('no_data'), 'healthy'],
    ['one that lists the world', found('127.0.0.2'), found('127.0.0.2'), 'lists_everything'],
    ['one that lists the world with a code of its own', found('127.0.0.2'), found('127.0.0.1'), 'lists_everything'],
    ['an abandoned domain that answers everything', found('203.0.113.9'), found('203.0.113.9'), 'foreign_answer'],
    ['an emptied list', nothing('not_found'), nothing('not_found'), 'test_point_missing'],
    ['one that refuses', found('127.255.255.254'), found('127.255.255.254'), 'public_resolver'],
    ['nothing, when it is silent', silence, silence, null],
    ['nothing, when it answers half', found('127.0.0.2'), silence, null],
  ] as const
  for (const [title, listed, unlisted, expected] of proofs) {
    it(`show ${title}`, () => {
      assert.equal(judgeTestPoints(knownList('psbl'), [listed], [unlisted]), expected)
    })
  }
})
