// The engine as shipped over evidence that is given, with what each analyzer noticed.
import { builtInPlugins } from '../../plugins/index.ts'
import type { Analysis, Gathered } from '../../src/engine/analysis.ts'
import { BUILT_IN } from '../../src/engine/contract.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Extension } from '../../src/engine/plugin.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/decline.ts'
import type { CheckNetwork } from '../../src/network/network.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'
import type { SignalDetail } from '../../src/scoring/scored.ts'
import type { Target } from '../../src/target/target.ts'

export type EvidenceGiven = Readonly<Record<string, Gathered>>

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

function settled(gathered: Gathered | undefined): unknown {
  if (gathered?.status === 'gathered') return gathered.value
  if (gathered?.status === 'not_applicable') throw new NotApplicable(gathered.reason)
  if (gathered?.status === 'failed') throw new Error(gathered.reason)
  throw new Unavailable(gathered?.reason ?? 'not_configured')
}

export const { registry: shipped } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })

let now = 0
const engine = createEngine({
  registry: { ...shipped, extensions: [{ ...answers, origin: BUILT_IN }, ...shipped.extensions] },
  open: () => ({}) as CheckNetwork,
  deadline_ms: 8_000,
  policy: 'test',
  clock: { now: () => now, monotonic: () => performance.now() },
})

export interface Judged {
  readonly verdict: string
  readonly risk: number
  readonly details: readonly SignalDetail[]
  readonly coverage: { readonly complete: boolean; readonly ratio: number }
  readonly analysis: Analysis
}

/** Rejects as a check does. */
export async function judge(target: Target, evidence: EvidenceGiven, at: Date): Promise<Judged> {
  const own = { ...target }
  given.set(own, evidence)
  now = at.getTime()
  const seen: Analysis[] = []
  const { result } = await engine.check(own, { observe: analysis => seen.push(analysis) })
  return {
    verdict: result['verdict'] as string,
    risk: result['risk_score'] as number,
    details: result['signal_details'] as readonly SignalDetail[],
    coverage: result['coverage'] as Judged['coverage'],
    analysis: seen[0] as Analysis,
  }
}
