import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CONFIDENCES, type Confidence, confidence, sightings } from '../../../src/engine/scoring/confidence.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { recommendation, recommendationReason } from '../../../src/engine/scoring/recommendation.ts'
import { score } from '../../../src/engine/scoring/score.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'
import { SERIOUS, SEVERITIES, type Severity } from '../../../src/engine/scoring/severity.ts'
import { verdict } from '../../../src/engine/scoring/verdict.ts'
import { shipped } from './evidence_engine.ts'

const detail = (id: string, severity: Severity, points: number, parts: Partial<SignalDetail> = {}): SignalDetail => ({
  id,
  section: 'a_section',
  group: 'network',
  severity,
  points,
  floor: null,
  title: `Title of ${id}`,
  detail: null,
  evidence: {},
  ...parts,
})

const ALL = sightings('domain', () => ({ seen: 1, why: null }))
const NO_PAGE = sightings('domain', name =>
  name === 'served' ? { seen: 0, why: 'the connection timed out' } : { seen: 1, why: null },
)
const WITHHELD = sightings('domain', name =>
  name === 'served' ? { seen: 0.5, why: 'the site refuses automated visitors' } : { seen: 1, why: null },
)

const judged = (risk_score: number, details: readonly SignalDetail[], seen = ALL) => {
  const judged = { risk_score, verdict: verdict(risk_score), confidence: confidence(seen, details), details }
  return [recommendation(judged), recommendationReason(judged, seen)]
}

describe('the recommendation', () => {
  const minor = detail('minor', 'low', 3)
  const cases: [title: string, got: string[], expected: [string, string]][] = [
    [
      'allows what is safe and was seen',
      judged(3, [minor]),
      ['allow', 'No serious risk was found, and all deciding evidence was seen.'],
    ],
    [
      'allows what was seen but for a part, and names it',
      judged(3, [minor], WITHHELD),
      ['allow', 'No serious risk was found, but the page was seen only in part: the site refuses automated visitors.'],
    ],
    [
      'reviews what is safe with low confidence, for what was not seen',
      judged(3, [minor], NO_PAGE),
      ['review', 'The page could not be seen: the connection timed out.'],
    ],
    [
      'reviews what is safe when nothing that decides was looked at',
      judged(0, [], []),
      ['review', 'No deciding evidence was seen.'],
    ],
    [
      'reviews what is safe beside a serious signal, whose sentence is the reason',
      judged(15, [minor, detail('expired', 'high', 12, { detail: 'The certificate of a.lab expired.' })]),
      ['review', 'The certificate of a.lab expired.'],
    ],
    [
      'reviews beside a serious signal that a ceiling left no points',
      judged(0, [detail('inside', 'high', 0)]),
      ['review', 'Title of inside.'],
    ],
    [
      'names the signal before what was not seen',
      judged(15, [detail('expired', 'high', 15)], NO_PAGE),
      ['review', 'Title of expired.'],
    ],
    [
      'names the most serious of several, not the costliest',
      judged(40, [detail('many', 'medium', 25), detail('grave', 'high', 15)]),
      ['review', 'Title of grave.'],
    ],
    [
      'names the costliest of equally serious ones',
      judged(40, [detail('b', 'high', 15), detail('a', 'high', 25)]),
      ['review', 'Title of a.'],
    ],
    [
      'never gives what speaks for the target as a reason against it',
      judged(31, [detail('trusted', 'info', -5), detail('odd', 'medium', 36)]),
      ['review', 'Title of odd.'],
    ],
    [
      'blocks what is malicious, for what settles it',
      judged(100, [
        detail('bot', 'critical', 50),
        detail('listed', 'critical', 30, { floor: 71, detail: 'a.lab is listed for phishing by X.' }),
      ]),
      ['block', 'a.lab is listed for phishing by X.'],
    ],
    ['says the score where an extension left no signal', judged(50, []), ['review', 'The risk score is 50 of 100.']],
    [
      'gives the title for a detail too long to read at a glance',
      judged(31, [detail('long', 'high', 31, { detail: 'x'.repeat(241) })]),
      ['review', 'Title of long.'],
    ],
    [
      'cuts a title without an end',
      judged(31, [detail('long', 'high', 31, { title: 'x'.repeat(500) })]),
      ['review', `${'x'.repeat(239)}…`],
    ],
  ]
  for (const [title, got, expected] of cases) it(title, () => assert.deepEqual(got, expected))

  const known = shipped.analyzers.flatMap(({ analyzer, signals }) =>
    Object.entries(signals).map(([id, definition]) => ({ section: analyzer.name, definition, signal: { id } })),
  )
  const anyJudged = fc
    .tuple(
      fc.subarray(known),
      fc.constantFrom<Confidence>(...CONFIDENCES),
      fc.array(fc.constantFrom<Severity>(...SEVERITIES), { minLength: known.length, maxLength: known.length }),
    )
    .map(([found, confidence, severities]) => {
      const rated = found.map((one, at) => ({
        ...one,
        definition: { ...one.definition, severity: severities[at] ?? one.definition.severity },
      }))
      const { risk_score, details } = score(rated, DEFAULT_GROUPS)
      return { risk_score, verdict: verdict(risk_score), confidence, details }
    })

  it('never allows a target with a serious signal, low confidence or an unsafe verdict', () => {
    fc.assert(
      fc.property(anyJudged, one => {
        const isSerious = one.details.some(({ severity }) => SERIOUS.has(severity))
        const may = one.verdict === 'safe' && one.confidence !== 'low' && !isSerious
        assert.equal(recommendation(one) === 'allow', may)
      }),
    )
  })

  it('blocks exactly the malicious targets', () => {
    fc.assert(fc.property(anyJudged, one => assert.equal(recommendation(one) === 'block', one.verdict === 'malicious')))
  })

  it('is never laxer with one more unfavourable signal', () => {
    const order = ['allow', 'review', 'block']
    fc.assert(
      fc.property(fc.subarray(known), fc.nat(), fc.constantFrom<Confidence>(...CONFIDENCES), (found, pick, sure) => {
        const more = known[pick % known.length] as (typeof known)[number]
        fc.pre(more.definition.weight >= 0)
        const of = (signals: typeof known) => {
          const { risk_score, details } = score(signals, DEFAULT_GROUPS)
          return order.indexOf(recommendation({ verdict: verdict(risk_score), confidence: sure, details }))
        }
        assert.ok(of([...found.filter(one => one !== more), more]) >= of(found.filter(one => one !== more)))
      }),
    )
  })

  it('has one reason, a short sentence', () => {
    fc.assert(
      fc.property(anyJudged, fc.constantFrom(ALL, NO_PAGE, WITHHELD, []), (one, seen) => {
        assert.match(recommendationReason(one, seen), /^.{6,240}[.!?…]$/u)
      }),
    )
  })
})
