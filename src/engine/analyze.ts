// Runs one analyzer: passes it its evidence, validates its finding and contains its failures.
import { CPU_OVER } from '../base/cpu_queue.ts'
import { didYouMean, faultLine } from '../base/fault.ts'
import { isReason, missedReason, NOT_ANALYSED } from '../evidence/facts.ts'
import type { Analysis, GatherOutcome, Outcome } from './analysis.ts'
import { BUILT_IN } from './contract.ts'
import { A_PROMISE, analyzeExplained, BrokenPlugin } from './explained.ts'
import { schemaFault } from './json_schema.ts'
import type { Finding } from './plugin.ts'
import { evidenceOf, type ReadyAnalyzer } from './registry.ts'
import type { SignalFound } from './scoring/signal.ts'
import { isThreatTypes, THREAT_TYPES } from './scoring/threats.ts'

/** Runs the analyzer as soon as its own evidence has arrived. */
export async function attempt(ready: ReadyAnalyzer, analysis: Analysis): Promise<Outcome> {
  const began = analysis.elapsed()
  const conclusion = await conclude(ready, analysis)
  const duration = Math.max(0, Math.round(analysis.elapsed() - began))
  return { duration_ms: duration, ...(isSupplementary(ready) && { supplementary: true }), ...conclusion }
}

const isSupplementary = ({ analyzer }: ReadyAnalyzer): boolean =>
  analyzer.optional === true && Object.keys(analyzer.signals).length === 0

async function conclude(ready: ReadyAnalyzer, analysis: Analysis): Promise<Conclusion> {
  const { analyzer } = ready
  const { target } = analysis
  if (!analyzer.targets.includes(target.kind)) return without('not_applicable', `${target.kind}_target`)
  const names = evidenceOf(analyzer)
  const outcomes = await Promise.all(names.map(name => analysis.gather(name)))
  const lacking = outcomes.slice(0, analyzer.needs.length).find(one => one.status !== 'gathered')
  if (lacking && 'reason' in lacking) return without(lacking.status, lacking.reason)
  try {
    const evidence = Object.freeze(Object.fromEntries(names.map((name, i) => [name, gatheredValue(outcomes[i])])))
    const missing = missingOf(names, outcomes)
    const context = { target, now: analysis.now, options: ready.options as never, missing }
    const answer = ready.elsewhere && (await ready.elsewhere.analyze(evidence, context, analysis.left()))
    const analyze = () =>
      ready.origin === BUILT_IN
        ? analyzer.analyze(evidence as never, context)
        : analyzeExplained(analyzer, evidence, context)
    return await analysis.cpu.run(() => accept(ready, ready.elsewhere ? answer : analyze(), missedReason(missing)))
  } catch (error) {
    if (error === CPU_OVER) {
      for (const name of names) analysis.unread.add(name)
      return without('unavailable', NOT_ANALYSED)
    }
    analysis.defects.push({ plugin: analyzer.name, stage: 'analyze', error })
    return without('failed', error instanceof BrokenPlugin ? error.reason : 'threw')
  }
}

const missingOf = (names: readonly string[], outcomes: readonly GatherOutcome[]) =>
  Object.fromEntries(
    outcomes.flatMap((one, i) => {
      const name = names[i]
      return name === undefined || one.status === 'gathered' ? [] : [[name, { status: one.status, reason: one.reason }]]
    }),
  )

const gatheredValue = (gatherOutcome: GatherOutcome | undefined) =>
  gatherOutcome?.status === 'gathered' ? gatherOutcome.value : null

/** Maximum size of a finding as JSON: eight of this size fit in the 256 KiB of a response. */
const FINDING_BYTES = 32 * 1024

export type Conclusion = Omit<Outcome, 'duration_ms' | 'supplementary'>

export const without = (
  status: Outcome['status'],
  reason: string,
  signals: readonly SignalFound[] = [],
): Conclusion => ({ status, reason, section: null, signals })

