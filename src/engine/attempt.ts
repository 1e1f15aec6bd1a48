// One analyzer's turn: its evidence in, its contribution checked, its failure kept to itself. Never rejects.
import type { Analysis, Gathered, Outcome } from './analysis.ts'
import type { Finding } from './plugin.ts'
import { BUILT_IN, evidenceOf, type ReadyAnalyzer } from './registry.ts'
import type { SignalFound } from './signal.ts'

/** Octets of JSON a section may come to: eight such sections still leave the answer within its 256 KiB. */
const SECTION_BYTES = 32 * 1024

/** Runs the analyzer as soon as its own evidence is in. */
export async function attempt(ready: ReadyAnalyzer, analysis: Analysis): Promise<Outcome> {
  const began = analysis.elapsed()
  const concluded = await conclude(ready, analysis)
  return { ...concluded, duration_ms: Math.max(0, Math.round(analysis.elapsed() - began)) }
}

type Concluded = Omit<Outcome, 'duration_ms'>

async function conclude(ready: ReadyAnalyzer, analysis: Analysis): Promise<Concluded> {
  const { analyzer } = ready
  const { target } = analysis
  if (!analyzer.targets.includes(target.kind)) return without('not_applicable', `${target.kind}_target`)
  const names = evidenceOf(analyzer)
  const gathered = await Promise.all(names.map(name => analysis.gather(name)))
  const missing = gathered.slice(0, analyzer.needs.length).find(one => one.status !== 'gathered')
  if (missing && 'reason' in missing) return without(missing.status, missing.reason)
  try {
    const evidence = Object.freeze(Object.fromEntries(names.map((name, i) => [name, valueOf(gathered[i])])))
    const context = { target, now: analysis.now, options: ready.options as never }
    return accept(ready, analyzer.analyze(evidence as never, context))
  } catch (error) {
    analysis.defects.push({ plugin: analyzer.name, stage: 'analyze', error })
    return without('failed', error instanceof Broken ? error.reason : 'threw')
  }
}

const valueOf = (gathered: Gathered | undefined) => (gathered?.status === 'gathered' ? gathered.value : null)

const without = (status: Outcome['status'], reason: string, signals: readonly SignalFound[] = []): Concluded => ({
  status,
  reason,
  section: null,
  signals,
})

/** A contribution that breaks the contract; `reason` is the slug the client reads. */
class Broken extends Error {
  readonly reason: string
  constructor(reason: string, detail: string) {
    super(detail)
    this.reason = reason
  }
}

function accept(ready: ReadyAnalyzer, finding: Finding<unknown, string>): Concluded {
  if (finding === null || typeof finding !== 'object' || 'then' in finding) {
    throw new Broken('not_a_finding', 'analyze must return a finding, synchronously')
  }
  const signals = acceptSignals(ready, finding.signals ?? [])
  if ('notApplicable' in finding) return without('not_applicable', finding.notApplicable, signals)
  if ('unavailable' in finding) return without('unavailable', finding.unavailable, signals)
  const section = ready.origin === BUILT_IN ? finding.section : asJson(finding.section)
  if (!ready.validate(section)) {
    const [first] = ready.validate.errors ?? []
    throw new Broken('invalid_section', `section${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`)
  }
  return { status: 'completed', reason: finding.unknown ?? null, section, signals }
}

function acceptSignals(ready: ReadyAnalyzer, signals: readonly SignalFound[]): readonly SignalFound[] {
  const seen = new Set<string>()
  for (const { id, strength = 1 } of signals) {
    if (!Object.hasOwn(ready.signals, id)) throw new Broken('invalid_signal', `signal "${id}" was not declared`)
    if (seen.has(id)) throw new Broken('invalid_signal', `signal "${id}" was returned twice`)
    if (!(strength >= 0 && strength <= 1))
      throw new Broken('invalid_signal', `signal "${id}" has a strength outside 0 to 1`)
    seen.add(id)
  }
  return signals
}

/** A stranger's section as the JSON it will become: no getters, no cycles, no surprises, not too much. */
function asJson(section: unknown): unknown {
  const text = JSON.stringify(section) ?? 'null'
  if (Buffer.byteLength(text) > SECTION_BYTES)
    throw new Broken('section_too_large', `more than ${SECTION_BYTES} octets of JSON`)
  return JSON.parse(text)
}
