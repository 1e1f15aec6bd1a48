import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  type Instruments,
  PROVED_INSTRUMENTS,
  type Standing,
  UNPROVED_STANDING,
} from '../../../src/base/health/standing.ts'
import type { GatherOutcome } from '../../../src/engine/analysis.ts'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import { completeness } from '../../../src/engine/completeness.ts'
import { sectionSignals } from '../../../src/engine/compose.ts'
import type { Recording } from '../../../src/engine/recording.ts'
import { evidenceOf } from '../../../src/engine/registry.ts'
import { findComposites } from '../../../src/engine/scoring/composites.ts'
import { CONFIDENCES } from '../../../src/engine/scoring/confidence.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { score, weigh } from '../../../src/engine/scoring/score.ts'
import type { WeighedSignal } from '../../../src/engine/scoring/scored.ts'
import type { Served, ServedKind } from '../../../src/evidence/served/facts.ts'
import type { Target } from '../../../src/targets/target.ts'
import { kindsIn, readRecording } from '../../golden/files.ts'
import { sampled } from '../../sample.ts'
import { type EvidenceGiven, type Judged, judge, shipped } from './evidence_engine.ts'

const recordings = kindsIn('recordings').map(kind => [kind, readRecording(kind)] as const)

const judgeWith = ({ target, checked_at }: Recording, evidence: EvidenceGiven, instruments?: Instruments) =>
  judge(target, evidence, new Date(checked_at), instruments)

const DOWN: Standing = { state: 'down', fault: 'timeout', since: 0 }
const instrumentsDown: readonly [what: string, Instruments][] = [
  ['the resolver is down', { ...PROVED_INSTRUMENTS, resolver: () => DOWN }],
  [
    'neither resolver nor way out is proved',
    { ...PROVED_INSTRUMENTS, resolver: () => UNPROVED_STANDING, wayOut: () => UNPROVED_STANDING },
  ],
]

/** What each signal that was found says, by id; `strength` is 1 unless told. */
const isListed = (judged: Judged) =>
  [...foundIn(judged).values()].some(({ definition: { group, floor = 0 } }) => group === 'reputation' && floor >= 71)

const foundIn = ({ analysis }: Judged) =>
  new Map(weigh(sectionSignals(shipped, analysis.outcomes)).map(signal => [signal.signal.id, signal] as const))

const scoreOf = (signals: readonly WeighedSignal[]) =>
  score([...signals, ...findComposites(signals, shipped.composites)], DEFAULT_GROUPS)

const isWholeIn = ({ analysis }: Judged, section: string): boolean => {
  const { status, reason } = analysis.outcomes.get(section) ?? {}
  return status === 'completed' && reason === null
}

/** Greater is less sure. */
const sure = ({ confidence }: Judged): number => CONFIDENCES.indexOf(confidence)

/** Sections that read the kind of evidence. */
const readersOf = (kind: string): readonly string[] =>
  shipped.analyzers
    .filter(({ analyzer }) => (evidenceOf(analyzer) as readonly string[]).includes(kind))
    .map(({ analyzer }) => analyzer.name)

/** The kinds that a check of this kind of target begins with: without them there is no answer. */
const ROOTS: Readonly<Record<Target['kind'], readonly string[]>> = {
  domain: ['addresses'],
  ip: ['reverse_names', 'listings', 'tls', 'page'],
}

/** Each kind of evidence has the one in half of the recordings, and the other in the rest. */
const SILENT: GatherOutcome = { status: 'unavailable', reason: 'timeout' }
const BROKEN: GatherOutcome = { status: 'failed', reason: 'gatherer_failed' }

/** Facts by which nothing is judged, of what many sites do not have: without them a section is whole. */
const BESIDE: ReadonlySet<string> = new Set(['icon'])

/** Found because something is unknown. They have no points, and only ask for a review. */
const OF_UNKNOWN: ReadonlySet<string> = new Set(['page_seen_in_part', 'unvouched_name'])

