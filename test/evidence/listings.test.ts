import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Unavailable } from '../../src/evidence/facts.ts'
import type { BlockList } from '../../src/evidence/listings/block_list.ts'
import { createBreaker } from '../../src/evidence/listings/breaker.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { chooseLists, listNotices } from '../../src/evidence/listings/lists.ts'
import type { LabFault, LabQuestion, LabZones } from '../../src/testing/lab_dns.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { allHealthy, gatherListings, knownList, mirrored, summary } from './listings_lab.ts'

const lists = ['nordspam_dbl', 'spamhaus_dbl', 'psbl', 'spamhaus_zen'].map(mirrored)
const target = domainTarget('www.bad.example', 'bad.example')
const listed = (...A: string[]) => ({ A })
const zones: LabZones = {
  'www.bad.example': { A: ['198.51.101.7'] },
  'bad.example.nordspam-dbl.test': listed('127.0.0.2'),
  'www.bad.example.spamhaus-dbl.test': listed('127.0.1.4'),
  '7.101.51.198.psbl.test': listed('127.0.0.2'),
}
const asksLists = (asked: readonly string[]) => asked.filter(question => question.endsWith('.test'))
const inLists =
  (fault: LabFault) =>
  ({ name }: LabQuestion): LabFault | undefined =>
    name.endsWith('.test') ? fault : undefined

