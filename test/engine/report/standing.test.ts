// What the report says of a whole result and of each section: colours by severity, and no green for what was not seen.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Coverage, coverageWords, type SectionCoverage, seenPercent } from '../../../src/engine/report/reasons.ts'
import { standing, toneOf } from '../../../src/engine/report/report.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const

const found = (severity: SignalDetail['severity'], points = 0): SignalDetail => ({
  id: 'a_signal',
  section: 'dns_security',
  group: 'hygiene',
  severity,
  points,
  floor: null,
  title: 'A signal',
  detail: null,
  evidence: {},
})

const section = (status: SectionCoverage['status'] = 'completed', reason: string | null = null) => ({
  status,
  reason,
  duration_ms: 0,
})

describe('the headline', () => {
  const cases: readonly (readonly [what: string, result: Partial<Parameters<typeof toneOf>[0]>, tone: string])[] = [
    ['an allowed target of which enough was seen', {}, 'good'],
    ['an allowed target of which not all was seen', { confidence: 'medium' }, 'unknown'],
    ['one to review because little was seen', { recommendation: 'review', confidence: 'low' }, 'unknown'],
    ['one to review for what was found', { recommendation: 'review', signal_details: [found('high')] }, 'doubtful'],
    ['one to review that is suspicious', { recommendation: 'review', verdict: 'suspicious' }, 'doubtful'],
    ['one to block', { recommendation: 'block', verdict: 'malicious' }, 'bad'],
  ]
  for (const [what, result, tone] of cases) {
    it(`is ${tone} for ${what}`, () => {
      const allowed = { recommendation: 'allow', verdict: 'safe', confidence: 'high', signal_details: [] } as const
      assert.equal(toneOf({ ...allowed, ...result }), tone)
    })
  }
})

describe('a section', () => {
  const cases: readonly (readonly [
    what: string,
    given: { coverage?: SectionCoverage; details?: readonly SignalDetail[]; score?: number | null; informs?: boolean },
    standing: { text: string; tone: string },
  ])[] = [
    ['nothing was found', {}, { text: 'No issues', tone: 'good' }],
    ['a small fault cost many points', { details: [found('low', 15)] }, { text: 'Low, +15 points', tone: 'low' }],
    ['a ceiling left a serious one a point', { details: [found('high', 1)] }, { text: 'High, +1 point', tone: 'high' }],
    ['a ceiling left a serious one nothing', { details: [found('critical')] }, { text: 'Critical', tone: 'critical' }],
    ['only facts were found', { details: [found('info')] }, { text: 'No issues', tone: 'good' }],
    ['something speaks for it', { details: [found('info', -10)] }, { text: '−10 points', tone: 'good' }],
    [
      'a part was not seen',
      { coverage: section('completed', 'page_withheld') },
      { text: 'Seen in part', tone: 'unknown' },
    ],
    [
      'a part was not seen, but a fault was',
      { coverage: section('completed', 'page_withheld'), details: [found('medium', 3)] },
      { text: 'Medium, +3 points', tone: 'medium' },
    ],
    [
      'it could not be seen',
      { coverage: section('unavailable', 'servfail') },
      { text: 'Could not be seen', tone: 'unknown' },
    ],
    [
      'there is nothing to look at',
      { coverage: section('not_applicable', 'ip_target') },
      { text: 'Nothing to look at', tone: 'unknown' },
    ],
    ['it scores below good', { score: 54 }, { text: '54 of 100', tone: 'low' }],
    ['it scores well', { score: 85 }, { text: '85 of 100', tone: 'good' }],
    ['there was no page to judge', { score: null }, { text: 'Not scored', tone: 'unknown' }],
    ['it judges nothing', { informs: true }, { text: 'Informational', tone: 'info' }],
  ]
  for (const [what, { coverage = section(), details = [], informs = false, ...graded }, expected] of cases) {
    it(`has the right colour and words if ${what}`, () => {
      assert.deepEqual(standing(coverage, details, graded, informs), expected)
    })
  }

  it('has the same colour for the same fault, whatever points the group’s ceiling leaves', () => {
    const severity = fc.constantFrom(...SEVERITIES)
    const points = fc.integer({ min: -300, max: 900 }).map(tenths => tenths / 10)
    fc.assert(
      fc.property(fc.array(severity, { minLength: 1 }), fc.array(points), fc.array(points), (all, some, others) => {
        const toneWith = (left: readonly number[]) =>
          standing(
            section(),
            all.map((one, i) => found(one, left[i] ?? 0)),
            {},
            false,
          ).tone
        assert.equal(toneWith(some), toneWith(others))
      }),
    )
  })
})

describe('coverage', () => {
  const of = (complete: boolean, ratio: number, ...sections: SectionCoverage[]): Coverage => ({
    complete,
    ratio,
    sections: Object.fromEntries(sections.map((one, i) => [`s${i}`, one])),
  })
  const cases: readonly (readonly [what: string, coverage: Coverage, percent: number, meaning: RegExp])[] = [
    ['everything was seen', of(true, 1, section()), 100, /^Complete: all evidence/],
    [
      'something does not apply',
      of(true, 1, section(), section('not_applicable')),
      100,
      /^Complete: all applicable evidence with a source was seen\.$/,
    ],
    [
      'a source is not there',
      of(true, 1, section('unavailable', 'not_configured')),
      100,
      /^Complete: all applicable evidence with a source was seen\.$/,
    ],
    [
      'a browser draws more of the page',
      of(true, 1, section('completed', 'script_not_run')),
      100,
      /^All evidence that this check reads was seen, but it does not cover everything\.$/,
    ],
    ['a part is missing', of(false, 0.85, section('completed', 'some_lists_silent')), 85, /^85 % .* unknown/],
    ['hardly anything is missing', of(false, 1, section()), 99, /^99 % .* unknown/],
    ['nothing was seen', of(false, 0, section('unavailable', 'deadline')), 0, /^0 % .* unknown/],
  ]
  for (const [what, coverage, percent, words] of cases) {
    it(`claims no more than was seen if ${what}`, () => {
      assert.equal(seenPercent(coverage), percent)
      assert.match(coverageWords(coverage), words)
    })
  }
})
