// One analyzer's turn: its evidence in, its contribution checked, its failure kept to itself. Never rejects.
import type { Analysis, Gathered, Outcome } from './analysis.ts'
import { accept, Broken, type Concluded, without } from './finding.ts'
import { evidenceOf, type ReadyAnalyzer } from './registry.ts'

/** Runs the analyzer as soon as its own evidence is in. */
export async function attempt(ready: ReadyAnalyzer, analysis: Analysis): Promise<Outcome> {
  const began = analysis.elapsed()
  const concluded = await conclude(ready, analysis)
  return { ...concluded, duration_ms: Math.max(0, Math.round(analysis.elapsed() - began)) }
}

async function conclude(ready: ReadyAnalyzer, analysis: Analysis): Promise<Concluded> {
  const { analyzer } = ready
  const { target } = analysis
  if (!analyzer.targets.includes(target.kind)) return without('not_applicable', `${target.kind}_target`)
  const names = evidenceOf(analyzer)
  const gathered = await Promise.all(names.map(name => analysis.gather(name)))
  const missing = gathered.slice(0, analyzer.needs.length).find(one => one.status !== 'gathered')
  if (missing && 'reason' in missing) return without(missing.status, missing.reason)
  try {
    const evidence = Object.freeze(Object.fromEntries(names.map((name, i) => [name, gatheredValue(gathered[i])])))
    const context = { target, now: analysis.now, options: ready.options as never }
    return accept(ready, analyzer.analyze(evidence as never, context))
  } catch (error) {
    analysis.defects.push({ plugin: analyzer.name, stage: 'analyze', error })
    return without('failed', error instanceof Broken ? error.reason : 'threw')
  }
}

const gatheredValue = (gathered: Gathered | undefined) => (gathered?.status === 'gathered' ? gathered.value : null)