describe('the listings of a target', () => {
  it('query each list once, by the name it expects', async () => {
    // Long enough that a busy machine does not repeat queries.
    const limits = { dns_try_ms: 8_000, dns_phase_ms: 8_000 }
    const { evidence, asked } = await gatherListings({ zones, limits }, target, { lists })
    assert.deepEqual(summary(evidence), [
      'nordspam_dbl bad.example: listed 127.0.0.2',
      'spamhaus_dbl www.bad.example: listed 127.0.1.4',
      'psbl 198.51.101.7: listed 127.0.0.2',
      'spamhaus_zen 198.51.101.7: not_listed',
    ])
    assert.deepEqual(asksLists(asked), [
      'A 7.101.51.198.psbl.test',
      'A 7.101.51.198.spamhaus-zen.test',
      'A bad.example.nordspam-dbl.test',
      'A www.bad.example.spamhaus-dbl.test',
    ])
  })

  it('state what a listing means and who may use the list', async () => {
    const { evidence } = await gatherListings({ zones }, target, { lists: [mirrored('spamhaus_dbl')] })
    assert.deepEqual(evidence.lists, [
      {
        id: 'spamhaus_dbl',
        name: 'Spamhaus DBL',
        kind: 'domain',
        asked: 'www.bad.example',
        status: 'listed',
        reason: null,
        codes: [{ code: '127.0.1.4', meaning: 'phishing domain', category: 'phishing', strength: 'strong' }],
        categories: ['phishing'],
        strength: 'strong',
        explanation: null,
        terms: 'free for small, non-commercial use; a paid service needs an agreement',
      },
    ])
  })

  it('cover each public address, at most three, IPv4 first, and never a private one', async () => {
    const A = ['198.51.101.1', '10.0.0.1', '198.51.101.2', '198.51.101.3', '198.51.101.4']
    const many: LabZones = { 'many.example': { A, AAAA: ['2606:4700::1'] } }
    const { asked } = await gatherListings({ zones: many }, domainTarget('many.example'), {
      lists: [mirrored('psbl'), mirrored('spamhaus_zen')],
    })
    const addresses = asksLists(asked).filter(question => question.endsWith('psbl.test'))
    assert.equal(addresses.length, 3)
    assert.ok(addresses.every(question => /^A [1-4]\.101\.51\.198\.psbl\.test$/.test(question)))
    assert.equal(asksLists(asked).length, 6)
  })

  it('send at most sixteen queries to the known lists', async () => {
    const A = ['198.51.101.1', '198.51.101.2', '198.51.101.3']
    const all = chooseLists().map(({ id }) => mirrored(id))
    const { asked } = await gatherListings({ zones: { 'a.example': { A } } }, domainTarget('a.example'), { lists: all })
    assert.equal(asksLists(asked).length, 14)
    const more = knownLists.filter(({ id }) => id !== 'dnswl').map(({ id }) => mirrored(id))
    const { evidence, asked: questions } = await gatherListings(
      { zones: { 'a.example': { A } } },
      domainTarget('a.example'),
      { lists: more },
    )
    assert.equal(asksLists(questions).length, 16)
    assert.deepEqual(new Set(evidence.lists.map(({ id }) => id)), new Set(more.map(({ id }) => id)))
  })

  it('query an address by reversed octets or nibbles', async () => {
    const dual = [mirrored('spamhaus_zen'), mirrored('psbl'), mirrored('nordspam_dbl')]
    const four = await gatherListings({ zones: {} }, ipTarget('198.51.101.7'), { lists: dual })
    assert.deepEqual(four.asked, ['A 7.101.51.198.psbl.test', 'A 7.101.51.198.spamhaus-zen.test'])
    const six = await gatherListings({ zones: {} }, ipTarget('2606:4700::1111'), { lists: dual })
    assert.deepEqual(six.asked, ['A 1.1.1.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.7.4.6.0.6.2.spamhaus-zen.test'])
  })

  it('query site lists about an address only if it is the target', async () => {
    const surbl = { lists: [mirrored('surbl')] }
    assert.deepEqual(asksLists((await gatherListings({ zones }, target, surbl)).asked), ['A bad.example.surbl.test'])
    assert.deepEqual((await gatherListings({ zones }, ipTarget('198.51.101.7'), surbl)).asked, [
      'A 7.101.51.198.surbl.test',
    ])
  })

  it('query an A-label unchanged', async () => {
    const { asked } = await gatherListings({ zones: {} }, domainTarget('xn--bcher-kva.example'), {
      lists: [mirrored('nordspam_dbl')],
    })
    assert.deepEqual(asksLists(asked), ['A xn--bcher-kva.example.nordspam-dbl.test'])
  })

  it('skip a name that is too long for DNS', async () => {
    const label = 'a'.repeat(63)
    const long = `${label}.${label}.${label}.${'b'.repeat(40)}.example`
    const { evidence, asked } = await gatherListings({ zones: {} }, domainTarget(long), {
      lists: [mirrored('spamhaus_dbl')],
    })
    assert.deepEqual(summary(evidence), [`spamhaus_dbl ${long}: unknown name_too_long`])
    assert.deepEqual(asksLists(asked), [])
  })

  it('are one per query when a list answers with two records', async () => {
    const two: LabZones = { '7.101.51.198.spamhaus-zen.test': listed('127.0.0.2', '127.0.0.4') }
    const { evidence } = await gatherListings({ zones: two }, ipTarget('198.51.101.7'), {
      lists: [mirrored('spamhaus_zen')],
    })
    assert.deepEqual(summary(evidence), ['spamhaus_zen 198.51.101.7: listed 127.0.0.2 127.0.0.4'])
    assert.deepEqual([evidence.lists[0]?.categories, evidence.lists[0]?.strength], [['spam', 'botnet'], 'moderate'])
  })

  const faults: readonly [title: string, fault: LabFault, reason: string][] = [
    ['fail', { rcode: 'SERVFAIL' }, 'servfail'],
    ['refuse in DNS', { rcode: 'REFUSED' }, 'refused'],
    ['are answered for by somebody else', { records: listed('93.184.216.34') }, 'foreign_answer'],
  ]
  for (const [title, fault, reason] of faults) {
    it(`are unknown for lists that ${title}`, async () => {
      const { evidence } = await gatherListings({ zones, fault: inLists(fault) }, target, { lists })
      assert.deepEqual(
        evidence.lists.map(({ status, reason }) => [status, reason]),
        lists.map(() => ['unknown', reason]),
      )
    })
  }

  it('are negative for a list with text only', async () => {
    const { evidence } = await gatherListings({ zones, fault: inLists({ records: { TXT: ['hello'] } }) }, target, {
      lists,
    })
    assert.deepEqual(new Set(evidence.lists.map(({ status }) => status)), new Set(['not_listed']))
  })

  it('are unknown when all lists are silent', async () => {
    const limits = { dns_try_ms: 1_000, dns_phase_ms: 2_500 }
    const { evidence } = await gatherListings({ zones, limits, fault: inLists({ silent: true }) }, target, {
      lists,
    })
    assert.deepEqual(
      evidence.lists.map(({ status, reason }) => [status, reason]),
      lists.map(() => ['unknown', 'timeout']),
    )
  })

  it('keep the answers that arrived when one list is silent', async () => {
    const fault = ({ name }: LabQuestion) => (name.endsWith('psbl.test') ? { silent: true } : undefined)
    const { evidence } = await gatherListings({ zones, fault }, target, { lists })
    assert.deepEqual(summary(evidence), [
      'nordspam_dbl bad.example: listed 127.0.0.2',
      'spamhaus_dbl www.bad.example: listed 127.0.1.4',
      'psbl 198.51.101.7: unknown timeout',
      'spamhaus_zen 198.51.101.7: not_listed',
    ])
  })

  it('include the name when its addresses are unknown', async () => {
    const fault = ({ name }: LabQuestion): LabFault | undefined =>
      name === 'www.bad.example' ? { rcode: 'SERVFAIL' } : undefined
    const { evidence } = await gatherListings({ zones, fault }, target, { lists })
    assert.deepEqual(summary(evidence), [
      'nordspam_dbl bad.example: listed 127.0.0.2',
      'spamhaus_dbl www.bad.example: listed 127.0.1.4',
      'psbl www.bad.example: unknown addresses_unknown',
      'spamhaus_zen www.bad.example: unknown addresses_unknown',
    ])
  })

  it('do not query an unproven list', async () => {
    const health = { ...allHealthy, isHealthy: (id: string) => id !== 'psbl' }
    const { evidence, asked } = await gatherListings({ zones }, target, { lists, health })
    assert.equal(summary(evidence)[2], 'psbl 198.51.101.7: unknown list_unhealthy')
    assert.ok(!asked.some(question => question.endsWith('psbl.test')))
  })

  it('flag a list whose answer came from somewhere else', async () => {
    const flagged: string[] = []
    const health = { ...allHealthy, flag: (id: string, why: string) => flagged.push(`${id} ${why}`) }
    const fault = ({ name }: LabQuestion) =>
      name.endsWith('psbl.test') ? { records: listed('93.184.216.34') } : undefined
    await gatherListings({ zones, fault }, target, { lists, health })
    assert.deepEqual(flagged, ['psbl foreign_answer'])
  })

  it('pause no list after a code that it does not define', async () => {
    const breaker = createBreaker({ lists })
    const fault = inLists({ records: listed('127.0.0.99') })
    await gatherListings({ zones, fault }, target, { lists, breaker })
    const { evidence } = await gatherListings({ zones }, target, { lists, breaker })
    assert.deepEqual(new Set(evidence.lists.map(({ reason }) => reason)), new Set([null]))
  })

  it('pause a list after a refusal', async () => {
    const breaker = createBreaker({ lists })
    const fault = inLists({ records: listed('127.255.255.255') })
    await gatherListings({ zones, fault }, target, { lists, breaker })
    const { evidence, asked } = await gatherListings({ zones }, target, { lists, breaker })
    assert.deepEqual(new Set(evidence.lists.map(({ reason }) => reason)), new Set(['list_paused']))
    assert.deepEqual(asksLists(asked), [])
  })

  it('are unavailable without lists', async () => {
    await assert.rejects(gatherListings({ zones }, target, { lists: [] }), new Unavailable('not_configured'))
  })
})

