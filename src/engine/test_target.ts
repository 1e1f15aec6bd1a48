// Test targets: names below one that the configuration reserves, with fixed results for programs that ask the service. Nothing is looked up.
import type { Target, TestKind } from '../targets/target.ts'
import { AnalysisUnavailable, type Outcome } from './analysis.ts'
import { compose, type Judgement } from './compose.ts'
import type { Engine } from './engine.ts'
import type { Registry } from './registry.ts'
import type { SignalDetail } from './scoring/scored.ts'
import { verdict } from './scoring/verdict.ts'

/** The ID of the signal, and the reason of every section. */
const TEST = 'test_target'

/** Points of each result: in the middle of its range. */
const POINTS = { safe: 0, review: 50, block: 90 } as const satisfies Record<Exclude<TestKind, 'unavailable'>, number>

const ADVICE = { safe: 'allow', review: 'review', block: 'block' } as const

const explanation = (recommendation: string): string =>
  `This is a test target, which always has the recommendation ${recommendation}.`

/** The same engine, which answers test targets without a check. */
export function withTestTargets(
  engine: Engine,
  { registry, policy, now }: { readonly registry: Registry; readonly policy: string; readonly now: () => number },
): Engine {
  return {
    ...engine,
    async check(target, options) {
      const { test } = target
      if (test === undefined) return engine.check(target, options)
      if (test === 'unavailable')
        throw new AnalysisUnavailable({ reason: TEST, detail: 'This is a test target, which can never be checked.' })
      // A provisional result is not kept among the results of real targets.
      return {
        result: testResult(registry, target, test, policy, new Date(now())),
        class: 'complete',
        provisional: true,
      }
    },
  }
}

function testResult(
  registry: Registry,
  target: Target,
  kind: Exclude<TestKind, 'unavailable'>,
  policy: string,
  now: Date,
): Readonly<Record<string, unknown>> {
  const points = POINTS[kind]
  const advice = ADVICE[kind]
  const outcome: Outcome = { status: 'not_applicable', reason: TEST, section: null, signals: [], duration_ms: 0 }
  const enabledAnalyzers = registry.analyzers.filter(({ enabled }) => enabled)
  const outcomes = new Map(enabledAnalyzers.map(({ analyzer: { name } }) => [name, outcome]))
  const analysis = {
    target,
    now,
    outcomes,
    defects: [],
    evidence: new Map(),
    unread: new Set<string>(),
    missing: [],
    gather: async () => ({ status: 'not_applicable', reason: TEST }) as const,
    elapsed: () => 0,
    left: () => 0,
    cpu: { run: async <T>(step: () => T) => step() },
  }
  const details = points === 0 ? [] : [detail(points, advice)]
  const judgement: Judgement = {
    verdict: verdict(points),
    is_malicious: verdict(points) === 'malicious',
    threat_types: points === 0 ? [] : ['phishing'],
    recommendation: advice,
    recommendation_reason: explanation(advice),
    confidence: 'high',
  }
  return { ...compose(registry, analysis, { risk_score: points, details }, policy), ...judgement, test: true }
}

const detail = (points: number, advice: string): SignalDetail => ({
  id: TEST,
  section: TEST,
  group: 'reputation',
  severity: points > 70 ? 'critical' : 'medium',
  points,
  floor: null,
  threat_types: ['phishing'],
  evidence: {},
  title: 'Test target',
  detail: explanation(advice),
})
