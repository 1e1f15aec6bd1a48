// Which outcomes make an instrument suspect, and when a result is refused, case by case. `test/service/blame.large.test.ts` has what holds for all.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type InstrumentState, PROVED_INSTRUMENTS, type Standing } from '../../src/base/health/standing.ts'
import type { Analysis, GatherOutcome, Outcome } from '../../src/engine/analysis.ts'
import {
  addressesOf,
  areProved,
  isAnswered,
  isListedNow,
  refusalOf,
  suspectOf,
} from '../../src/engine/coverage_guard.ts'
import type { Verdict } from '../../src/engine/scoring/verdict.ts'
import type { Target } from '../../src/targets/target.ts'
import { EXAMPLE } from './engine_of.ts'

const gathered = (value: unknown): GatherOutcome => ({ status: 'gathered', value })
const unavailable = (reason: string): GatherOutcome => ({ status: 'unavailable', reason })
const notApplicable = (reason: string): GatherOutcome => ({ status: 'not_applicable', reason })
const failed = (reason: string): GatherOutcome => ({ status: 'failed', reason })

const ADDRESS = '193.0.14.1'
const found = gathered({ status: 'found', dialable: [{ address: ADDRESS, family: 4, refused: null }] })
const handshake = gathered({ status: 'handshake', failure: null })
const exchanged = gathered({ exchanges: [{ status: 200 }], failure: null })

const suspects: Readonly<
  Record<string, readonly [name: string, GatherOutcome, suspect: 'resolver' | 'way_out' | null]>
> = {
  'addresses found': ['addresses', found, null],
  'a name that does not exist': ['addresses', gathered({ status: 'not_found' }), 'resolver'],
  'a name without addresses': ['addresses', gathered({ status: 'no_data' }), 'resolver'],
  'a DNS timeout': ['dns', unavailable('timeout'), 'resolver'],
  'DNS that the operator forbids': ['dns', unavailable('denied'), null],
  'DNS that does not apply': ['dns', notApplicable('ip_target'), null],
  'records without a status': ['mail_records', gathered({ status: 'not_found' }), null],
  'reverse names': ['reverse_names', gathered({ names: ['a.example'] }), null],
  'no reverse name': ['reverse_names', gathered({ names: [] }), 'resolver'],
  'reverse names of an extension that has none': ['reverse_names', gathered({}), null],
  'an answer of one blocklist': ['listings', gathered({ lists: [{ status: 'unknown' }, { status: 'clean' }] }), null],
  'no answer of any blocklist': ['listings', gathered({ lists: [{ status: 'unknown' }] }), 'resolver'],
  'blocklists of an extension that has none': ['listings', gathered({ names: [] }), null],
  'other evidence without names or answers': ['dns', gathered({ names: [], lists: [] }), null],
  'a handshake': ['tls', handshake, null],
  'a handshake in spite of an earlier reset': ['tls', gathered({ status: 'handshake', failure: 'reset' }), null],
  'a handshake that the server refused with an alert': ['tls', gathered({ status: 'failed', failure: 'alpn' }), null],
  'a handshake that ended without a word': ['tls', gathered({ status: 'failed', failure: 'closed' }), 'way_out'],
  'no connection for a handshake': ['tls', gathered({ status: 'unreachable', failure: 'timeout' }), 'way_out'],
  'no handshake, and no reason': ['tls', gathered({ status: 'unreachable' }), null],
  'a page': ['page', exchanged, null],
  'a page and then silence': ['page', gathered({ exchanges: [{ status: 301 }], failure: 'timeout' }), null],
  'a page that is refused': ['page', gathered({ exchanges: [], failure: 'refused' }), 'way_out'],
  'a page that breaks the protocol': ['page', gathered({ exchanges: [], failure: 'protocol' }), null],
  'a page that is unavailable': ['page', unavailable('connect_timeout'), 'way_out'],
  'a page that the operator forbids': ['page', unavailable('denied'), null],
  'a document of a silent site': ['document', notApplicable('no_response'), 'way_out'],
  'a document of a name that does not exist': ['document', notApplicable('domain_not_found'), null],
  'a document': ['document', gathered({ failure: 'timeout' }), null],
  'a defect in a gatherer': ['tls', failed('gatherer_failed'), null],
  'a registry that is silent': ['registration', unavailable('rdap_timeout'), null],
}