describe('the explanation of a listing', () => {
  const hostile = `see\u0000 https://evil.example/\u001b[31m\r\n${'x'.repeat(2_000)}`
  const explained: LabZones = {
    '7.101.51.198.psbl.test': { A: ['127.0.0.2'], TXT: [hostile] },
    '8.101.51.198.psbl.test': { TXT: ['not listed'] },
    '9.101.51.198.psbl.test': { A: ['127.0.0.2'], TXT: ['see b', 'see a'] },
  }
  const psbl = [mirrored('psbl')]
  const explain = (ip: string) => gatherListings({ zones: explained }, ipTarget(ip), { lists: psbl, explain: true })

  it('is not requested by default', async () => {
    const { evidence, asked } = await gatherListings({ zones: explained }, ipTarget('198.51.101.7'), { lists: psbl })
    assert.equal(evidence.lists[0]?.explanation, null)
    assert.deepEqual(asked, ['A 7.101.51.198.psbl.test'])
  })

  it('is printable and short', async () => {
    const { evidence } = await explain('198.51.101.7')
    assert.equal(evidence.lists[0]?.explanation, `see https://evil.example/[31m${'x'.repeat(2_000)}`.slice(0, 256))
  })

  it('is the first of several in sorting order, because resolvers rotate them', async () => {
    const { evidence } = await explain('198.51.101.9')
    assert.equal(evidence.lists[0]?.explanation, 'see a')
  })

  it('is requested only for listings', async () => {
    const { asked } = await explain('198.51.101.8')
    assert.deepEqual(asked, ['A 8.101.51.198.psbl.test'])
  })
})

