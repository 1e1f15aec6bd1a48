import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import type { Gathered } from '../../src/engine/analysis.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { NotApplicable, Unavailable } from '../../src/engine/outcome.ts'
import type { Extension } from '../../src/engine/plugin.ts'
import { BUILT_IN, createRegistry } from '../../src/engine/registry.ts'
import type { Target } from '../../src/engine/target.ts'
import type { CheckNetwork } from '../../src/network/network.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'
import { abuseSituations } from './scenarios/abuse.ts'
import { addressSituations } from './scenarios/addresses.ts'
import { honestSituations } from './scenarios/honest.ts'
import { NOW, seen, targetOf } from './scenarios/seen.ts'
import type { Situation } from './scenarios/situation.ts'

const situations = [...honestSituations, ...abuseSituations, ...addressSituations]

/** What each target under way looks like. */
const evidence = new WeakMap<Target, Readonly<Record<string, Gathered>>>()

const answers: Extension = {
  name: 'situations',
  description: 'Answers for situations.',
  apply(hooks) {
    hooks.gather.intercept({
      factory(name, hook) {
        hook.tapPromise('situations', async ({ target }) => answerFrom(evidence.get(target)?.[name]))
        return hook
      },
    })
  },
}

function answerFrom(gathered: Gathered | undefined): unknown {
  if (gathered?.status === 'gathered') return gathered.value
  if (gathered?.status === 'not_applicable') throw new NotApplicable(gathered.reason)
  throw new Unavailable(gathered?.reason ?? 'not_configured')
}

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const engine = createEngine({
  registry: { ...registry, extensions: [{ ...answers, origin: BUILT_IN }, ...registry.extensions] },
  open: () => ({}) as CheckNetwork,
  deadline_ms: 8_000,
  policy: 'scenarios',
  clock: { now: () => NOW.getTime(), monotonic: () => performance.now() },
})

interface Detail {
  readonly id: string
  readonly points: number
  readonly floor: number | null
}

async function judged(situation: Situation) {
  const target = targetOf(situation)
  evidence.set(target, await seen(situation, target))
  const { result } = await engine.check(target)
  const details = result['signal_details'] as readonly Detail[]
  return {
    verdict: result['verdict'],
    risk: result['risk_score'],
    details,
    found: new Set(details.map(({ id }) => id)),
  }
}

/** For whoever must mend it: the points, most first. */
const reckoning = (risk: unknown, details: readonly Detail[]): string =>
  `${risk}: ${details.map(({ id, points }) => `${id} ${points}`).join(', ')}`

describe('the verdict of a sober analyst', () => {
  for (const situation of situations) {
    const { of, verdict, signals, never = [] } = situation
    it(`is ${verdict} for ${of}`, async () => {
      const { verdict: given, risk, details, found } = await judged(situation)
      assert.equal(given, verdict, reckoning(risk, details))
      assert.deepEqual(
        signals.filter(id => !found.has(id)),
        [],
        `signals are missing of ${reckoning(risk, details)}`,
      )
      assert.deepEqual(
        never.filter(id => found.has(id)),
        [],
      )
    })
  }

  it('is asked for in at least sixty situations, each told once, of every verdict', () => {
    assert.ok(situations.length >= 60)
    assert.equal(new Set(situations.map(({ of }) => of)).size, situations.length)
    assert.deepEqual(new Set(situations.map(({ verdict }) => verdict)), new Set(['safe', 'suspicious', 'malicious']))
  })
})
