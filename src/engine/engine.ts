// The check itself: probe, analyze, score, compose, validate, settled. Knows no section by name and opens no socket.
import { PROVED_INSTRUMENTS } from '../health/standing.ts'
import { findComposites } from '../scoring/composites.ts'
import { score, weigh } from '../scoring/score.ts'
import { verdict } from '../scoring/verdict.ts'
import type { Target } from '../targets/target.ts'
import type { Analysis } from './analysis.ts'
import { attempt } from './attempt.ts'
import { completeness, type ResultClass } from './completeness.ts'
import { compose, sectionSignals } from './compose.ts'
import { BUILT_IN } from './contract.ts'
import { areProved, isListedNow, refusalOf } from './coverage_guard.ts'
import { guardHooks, type ResultValidator } from './extension.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { resultValidator, type Validator } from './json_schema.ts'
import { AnalysisUnavailable, Cancelled } from './outcome.ts'
import type { Registry } from './registry.ts'
import { frameSchema, resultSchema } from './result_schema.ts'
import { begin, type RunOptions } from './run.ts'

export interface EngineOptions extends RunOptions {
  /** Names the weights in force; part of every result. */
  readonly policy: string
}

export interface CheckResult {
  /** All of the result but `process_time_ms` and `cached`, which are the request's own. */
  readonly result: Readonly<Record<string, unknown>>
  readonly class: ResultClass
}

export interface CheckOptions {
  readonly signal?: AbortSignal
  /** Milliseconds that the check has, when that is less than its deadline. */
  readonly left_ms?: number
  readonly observe?: (analysis: Analysis) => void
}

export interface Engine {
  /**
   * Checks a target within the deadline. Rejects with `AnalysisUnavailable` when nothing could be looked at, with
   * `Cancelled` when `signal` aborts; everything the check opened is closed when it settles.
   */
  check(target: Target, options?: CheckOptions): Promise<CheckResult>
  /** Compiles what the first check would wait for, a schema a turn of the event loop. */
  prepare(): Promise<void>
}

/** Builds an engine; it is immutable from then on. Throws when an extension cannot be applied. */
export function createEngine(options: EngineOptions): Engine {
  const { registry } = options
  const hooks = createHooks()
  const whole = resultValidator(resultSchema(registry))
  tapAnalyzers(hooks, registry)
  const own = guardHooks(hooks, complaintBy(whole))
  for (const extension of registry.extensions)
    own.during(extension, () => extension.apply(hooks, extension.given ?? {}))
  // Sections were found sound when they were accepted; only a stranger's extension could have spoilt them since.
  const isOurs = registry.extensions.every(({ origin }) => origin === BUILT_IN)
  const complaint = isOurs ? resultValidator(frameSchema(registry)) : whole
  const complaintOf = complaintBy(complaint)

  return {
    async prepare() {
      for (const compile of [...registry.analyzers.map(({ complaint }) => complaint), complaint]) {
        await new Promise(resolve => setImmediate(resolve))
        compile(null)
      }
    },
    async check(target, { signal, observe, left_ms = options.deadline_ms } = {}) {
      const deadline_ms = Math.min(options.deadline_ms, left_ms)
      const run = begin(hooks, { ...options, deadline_ms }, target, signal)
      try {
        observe?.(run.analysis)
        await hooks.analyze.promise(run.analysis)
        await run.proved()
        if (signal?.aborted) throw new Cancelled('nobody waits for this check')
        return conclude(hooks, options, run.analysis, complaintOf)
      } catch (error) {
        hooks.settled.call({ analysis: run.analysis, result: null, duration_ms: run.analysis.elapsed() })
        throw error
      } finally {
        run.end()
      }
    },
  }
}

/** The members that are the request's own are not there yet. */
const complaintBy =
  (validate: Validator): ResultValidator =>
  result =>
    validate({ ...result, process_time_ms: 0, cached: false })

function tapAnalyzers(hooks: Hooks, registry: Registry): void {
  for (const ready of registry.analyzers.filter(({ enabled }) => enabled)) {
    const { name } = ready.analyzer
    hooks.analyze.tapPromise(name, async analysis => {
      analysis.outcomes.set(name, await attempt(ready, analysis))
    })
  }
}

/** The group of what others say of the target: it does not depend on what this check could see. */
const LISTINGS = 'reputation'

function conclude(
  hooks: Hooks,
  { registry, policy, instruments = PROVED_INSTRUMENTS }: EngineOptions,
  analysis: Analysis,
  complaintOf: ResultValidator,
): CheckResult {
  const seen = weigh(sectionSignals(registry, analysis.outcomes))
  const weighed = [...seen, ...findComposites(seen, registry.composites)]
  const scored = hooks.score.call(score(weighed, registry.groups), analysis)
  const decided = scored.details.some(({ group, floor }) => group === LISTINGS && verdict(floor ?? 0) === 'malicious')
  const refusal = refusalOf(analysis, instruments, { verdict: verdict(scored.risk_score), decided })
  if (refusal !== null) throw new AnalysisUnavailable({ ...refusal, listed: isListedNow(analysis) })
  const result = hooks.compose.call(compose(registry, analysis, scored, policy), analysis)
  const complaint = complaintOf(result)
  if (complaint !== null) throw new Error(`composed result breaks its schema: ${JSON.stringify(complaint)}`)
  hooks.settled.call({ analysis, result, duration_ms: analysis.elapsed() })
  const isOurs = () => !areProved(analysis, instruments)
  return { result, class: completeness(analysis.outcomes, isOurs).class }
}
