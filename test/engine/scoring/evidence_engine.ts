// The engine as shipped over evidence that is given, with what each analyzer noticed.
import { builtInPlugins } from '../../../plugins/index.ts'
import { type Instruments, PROVED_INSTRUMENTS } from '../../../src/base/health/standing.ts'
import type { Analysis, GatherOutcome } from '../../../src/engine/analysis.ts'
import { BUILT_IN } from '../../../src/engine/contract.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import type { Extension } from '../../../src/engine/plugin.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import type { Confidence } from '../../../src/engine/scoring/confidence.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import type { Recommendation } from '../../../src/engine/scoring/recommendation.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'
import { NotApplicable, Unavailable } from '../../../src/evidence/facts.ts'
import type { CheckNetwork } from '../../../src/network/network.ts'
import type { Target } from '../../../src/targets/target.ts'
import { LONG_MS } from '../../patience.ts'

export type EvidenceGiven = Readonly<Record<string, GatherOutcome>>

/** What each target under way looks like. */
const given = new WeakMap<Target, EvidenceGiven>()

const answers: Extension = {
  name: 'given_evidence',
  description: 'Answers with what a test gives.',
  apply(hooks) {
    hooks.gather.intercept({
      factory(name, hook) {
        hook.tapPromise('given_evidence', async ({ target }) => settled(given.get(target)?.[name]))
        return hook
      },
    })
  },
}

function settled(gathered: GatherOutcome | undefined): unknown {
  if (gathered?.status === 'gathered') return gathered.value
  if (gathered?.status === 'not_applicable') throw new NotApplicable(gathered.reason)
  if (gathered?.status === 'failed') throw new Error(gathered.reason)
  throw new Unavailable(gathered?.reason ?? 'not_configured')
}

export const { registry: shipped } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })

let now = 0
let instruments = PROVED_INSTRUMENTS
const engine = createEngine({
  registry: { ...shipped, extensions: [{ ...answers, origin: BUILT_IN }, ...shipped.extensions] },
  open: () => ({}) as CheckNetwork,
  deadline_ms: LONG_MS,
  policy: 'test',
  instruments: {
    suspect: (...suspicion) => instruments.suspect(...suspicion),
    resolver: () => instruments.resolver(),
    wayOut: addresses => instruments.wayOut(addresses),
  },
  clock: { now: () => now, monotonic: () => performance.now() },
})

export interface Judged {
  readonly verdict: string
  readonly risk: number
  readonly recommendation: Recommendation
  readonly recommendation_reason: string
  readonly confidence: Confidence
  readonly details: readonly SignalDetail[]
  readonly coverage: { readonly complete: boolean; readonly ratio: number }
  readonly analysis: Analysis
}

/** Rejects as a check does. One at a time: `standing` is that of our instruments meanwhile. */
export async function judge(
  target: Target,
  evidence: EvidenceGiven,
  at: Date,
  standing: Instruments = PROVED_INSTRUMENTS,
): Promise<Judged> {
  instruments = standing
  const own = { ...target }
  given.set(own, evidence)
  now = at.getTime()
  const seen: Analysis[] = []
  const { result } = await engine.check(own, { observe: analysis => seen.push(analysis) })
  return {
    verdict: result['verdict'] as string,
    risk: result['risk_score'] as number,
    recommendation: result['recommendation'] as Recommendation,
    recommendation_reason: result['recommendation_reason'] as string,
    confidence: result['confidence'] as Confidence,
    details: result['signal_details'] as readonly SignalDetail[],
    coverage: result['coverage'] as Judged['coverage'],
    analysis: seen[0] as Analysis,
  }
}
