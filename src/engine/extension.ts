// Protects a check from extensions: the failure of a tapped function is contained and attributed.

import type { GatherContext } from '../evidence/evidence.ts'
import type { Analysis } from './analysis.ts'
import { judge } from './compose.ts'
import { BUILT_IN } from './contract.ts'
import type { Hooks } from './hooks.ts'
import { declaredHosts, narrowContext } from './hosts.ts'
import { sectionValidator } from './json_schema.ts'
import type { ReadyExtension } from './references.ts'
import { HEAD } from './result_fields.ts'
import { riskScore } from './scoring/score.ts'
import type { Scored, SignalDetail } from './scoring/scored.ts'
import { verdict } from './scoring/verdict.ts'

/** The first schema error of a result without its request-specific members, or null. */
export type ResultValidator = (result: Readonly<Record<string, unknown>>) => unknown

type Owner = Pick<ReadyExtension, 'name' | 'origin' | 'hosts' | 'optionValues'>

type Tap = { fn: unknown }
type AnalyzeTap = { type: string; fn: (analysis: Analysis, done: (error?: unknown) => void) => unknown }

type GatherTap = { fn: (context: GatherContext, ...rest: unknown[]) => unknown }

/**
 * Wraps every function that an extension taps while `during` runs. If a tap throws or returns an invalid score or
 * result, the previous value is kept and the defect is recorded. A third-party tap gets a copy, so that changes in
 * place are validated like a returned value, and values derived from the score and the signals (confidence,
 * recommendation and its reason) are recomputed. No tap outlasts its check. A gatherer reaches the hosts that its extension declares.
 */
export function guardHooks(hooks: Hooks, complaintOf: ResultValidator) {
  let owner: Owner = { name: 'engine', origin: BUILT_IN }
  const register = (stage: string, sound: (value: never) => boolean) => ({
    register: <T extends Tap>(tap: T): T => ({ ...tap, fn: guardHook(owner, stage, tap.fn as never, sound) }),
  })
  hooks.gather.intercept({
    factory(_, hook) {
      hook.intercept({ register: tap => ({ ...tap, fn: reaching(owner, (tap as unknown as GatherTap).fn) }) })
      return hook
    },
  })
  hooks.analyze.intercept({
    register: tap => ({ ...tap, type: 'promise', fn: guardAnalyzeTap(owner, tap as unknown as AnalyzeTap) }),
  })
  hooks.score.intercept(register('score', isScored))
  hooks.compose.intercept(register('compose', isObject))
  hooks.settled.intercept({
    register: tap => ({
      ...tap,
      fn: (...args: unknown[]) => quietly(() => (tap.fn as (...args: unknown[]) => void)(...args)),
    }),
  })

  function guardAnalyzeTap({ name }: Owner, { type, fn }: AnalyzeTap) {
    const callHook = (analysis: Analysis) =>
      type === 'async'
        ? new Promise<void>((resolve, reject) => fn(analysis, error => (error ? reject(error) : resolve())))
        : fn(analysis, () => {})
    return async (analysis: Analysis): Promise<void> => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise(resolve => {
        timer = setTimeout(resolve, analysis.left())
      })
      try {
        await Promise.race([callHook(analysis), late])
      } catch (error) {
        analysis.defects.push({ plugin: name, stage: 'analyze', error })
      } finally {
        clearTimeout(timer)
      }
    }
  }

  function guardHook(
    { name, origin }: Owner,
    stage: string,
    fn: (value: unknown, analysis: Analysis) => unknown,
    sound: (value: never) => boolean,
  ) {
    return (value: unknown, analysis: Analysis): unknown => {
      try {
        const argument = origin === BUILT_IN ? value : structuredClone(value)
        const answer = fn(argument, analysis)
        const next = answer === undefined ? argument : answer
        if (!sound(next as never)) throw new Error(`returned an invalid ${stage} value`)
        return stage === 'compose' && origin !== BUILT_IN ? judgedAnew(next as Record<string, unknown>, analysis) : next
      } catch (error) {
        analysis.defects.push({ plugin: name, stage, error })
        return value
      }
    }
  }

  function judgedAnew(next: Record<string, unknown>, analysis: Analysis): Record<string, unknown> {
    const complaint = complaintOf(next)
    if (complaint !== null) throw new Error(`violates the result's schema: ${JSON.stringify(complaint)}`)
    const judgement = next as unknown as Judgement
    if (!agrees(judgement)) throw new Error('its points, score and verdict are inconsistent')
    return { ...next, ...judge({ risk_score: judgement.risk_score, details: judgement.signal_details }, analysis) }
  }

  return {
    /** Attributes every tap made by `apply` to this extension. */
    during(extension: Owner, apply: () => void): void {
      owner = extension
      apply()
    },
  }
}

/** Built-in gatherers may reach every host. */
function reaching(owner: Owner, fn: GatherTap['fn']): GatherTap['fn'] {
  if (owner.origin === BUILT_IN && owner.hosts === undefined) return fn
  const hosts = declaredHosts(owner, owner.optionValues)
  return (context, ...rest) => fn(narrowContext(context, owner.name, hosts), ...rest)
}

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object'

const detailsComplaint = sectionValidator(HEAD.signal_details)

/** A score changed by an extension must still add up. */
const isScored = (value: Scored): boolean =>
  isObject(value) &&
  detailsComplaint(value.details) === null &&
  Number.isInteger(value.risk_score) &&
  value.risk_score === riskScore(value.details)

interface Judgement {
  readonly risk_score: number
  readonly verdict: string
  readonly is_malicious: boolean
  readonly signal_details: readonly SignalDetail[]
}

const agrees = ({ risk_score, verdict: judgedVerdict, is_malicious, signal_details }: Judgement): boolean =>
  risk_score === riskScore(signal_details) &&
  judgedVerdict === verdict(risk_score) &&
  is_malicious === (judgedVerdict === 'malicious')

function quietly(observe: () => void): void {
  try {
    observe()
  } catch {
    // Failures of observers have no effect on the check and are dropped.
  }
}
