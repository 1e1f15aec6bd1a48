// Whose fault a failure is, over every combination: no server of a target can make us fail, and no failure of ours
// reads as safe.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { PROVED_INSTRUMENTS, type Standing, UNPROVED_STANDING } from '../../src/base/health/standing.ts'
import type { Analysis, GatherOutcome, Outcome } from '../../src/engine/analysis.ts'
import { refusalOf, suspectOf } from '../../src/engine/coverage_guard.ts'
import { EXAMPLE } from './engine_of.ts'

const gathered = (value: unknown): GatherOutcome => ({ status: 'gathered', value })
const oneOf = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)
const unavailable = (...reasons: readonly string[]): fc.Arbitrary<GatherOutcome> =>
  oneOf(...reasons).map(reason => ({ status: 'unavailable', reason }))
const notApplicable = (...reasons: readonly string[]): fc.Arbitrary<GatherOutcome> =>
  oneOf(...reasons).map(reason => ({ status: 'not_applicable', reason }))

/** The effect of name servers on a kind of evidence. */
const dnsFailure = unavailable(
  'timeout',
  'refused',
  'servfail',
  'malformed',
  'cname_loop',
  'cname_too_long',
  'too_many_queries',
  'deadline',
)
/** How a connection can fail. */
const failure = oneOf('refused', 'reset', 'closed', 'timeout', 'unreachable', 'alpn', 'protocol', 'too_large')
const unconnected = unavailable('connect_timeout', 'timeout', 'deadline', 'unreachable')

const address = (text: string) => ({ address: text, family: 4, refused: null })
const addresses = fc.oneof(
  fc
    .subarray(['193.0.14.1', '193.0.14.2'], { minLength: 1 })
    .map(found => gathered({ status: 'found', answers: found.map(address), dialable: found.map(address) })),
  oneOf('no_data', 'not_found').map(status => gathered({ status, answers: [], dialable: [] })),
  dnsFailure,
)
const tls = fc.oneof(
  oneOf(gathered({ status: 'handshake', failure: null })),
  failure.map(failure => gathered({ status: 'failed', failure })),
  oneOf('refused', 'reset', 'timeout').map(failure => gathered({ status: 'unreachable', failure })),
  unconnected,
  notApplicable('no_response', 'domain_not_found', 'no_address'),
)
const page = fc.oneof(
  failure.map(failure => gathered({ exchanges: [], failure })),
  oneOf(gathered({ exchanges: [{ status: 200 }], failure: null })),
  unconnected,
  notApplicable('no_response', 'domain_not_found', 'no_address'),
)
const ofPage = fc.oneof(oneOf(gathered({})), unconnected, notApplicable('no_response'))
const ofDns = fc.oneof(oneOf(gathered({ names: ['a.example'], lists: [{ status: 'clean' }] })), dnsFailure)

const anyEvidence = fc.record({
  addresses,
  dns: ofDns,
  mail_records: ofDns,
  reverse_names: ofDns,
  listings: ofDns,
  tls,
  page,
  document: ofPage,
  crawl_files: ofPage,
  entrances: ofPage,
})

const outcome = (status: Outcome['status'], reason: string | null): Outcome => ({
  status,
  reason,
  section: null,
  signals: [],
  duration_ms: 0,
})

/** Each section reads one kind of evidence and has its outcome; `local` does not depend on the target. */
function analysisOf(evidence: Readonly<Record<string, GatherOutcome>>, local: boolean): Analysis {
  const sections = Object.entries(evidence).map(
    ([name, one]) =>
      [name, one.status === 'gathered' ? outcome('completed', null) : outcome(one.status, one.reason)] as const,
  )
  return {
    target: EXAMPLE,
    now: new Date(0),
    evidence: new Map(Object.entries(evidence)),
    outcomes: new Map<string, Outcome>([
      ...sections,
      ...(local ? [['local', outcome('completed', null)] as const] : []),
    ]),
  } as unknown as Analysis
}

/** Nothing about the target was seen. */
const unseen = fc.record({
  addresses: dnsFailure,
  dns: dnsFailure,
  mail_records: dnsFailure,
  listings: dnsFailure,
  tls: unconnected,
  page: unconnected,
})

const anyAnalysis = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: anyEvidence }, { weight: 1, arbitrary: unseen }), fc.boolean())
  .map(([evidence, local]) => analysisOf({ ...evidence }, local))
const anyVerdict = oneOf('safe' as const, 'suspicious' as const, 'malicious' as const)
const down: fc.Arbitrary<Standing> = oneOf('timeout', 'servfail', 'no_route', 'refused').map(fault => ({
  state: 'down',
  fault,
  since: 0,
}))
const RUNS = { numRuns: 500 }

describe('a refused result', () => {
  it('is never caused by the target’s servers while our instruments are healthy', () => {
    fc.assert(
      fc.property(anyAnalysis, anyVerdict, fc.boolean(), (analysis, verdict, decided) => {
        assert.equal(refusalOf(analysis, PROVED_INSTRUMENTS, { verdict, decided }), null)
      }),
      RUNS,
    )
  })

  it('replaces every safe verdict while the resolver is down, and names it', () => {
    fc.assert(
      fc.property(anyAnalysis, down, (analysis, standing) => {
        const instruments = { ...PROVED_INSTRUMENTS, resolver: () => standing }
        const refusal = refusalOf(analysis, instruments, { verdict: 'safe', decided: false })
        assert.equal(refusal?.reason, `resolver_${standing.fault}`)
      }),
      RUNS,
    )
  })

  it('replaces every safe verdict while the way out is down and no peer responded', () => {
    const unheard = anyEvidence.map(evidence => ({
      ...evidence,
      tls: { status: 'unavailable', reason: 'connect_timeout' } as const,
      page: { status: 'unavailable', reason: 'connect_timeout' } as const,
      document: { status: 'not_applicable', reason: 'no_response' } as const,
      entrances: { status: 'unavailable', reason: 'timeout' } as const,
    }))
    fc.assert(
      fc.property(unheard, down, (evidence, standing) => {
        const instruments = { ...PROVED_INSTRUMENTS, wayOut: () => standing }
        const refusal = refusalOf(analysisOf(evidence, true), instruments, { verdict: 'safe', decided: false })
        assert.equal(refusal?.reason, `way_out_${standing.fault}`)
      }),
      RUNS,
    )
  })

  it('never replaces a result that a confirmed listing decided', () => {
    const standing = fc.oneof(down, oneOf(UNPROVED_STANDING))
    fc.assert(
      fc.property(anyAnalysis, standing, standing, (analysis, resolver, wayOut) => {
        const instruments = { ...PROVED_INSTRUMENTS, resolver: () => resolver, wayOut: () => wayOut }
        assert.equal(refusalOf(analysis, instruments, { verdict: 'malicious', decided: true }), null)
      }),
      RUNS,
    )
  })

  it('always follows a proof: a failure that may be ours makes its instrument suspect', () => {
    fc.assert(
      fc.property(dnsFailure, fc.constantFrom('addresses', 'dns', 'mail_records'), (failed, name) => {
        assert.equal(suspectOf(name, failed), 'resolver')
      }),
    )
    fc.assert(
      fc.property(unconnected, fc.constantFrom('tls', 'page', 'document'), (failed, name) => {
        assert.equal(suspectOf(name, failed), 'way_out')
      }),
    )
  })
})
