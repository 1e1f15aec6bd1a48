import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Hooks } from '../../src/engine/plugin.ts'
import moon from '../fixtures/plugins/moon.js'
import { EXAMPLE, engineOf } from './engine_of.ts'

const extension = (apply: (hooks: Hooks) => void, parts: Record<string, unknown> = {}) => ({
  name: 'an_extension',
  description: 'For tests.',
  apply,
  ...parts,
})

const run = async (apply: (hooks: Hooks) => void, parts: Record<string, unknown> = {}) => {
  const defects: unknown[] = []
  const engine = engineOf([moon, extension(apply, parts)])
  const { result } = await engine.check(EXAMPLE, { observe: analysis => defects.push(analysis.defects) })
  return {
    result,
    defects: (defects[0] as { plugin: string; stage: string }[]).map(({ plugin, stage }) => [plugin, stage]),
  }
}

describe('an extension', () => {
  it('may adjust the score if it still adds up', async () => {
    const { result, defects } = await run(hooks =>
      hooks.score.tap('x', ({ details }) => ({ risk_score: 0, details: details.map(one => ({ ...one, points: 0 })) })),
    )
    assert.equal(result['risk_score'], 0)
    assert.deepEqual(defects, [])
  })

  const judged = ({ verdict, recommendation, recommendation_reason, confidence }: Record<string, unknown>) => [
    verdict,
    recommendation,
    recommendation_reason,
    confidence,
  ]

  it('changes verdict, recommendation and reason together through the score', async () => {
    const { result, defects } = await run(hooks =>
      hooks.score.tap('x', ({ details }) => ({
        risk_score: 80,
        details: details.map(one => (one.id === 'full_moon' ? { ...one, points: 80 } : one)),
      })),
    )
    assert.deepEqual(judged(result), ['malicious', 'block', 'It is full.', 'high'])
    assert.deepEqual(defects, [])
  })

  it('changes the recommendation through a severity', async () => {
    const { result } = await run(hooks =>
      hooks.score.tap('x', scored => ({
        ...scored,
        details: scored.details.map(one => ({ ...one, severity: 'critical' as const })),
      })),
    )
    assert.deepEqual(judged(result), ['safe', 'review', 'It is full.', 'high'])
  })

  it('changes the recommendation when it composes another score', async () => {
    const { result, defects } = await run(hooks =>
      hooks.compose.tap('x', result => ({
        ...result,
        risk_score: 40,
        verdict: 'suspicious',
        signal_details: (result['signal_details'] as { id: string }[]).map(one =>
          one.id === 'full_moon' ? { ...one, points: 40 } : one,
        ),
      })),
    )
    assert.deepEqual(judged(result), ['suspicious', 'review', 'It is full.', 'high'])
    assert.deepEqual(defects, [])
  })

  it('cannot recommend anything that score, signals and evidence contradict', async () => {
    const own = { recommendation: 'block', recommendation_reason: 'I say so.', confidence: 'low' }
    const { result } = await run(hooks => hooks.compose.tap('x', result => ({ ...result, ...own })))
    const reason = 'No serious risk was found, and all deciding evidence was seen.'
    assert.deepEqual(judged(result), ['safe', 'allow', reason, 'high'])
  })

  it('adds a field it declared', async () => {
    const fields = { motto: { type: 'string' } }
    const { result } = await run(hooks => hooks.compose.tap('x', result => ({ ...result, motto: 'hi' })), { fields })
    assert.equal(result['motto'], 'hi')
  })

  it('adds a field at the end of the result', async () => {
    const fields = { motto: { type: 'string' } }
    const { result } = await run(hooks => hooks.compose.tap('x', result => Object.assign(result, { motto: 'hi' })), {
      fields,
    })
    assert.equal(result['motto'], 'hi')
  })

  it('replaces the built-in gatherer with an earlier stage', async () => {
    const { result } = await run(hooks =>
      hooks.gather.for('addresses').tapPromise({ name: 'x', stage: -1 }, async () => ({ answers: [1, 2, 3] })),
    )
    assert.deepEqual(result['moon_phase'], { addresses: 3, phase: 'full' })
  })

  const boom = (): never => {
    throw new Error('boom')
  }
  const harmless: { title: string; apply: (hooks: Hooks) => void; stage: string; parts?: Record<string, unknown> }[] = [
    { title: 'throws beside the analyzers', apply: hooks => hooks.analyze.tap('x', boom), stage: 'analyze' },
    {
      title: 'rejects beside the analyzers',
      apply: hooks => hooks.analyze.tapPromise('x', async () => boom()),
      stage: 'analyze',
    },
    {
      title: 'calls back with an error beside the analyzers',
      apply: hooks => hooks.analyze.tapAsync('x', (_, done) => done(new Error('boom'))),
      stage: 'analyze',
    },
    { title: 'throws while scoring', apply: hooks => hooks.score.tap('x', boom), stage: 'score' },
    {
      title: 'yields a score its points do not add up to',
      apply: hooks => hooks.score.tap('x', scored => ({ ...scored, risk_score: 99 })),
      stage: 'score',
    },
    {
      title: 'yields points without what they are for',
      apply: hooks => hooks.score.tap('x', () => ({ risk_score: 10, details: [{ id: 'x', points: 10 }] as never })),
      stage: 'score',
    },
    {
      title: 'yields a score between two',
      apply: hooks =>
        hooks.score.tap('x', ({ details }) => ({
          risk_score: 70.5,
          details: details.map(one => ({ ...one, floor: 70.5 })),
        })),
      stage: 'score',
    },
    {
      title: 'changes the score where it stands, and no point',
      apply: hooks => hooks.score.tap('x', scored => Object.assign(scored, { risk_score: 99 })),
      stage: 'score',
    },
    {
      title: 'throws after it has changed points',
      apply: hooks =>
        hooks.score.tap('x', ({ details }) => {
          for (const detail of details) Object.assign(detail, { points: 0 })
          return boom()
        }),
      stage: 'score',
    },
    {
      title: 'changes the result where it stands into what violates its schema',
      apply: hooks => hooks.compose.tap('x', result => Object.assign(result, { verdict: 'clean' })),
      stage: 'compose',
    },
    {
      title: 'spoils a section while composing',
      apply: hooks =>
        hooks.compose.tap('x', result => {
          Object.assign(result['moon_phase'] as object, { phase: 1 })
          return result
        }),
      stage: 'compose',
    },
    {
      title: 'throws after it has changed the result',
      apply: hooks =>
        hooks.compose.tap('x', result => {
          Object.assign(result, { risk_score: 0, motto: 'hi' })
          return boom()
        }),
      stage: 'compose',
    },
    {
      title: 'composes a score that the points do not add up to',
      apply: hooks => hooks.compose.tap('x', result => ({ ...result, risk_score: 20 })),
      stage: 'compose',
    },
    {
      title: 'composes another verdict than the score’s',
      apply: hooks => hooks.compose.tap('x', result => ({ ...result, verdict: 'malicious', is_malicious: true })),
      stage: 'compose',
    },
    { title: 'throws while composing', apply: hooks => hooks.compose.tap('x', boom), stage: 'compose' },
    {
      title: 'breaks the result’s schema',
      apply: hooks => hooks.compose.tap('x', result => ({ ...result, verdict: 'clean' })),
      stage: 'compose',
    },
    {
      title: 'adds a field that is not what it declared',
      apply: hooks => hooks.compose.tap('x', result => ({ ...result, motto: 1 })),
      stage: 'compose',
      parts: { fields: { motto: { type: 'string' } } },
    },
  ]
  for (const { title, apply, stage, parts } of harmless) {
    it(`is skipped and named when it ${title}`, async () => {
      const { result, defects } = await run(apply, parts)
      assert.equal(result['risk_score'], 12)
      assert.equal(result['verdict'], 'safe')
      assert.deepEqual(
        (result['signal_details'] as { points: number }[]).map(({ points }) => points),
        [12, 0],
      )
      assert.deepEqual(result['moon_phase'], { addresses: 1, phase: 'full' })
      assert.equal(result['motto'] ?? null, null)
      assert.deepEqual(defects, [['an_extension', stage]])
    })
  }

  it('fails the check when it damages a section in place', async () => {
    const spoil = (hooks: Hooks) =>
      hooks.score.tap('x', (scored, { outcomes }) => {
        Object.assign(outcomes.get('moon_phase')?.section as object, { phase: 1 })
        return scored
      })
    await assert.rejects(run(spoil), /composed result violates its schema: .*moon_phase/)
  })

  it('is not waited for after the end of the check', async () => {
    const engine = engineOf([moon, extension(hooks => hooks.analyze.tapPromise('x', () => new Promise(() => {})))])
    const { result } = await engine.check(EXAMPLE, { left_ms: 50 })
    assert.equal(result['risk_score'], 12)
  })

  it('learns how long a check took, also one that is cancelled', async () => {
    let at = 0
    const taken: unknown[] = []
    const observer = extension(hooks => {
      hooks.analyze.tap('x', () => {
        at += 40
      })
      hooks.settled.tap('x', ({ result, duration_ms }) => void taken.push([result === null, duration_ms]))
    })
    const engine = engineOf([moon, observer], { clock: { now: () => 0, monotonic: () => at } })
    await engine.check(EXAMPLE)
    await assert.rejects(engine.check(EXAMPLE, { signal: AbortSignal.abort() }))
    assert.deepEqual(taken, [
      [false, 40],
      [true, 40],
    ])
  })

  it('does not affect the check when its observer throws', async () => {
    const { result } = await run(hooks => hooks.settled.tap('x', boom))
    assert.equal(result['risk_score'], 12)
  })
})
