// Runs one analyzer: passes it its evidence, validates its finding and contains its failures. Never rejects.
import { missedReason } from '../evidence/facts.ts'
import type { Analysis, Gathered, Outcome } from './analysis.ts'
import { accept, Broken, type Concluded, without } from './finding.ts'
import { evidenceOf, type ReadyAnalyzer } from './registry.ts'

/** Runs the analyzer as soon as its own evidence has arrived. */
export async function attempt(ready: ReadyAnalyzer, analysis: Analysis): Promise<Outcome> {
  const began = analysis.elapsed()
  const concluded = await conclude(ready, analysis)
  return { duration_ms: Math.max(0, Math.round(analysis.elapsed() - began)), ...concluded }
}

async function conclude(ready: ReadyAnalyzer, analysis: Analysis): Promise<Concluded> {
  const { analyzer } = ready
  const { target } = analysis
  if (!analyzer.targets.includes(target.kind)) return without('not_applicable', `${target.kind}_target`)
  const names = evidenceOf(analyzer)
  const gathered = await Promise.all(names.map(name => analysis.gather(name)))
  const lacking = gathered.slice(0, analyzer.needs.length).find(one => one.status !== 'gathered')
  if (lacking && 'reason' in lacking) return without(lacking.status, lacking.reason)
  try {
    const evidence = Object.freeze(Object.fromEntries(names.map((name, i) => [name, gatheredValue(gathered[i])])))
    const missing = missingOf(names, gathered)
    const context = { target, now: analysis.now, options: ready.options as never, missing }
    const answer = ready.elsewhere
      ? await ready.elsewhere(evidence, context, analysis.left())
      : analyzer.analyze(evidence as never, context)
    return accept(ready, answer, missedReason(missing))
  } catch (error) {
    analysis.defects.push({ plugin: analyzer.name, stage: 'analyze', error })
    return without('failed', error instanceof Broken ? error.reason : 'threw')
  }
}

const missingOf = (names: readonly string[], gathered: readonly Gathered[]) =>
  Object.fromEntries(
    gathered.flatMap((one, i) => {
      const name = names[i]
      return name === undefined || one.status === 'gathered' ? [] : [[name, { status: one.status, reason: one.reason }]]
    }),
  )

const gatheredValue = (gathered: Gathered | undefined) => (gathered?.status === 'gathered' ? gathered.value : null)