describe('the instrument that is suspect after', () => {
  for (const [title, [name, outcome, suspect]] of Object.entries(suspects))
    it(`${title}: ${suspect ?? 'none'}`, () => assert.equal(suspectOf(name, outcome), suspect))
})

type Kinds = Readonly<Record<string, GatherOutcome>>

const outcome = (status: Outcome['status'], reason: string | null = null, signals: readonly unknown[] = []) =>
  ({ status, reason, section: null, signals, duration_ms: 0 }) as Outcome

const completed = outcome('completed')
const IP_TARGET: Target = {
  ...EXAMPLE,
  kind: 'ip',
  domain: null,
  ip: ADDRESS,
  registrable: null,
  registered: null,
} as never

const analysisOf = (evidence: Kinds, { outcomes = [completed], target = EXAMPLE as Target } = {}): Analysis =>
  ({
    target,
    now: new Date(1_000),
    evidence: new Map(Object.entries(evidence)),
    outcomes: new Map(outcomes.map((one, at) => [`section_${at}`, one])),
  }) as unknown as Analysis

const standing = (state: InstrumentState, fault: string | null = null): Standing => ({ state, fault, since: 0 })
const proved = standing('healthy')

interface Case {
  readonly evidence: Kinds
  readonly resolver?: Standing
  readonly way_out?: Standing | null
  readonly verdict?: Verdict
  readonly decided?: boolean
  readonly outcomes?: Outcome[]
  readonly target?: Target
  /** Null when the result is returned. */
  readonly refused: string | null
}

const silent = { addresses: found, tls: unavailable('timeout'), page: unavailable('timeout') }
const seen = { addresses: found, tls: handshake, page: exchanged }
const unproved = standing('unproved')
const down = standing('down', 'no_route')
const nothing = [outcome('unavailable', 'timeout'), outcome('unavailable', 'refused')]