/**
 * `missingReason` is the reason for sections that do not state one themselves. Throws `BrokenPlugin`, or what the answer throws when
 * read.
 */
export function accept(ready: ReadyAnalyzer, answer: unknown, missingReason: string | null = null): Conclusion {
  const finding = findingOf(ready, answer)
  const signals = acceptSignals(ready, finding.signals ?? [])
  if ('notApplicable' in finding) return without('not_applicable', acceptReason(finding.notApplicable), signals)
  if ('unavailable' in finding) return without('unavailable', acceptReason(finding.unavailable), signals)
  const { section, unknown = missingReason } = finding
  const complaint = ready.complaint(section)
  if (complaint !== null) {
    const fault = faultLine(schemaFault('section', complaint))
    throw new BrokenPlugin('invalid_section', `analyze returned what "schema" does not allow: ${fault}`)
  }
  return { status: 'completed', reason: unknown === null ? null : acceptReason(unknown), section, signals }
}

/** A third-party finding is reduced to its JSON: no getters, no cycles, bounded size. */
function findingOf({ origin }: ReadyAnalyzer, answer: unknown): Finding<unknown, string> {
  const fault = findingFault(answer)
  if (fault !== null) throw new BrokenPlugin('not_a_finding', `analyze returned ${fault}`)
  if (origin === BUILT_IN) return answer as Finding<unknown, string>
  const text = JSON.stringify(answer)
  if (Buffer.byteLength(text) > FINDING_BYTES) {
    throw new BrokenPlugin('finding_too_large', `more than ${FINDING_BYTES} octets of JSON`)
  }
  return JSON.parse(text)
}

const FINDING = 'return { section, signals }, { notApplicable } or { unavailable }'

/** What an answer is if it is not a finding. */
function findingFault(answer: unknown): string | null {
  if (answer === undefined || answer === null) return `nothing: ${FINDING}`
  if (typeof answer !== 'object') return `a value of type ${typeof answer}: ${FINDING}`
  if ('then' in answer) return A_PROMISE
  const isFinding = ['section', 'notApplicable', 'unavailable'].some(key => key in answer)
  return isFinding ? null : `an object without "section": ${FINDING}`
}

function acceptReason(reason: unknown): string {
  if (!isReason(reason))
    throw new BrokenPlugin(
      'invalid_reason',
      `the reason ${JSON.stringify(reason)} must be a slug of at most 64 characters, such as "servfail"`,
    )
  return reason
}

function acceptSignals(ready: ReadyAnalyzer, signals: unknown): readonly SignalFound[] {
  if (!Array.isArray(signals)) throw new BrokenPlugin('invalid_signal', '"signals" must be an array')
  const signalIds = new Set<unknown>()
  for (const signal of signals as readonly (SignalFound | null)[]) {
    const fault = signalFault(ready, signal) ?? (signalIds.has(signal?.id) ? 'was returned twice' : null)
    if (fault !== null) throw new BrokenPlugin('invalid_signal', `signal "${String(signal?.id)}" ${fault}`)
    signalIds.add(signal?.id)
  }
  return signals
}

function signalFault({ signals }: ReadyAnalyzer, signal: SignalFound | null): string | null {
  const { id, strength = 1, detail = '', evidence = {}, threat_types = [] } = signal ?? {}
  if (typeof id !== 'string' || !Object.hasOwn(signals, id))
    return `is not declared in "signals"${didYouMean(String(id), Object.keys(signals))}`
  if (typeof strength !== 'number' || !(strength >= 0 && strength <= 1)) return 'has a strength outside 0 to 1'
  if (typeof detail !== 'string') return 'has a detail that is not a string'
  if (evidence === null || typeof evidence !== 'object' || Array.isArray(evidence))
    return 'has evidence that is not an object'
  if (!isThreatTypes(threat_types)) return `has threat types other than ${THREAT_TYPES.join(', ')}`
  return null
}