describe('the selection of lists', () => {
  const ids = (chosen: readonly BlockList[]) => chosen.map(({ id }) => id)

  it('has the lists that are free for this use', () => {
    assert.deepEqual(ids(chooseLists()), ['nordspam_dbl', 'sem_uri', 'spamcop', 'psbl', 'dronebl', 'blocklist_de'])
  })

  it('follows the operator: enabled, disabled, other zones, own lists', () => {
    const own = { ...knownList('psbl'), id: 'mine', zone: 'dnsbl.mine.example', off: null }
    const chosen = chooseLists({
      enabled: { spamhaus_zen: true, spamcop: false, sem_uri: false },
      zones: { spamhaus_zen: 'key.zen.dq.spamhaus.net' },
      daily: { spamhaus_zen: null, psbl: 7 },
      own: [own],
    })
    assert.deepEqual(ids(chosen), ['nordspam_dbl', 'psbl', 'dronebl', 'blocklist_de', 'spamhaus_zen', 'mine'])
    assert.equal(chosen.find(({ id }) => id === 'spamhaus_zen')?.zone, 'key.zen.dq.spamhaus.net')
    const daily = ['spamhaus_zen', 'psbl', 'dronebl'].map(id => chosen.find(list => list.id === id)?.daily)
    assert.deepEqual(daily, [null, 7, knownList('dronebl').daily])
  })

  it('names every unknown list', () => {
    assert.throws(
      () => chooseLists({ enabled: { sorbs: true }, zones: { psbll: 'a.test' }, daily: { spamcoop: 1 } }),
      /unknown blocklist: sorbs, psbll, spamcoop;/,
    )
  })

  it('has every list once, with codes, terms, and a reason if it is disabled', () => {
    assert.equal(new Set(ids(knownLists)).size, knownLists.length)
    for (const { id, codes, bits, terms, off, asks } of knownLists) {
      assert.ok(Object.keys(codes).length + Object.keys(bits).length > 0, id)
      assert.ok(asks.length > 0 && terms !== '' && off !== '', id)
    }
  })

  it('warns about refused public resolvers and about terms', () => {
    const zen = chooseLists({ enabled: { spamhaus_zen: true } }).filter(({ id }) => id === 'spamhaus_zen')
    assert.deepEqual(listNotices(zen, ['127.0.0.1', '8.8.8.8', '1.1.1.1']), [
      'Public resolvers (8.8.8.8, 1.1.1.1) get no answers from Spamhaus ZEN: configure your own resolver',
      'Spamhaus ZEN is enabled: its terms forbid commercial use without a contract; a Data Query Service key goes into the zone',
    ])
    assert.deepEqual(listNotices(chooseLists(), ['8.8.8.8']), [])
    assert.deepEqual(listNotices(zen, ['127.0.0.1']).length, 1)
  })
})