const refusals: Readonly<Record<string, Case>> = {
  'with all instruments healthy': { evidence: silent, refused: null },

  'for a gatherer of addresses that failed': {
    evidence: { addresses: failed('gatherer_failed') },
    refused: 'gatherer_failed',
  },
  'not for another gatherer that failed': { evidence: { addresses: found, tls: failed('oops') }, refused: null },
  'for both first gatherers of an address': {
    evidence: { tls: failed('first'), page: failed('second') },
    target: IP_TARGET,
    refused: 'first',
  },
  'not for one of the first gatherers of an address': {
    evidence: { tls: failed('first'), page: exchanged },
    target: IP_TARGET,
    refused: null,
  },
  'not for a failed gatherer when a listing decides': {
    evidence: { addresses: failed('gatherer_failed') },
    decided: true,
    refused: null,
  },

  'for a resolver that is down, whatever was found': {
    evidence: seen,
    resolver: standing('down', 'servfail'),
    refused: 'resolver_servfail',
  },
  'for a resolver that is down and tells no fault': {
    evidence: seen,
    resolver: standing('down'),
    refused: 'resolver_down',
  },
  'not for a resolver that is down when nothing needs it': {
    evidence: { tls: handshake, page: exchanged },
    target: IP_TARGET,
    resolver: standing('down', 'servfail'),
    refused: null,
  },
  'for an unproved resolver that denies': {
    evidence: { addresses: gathered({ status: 'not_found' }) },
    resolver: unproved,
    refused: 'resolver_unproved',
  },
  'not for an unproved resolver whose answers prove themselves': { evidence: seen, resolver: unproved, refused: null },

  'for a way out that is down, and a safe verdict': {
    evidence: { addresses: gathered({ status: 'no_data' }), page: notApplicable('no_address') },
    way_out: down,
    refused: 'way_out_no_route',
  },
  'not for a way out that is down without silence when the verdict is not safe': {
    evidence: { addresses: gathered({ status: 'no_data' }), page: notApplicable('no_address') },
    way_out: down,
    verdict: 'suspicious',
    refused: null,
  },
  'for a way out that is down when an address is silent, whatever the verdict': {
    evidence: silent,
    way_out: down,
    verdict: 'malicious',
    refused: 'way_out_no_route',
  },
  'for an unproved way out when an address is silent': {
    evidence: silent,
    way_out: unproved,
    refused: 'way_out_unproved',
  },
  'not for an unproved way out when nothing was dialled': {
    evidence: { page: unavailable('timeout') },
    way_out: unproved,
    refused: null,
  },
  'for an unproved way out and a silent address as the target': {
    evidence: { page: unavailable('timeout') },
    target: IP_TARGET,
    way_out: unproved,
    refused: 'way_out_unproved',
  },
  'not when the addresses are not public': { evidence: silent, way_out: null, refused: null },
  'not when the way out is healthy': { evidence: silent, way_out: proved, refused: null },

  'not for a way out that is down after a handshake': {
    evidence: { ...silent, tls: handshake },
    way_out: down,
    refused: null,
  },
  'not for a way out that is down after an alert': {
    evidence: { ...silent, tls: gathered({ status: 'failed', failure: 'alpn' }) },
    way_out: down,
    refused: null,
  },
  'for a way out that is down after a handshake that was reset': {
    evidence: { ...silent, tls: gathered({ status: 'failed', failure: 'reset' }) },
    way_out: down,
    refused: 'way_out_no_route',
  },
  'for a way out that is down when no handshake began': {
    evidence: { ...silent, tls: gathered({ status: 'unreachable', failure: 'no_address' }) },
    way_out: down,
    refused: 'way_out_no_route',
  },
  'not for a way out that is down after an exchange': {
    evidence: { ...silent, page: exchanged },
    way_out: down,
    refused: null,
  },
  'not for a way out that is down after a response that breaks the protocol': {
    evidence: { ...silent, page: gathered({ failure: 'protocol' }) },
    way_out: down,
    refused: null,
  },
  'not for a way out that is down when another entrance responded': {
    evidence: { ...silent, entrances: gathered({ http: { status: null }, www: { status: 200 } }) },
    way_out: down,
    refused: null,
  },
  'for a way out that is down when no entrance responded': {
    evidence: { ...silent, entrances: gathered({ http: { status: null } }) },
    way_out: down,
    refused: 'way_out_no_route',
  },
  'not for a way out that is down when a document was read': {
    evidence: { ...silent, document: gathered({}) },
    way_out: down,
    refused: null,
  },
  'for a way out that is down although files were asked for': {
    evidence: { ...silent, crawl_files: gathered({}) },
    way_out: down,
    refused: 'way_out_no_route',
  },

  'when no section saw anything, with the reason of the first': { evidence: {}, outcomes: nothing, refused: 'timeout' },
  'when no section saw anything and none says why': { evidence: {}, outcomes: [outcome('failed')], refused: 'unknown' },
  'not when a section was completed': { evidence: {}, outcomes: [...nothing, completed], refused: null },
  'not when a section does not apply': {
    evidence: {},
    outcomes: [...nothing, outcome('not_applicable', 'x')],
    refused: null,
  },
  'not when a section that failed has a signal': {
    evidence: {},
    outcomes: [outcome('failed', 'x', [{}])],
    refused: null,
  },
  'not without any section': { evidence: {}, outcomes: [], refused: null },
  'not when the target withheld everything': { evidence: silent, outcomes: nothing, refused: null },
  'when the target withheld something and a section has a defect': {
    evidence: silent,
    outcomes: [outcome('failed', 'analyzer_failed')],
    refused: 'analyzer_failed',
  },
}