for (const [nth, [kind, recording]] of recordings.entries()) {
  const { target, evidence } = recording
  const gathered = Object.keys(evidence).filter(name => evidence[name]?.status === 'gathered')

  describe(`the score of ${kind}`, () => {
    let clean: Judged
    before(async () => {
      clean = await judgeWith(recording, evidence)
    })

    const faulty = gathered.filter(name => name !== 'addresses')
    for (const [turn, name] of sampled(faulty, 6).entries()) {
      const fault = turn % 2 === nth % 2 ? SILENT : BROKEN
      it(`is that of the clean run without ${name}, when that is ${fault.status}`, async () => {
        const faulted = await judgeWith(recording, { ...evidence, [name]: fault })
        const [all, left] = [foundIn(clean), foundIn(faulted)]
        for (const [id, signal] of left)
          if (!OF_UNKNOWN.has(id)) assert.deepEqual(signal, all.get(id), `${id} was not found so before`)
        const lost = [...all.values()].filter(({ signal: found }) => !left.has(found.id))
        const readers = readersOf(name)
        assert.deepEqual(
          lost.filter(({ section }) => !readers.includes(section)),
          [],
        )
        const expected = scoreOf([...all.values()].filter(signal => !lost.includes(signal)))
        const details = faulted.details.filter(({ id }) => !OF_UNKNOWN.has(id) || all.has(id))
        assert.deepEqual([faulted.risk, details], [expected.risk_score, expected.details])
        assert.ok(faulted.verdict !== 'malicious' || clean.verdict === 'malicious')
        assert.ok(faulted.coverage.ratio <= clean.coverage.ratio)
        assert.ok(sure(faulted) >= sure(clean), `${clean.confidence}, then ${faulted.confidence}`)
        assert.ok(faulted.recommendation !== 'allow' || faulted.confidence !== 'low')
        const lowers = !BESIDE.has(name) && readers.some(reader => isWholeIn(clean, reader))
        if (lowers) assert.ok(faulted.coverage.ratio < clean.coverage.ratio && !faulted.coverage.complete)
      })
    }

    const silent = (names: readonly string[]): EvidenceGiven =>
      Object.fromEntries(Object.entries(evidence).map(([name, one]) => [name, names.includes(name) ? SILENT : one]))

    for (const [what, down] of instrumentsDown) {
      it(`is missing when ${what}, and its first queries get no answer, or none do`, async () => {
        for (const names of [ROOTS[target.kind], Object.keys(evidence)]) {
          const judged = judgeWith(recording, silent(names), down)
          // What lists alone decide is never withheld.
          if (isListed(clean) && !names.includes('listings')) assert.equal((await judged).verdict, 'malicious')
          else await assert.rejects(judged, AnalysisUnavailable)
        }
      })
    }

    it('is given when our instruments work and only the target does not answer', async () => {
      const { verdict, coverage } = await judgeWith(recording, silent(ROOTS[target.kind]))
      assert.ok(verdict !== 'malicious' || clean.verdict === 'malicious')
      assert.ok(coverage.ratio <= clean.coverage.ratio)
    })

    it('is missing when everything fails', async () => {
      const broken = Object.fromEntries(Object.keys(evidence).map(name => [name, BROKEN]))
      await assert.rejects(judgeWith(recording, broken), AnalysisUnavailable)
    })
  })
}

describe('a page that is not shown to us', () => {
  const recording = readRecording('static')
  const of = (kind: ServedKind) => {
    const served = recording.evidence['served']
    assert.ok(served?.status === 'gathered')
    const value = { ...(served.value as Served), kind, rule: kind === 'page' ? null : 'a_rule' }
    return judgeWith(recording, { ...recording.evidence, served: { status: 'gathered', value } })
  }
  const ofTheWeb = [
    'seo_health',
    'content_analysis',
    'tech_stack',
    'security_headers',
    'cookies',
    'security_txt',
    'carbon_footprint',
  ]

  const judgesPages = new Set(['seo_health', 'security_headers', 'cookies'])

  for (const kind of ['block', 'challenge', 'login_wall'] as const) {
    it(`but a ${kind} in its place is the reason of every web section, and the result is withheld`, async () => {
      const { analysis, coverage } = await of(kind)
      assert.deepEqual(
        [...analysis.outcomes].flatMap(([name, { status, reason }]) =>
          reason === 'page_withheld' ? [[name, status]] : [],
        ),
        ofTheWeb.map(name => [name, judgesPages.has(name) ? 'unavailable' : 'completed']),
      )
      assert.deepEqual([coverage.complete, completeness(analysis.outcomes).class], [false, 'withheld'])
    })
  }

  for (const kind of ['page', 'error', 'parking', 'soft_404'] as const) {
    it(`does not apply where ${kind === 'page' ? 'the page' : `a ${kind}`} is all there is`, async () => {
      const { analysis } = await of(kind)
      assert.deepEqual(
        [...analysis.outcomes.values()].filter(({ reason }) => reason === 'page_withheld'),
        [],
      )
    })
  }
})