describe('a result is refused', () => {
  for (const [title, { evidence, refused, ...given }] of Object.entries(refusals))
    it(refused === null ? title : `${title}: ${refused}`, () => {
      const { resolver = proved, way_out = proved, verdict = 'safe', decided = false, ...analysis } = given
      const instruments = { ...PROVED_INSTRUMENTS, resolver: () => resolver, wayOut: () => way_out }
      const refusal = refusalOf(analysisOf(evidence, analysis), instruments, { verdict, decided })
      assert.equal(refusal?.reason ?? null, refused)
    })

  it('with a sentence about the instrument', () => {
    const detailOf = (resolver: Standing, wayOut: Standing) =>
      refusalOf(
        analysisOf(silent),
        { ...PROVED_INSTRUMENTS, resolver: () => resolver, wayOut: () => wayOut },
        { verdict: 'safe', decided: false },
      )?.detail
    assert.match(
      `${detailOf(standing('down', 'servfail'), proved)}`,
      /^The DNS resolver is down since 1970-01-01T00:00:00Z: /,
    )
    assert.match(`${detailOf(proved, down)}`, /^Outbound Internet access is down since 1970-01-01T00:00:00Z: /)
  })

  it('by the standing of the resolver since the check began, and of the way out to the addresses that were dialled', () => {
    const asked: unknown[] = []
    const instruments = {
      ...PROVED_INSTRUMENTS,
      resolver: (since?: number) => {
        asked.push(since)
        return proved
      },
      wayOut: (addresses: readonly string[]) => {
        asked.push(addresses)
        return proved
      },
    }
    assert.equal(refusalOf(analysisOf(silent), instruments, { verdict: 'safe', decided: false }), null)
    assert.deepEqual(asked, [1_000, [ADDRESS]])
  })
})

describe('the addresses of a check', () => {
  for (const [title, evidence, target, expected] of [
    ['are those found', { addresses: found }, EXAMPLE, [ADDRESS]],
    ['are none before they are found', {}, EXAMPLE, []],
    ['are none when the lookup failed', { addresses: unavailable('timeout') }, EXAMPLE, []],
    ['are none when an extension returns none', { addresses: gathered({}) }, EXAMPLE, []],
    ['are the target if it is one', {}, IP_TARGET, [ADDRESS]],
  ] as const)
    it(title, () => assert.deepEqual(addressesOf(analysisOf(evidence, { target })), expected))
})

describe('DNS was answered', () => {
  for (const [title, evidence, answered] of [
    ['when nothing was asked', {}, true],
    ['when all was found', { addresses: found, dns: gathered({}) }, true],
    ['when a query timed out: not', { addresses: found, dns: unavailable('timeout') }, false],
    ['when the operator forbids the query', { dns: unavailable('denied') }, true],
    ['when a connection timed out', { tls: unavailable('timeout') }, true],
  ] as const)
    it(title, () => assert.equal(isAnswered(new Map(Object.entries(evidence))), answered))
})

describe('the instruments of a check', () => {
  for (const [title, resolver, way_out, expected] of [
    ['are proved when both are healthy', proved, proved, true],
    ['are proved when the way out does not matter', proved, null, true],
    ['are proved when the way out is not known to be down', proved, unproved, true],
    ['are not proved when the way out is down', proved, down, false],
    ['are not proved when the resolver is unproved', unproved, proved, false],
    ['are not proved when the resolver is down', down, proved, false],
  ] as const)
    it(title, () =>
      assert.equal(
        areProved(analysisOf(seen), { ...PROVED_INSTRUMENTS, resolver: () => resolver, wayOut: () => way_out }),
        expected,
      ),
    )
})

describe('a target is listed by a local feed', () => {
  const feeds = (...lists: readonly (readonly [status: string, strength: string])[]) => ({
    feeds: gathered({ lists: lists.map(([status, strength]) => ({ status, strength })) }),
  })
  for (const [title, evidence, expected] of [
    ['that names it', feeds(['clean', 'strong'], ['listed', 'weak']), true],
    ['that only notes it: not', feeds(['listed', 'none']), false],
    ['that does not name it: not', feeds(['clean', 'strong']), false],
    ['that was not read: not', { feeds: unavailable('timeout') }, false],
    ['of an extension that returns none: not', { feeds: gathered({}) }, false],
  ] as const)
    it(title, () => assert.equal(isListedNow(analysisOf(evidence)), expected))
})
