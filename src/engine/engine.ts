// The check: probe, analyze, score, compose, validate, settled. It knows no section by name and opens no sockets.
import { CpuQueue } from '../base/cpu_queue.ts'
import { PROVED_INSTRUMENTS } from '../base/health/standing.ts'
import type { NoteWait } from '../base/scheduler/queue.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Target } from '../targets/target.ts'
import type { Analysis } from './analysis.ts'
import { AnalysisUnavailable, Cancelled } from './analysis.ts'
import { attempt } from './analyze.ts'
import { completeness, type ResultClass } from './completeness.ts'
import { compose, sectionSignals } from './compose.ts'
import { BUILT_IN } from './contract.ts'
import { areProved, isListedNow, refusalOf } from './coverage_guard.ts'
import { guardHooks, type ResultValidator } from './extension.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { resultValidator, type Validator } from './json_schema.ts'
import type { Registry } from './registry.ts'
import { frameSchema, resultSchema } from './result_schema.ts'
import { begin, type RunOptions } from './run.ts'
import { findComposites } from './scoring/composites.ts'
import { score, weigh } from './scoring/score.ts'
import { verdict } from './scoring/verdict.ts'

export interface EngineOptions extends RunOptions {
  /** The name of the weights in force; part of every result. */
  readonly policy: string
}

export interface CheckResult {
  /** The result without `process_time_ms` and `cached`, which belong to the request. */
  readonly result: Readonly<Record<string, unknown>>
  readonly class: ResultClass
  /** An expected source was missing. The result stands until it is there, and is neither shared nor kept. */
  readonly provisional?: boolean
}

export type ReusedEvidence = Partial<Evidence>

export interface CheckOptions {
  readonly signal?: AbortSignal
  /** Milliseconds left for the check, if less than the deadline. */
  readonly left_ms?: number
  readonly observe?: (analysis: Analysis) => void
  /** Evidence that the caller has already, such as the cached result of the host. */
  readonly given?: ReusedEvidence
  /** Who asks, by any name: clients get equal CPU time. */
  readonly client?: string
  /** Notes how long the check waited for each resource. */
  readonly waited?: NoteWait
}

export interface Engine {
  /**
   * Checks a target within the deadline. Rejects with `AnalysisUnavailable` when nothing could be looked at, and with
   * `Cancelled` when `signal` aborts. Closes everything the check opened when it settles.
   */
  check(target: Target, options?: CheckOptions): Promise<CheckResult>
  /** Compiles the schemas that the first check would wait for, one per iteration of the event loop. */
  prepare(): Promise<void>
}

/** Builds an immutable engine. Throws when an extension cannot be applied. */
export function createEngine(options: EngineOptions): Engine {
  const { registry, cpu = new CpuQueue() } = options
  const hooks = createHooks()
  const whole = resultValidator(resultSchema(registry))
  tapAnalyzers(hooks, registry)
  const own = guardHooks(hooks, complaintBy(whole))
  for (const extension of registry.extensions)
    own.during(extension, () => extension.apply(hooks, extension.optionValues ?? {}))
  // Sections are validated when accepted; afterwards only a third-party extension can break them.
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
    async check(target, { signal, observe, waited, given = {}, client = '', left_ms = options.deadline_ms } = {}) {
      const deadlineMs = Math.min(options.deadline_ms, left_ms)
      const run = begin(hooks, { ...options, cpu, client, deadline_ms: deadlineMs, given, waited }, target, signal)
      try {
        observe?.(run.analysis)
        await hooks.analyze.promise(run.analysis)
        await run.proved()
        if (signal?.aborted) throw new Cancelled('the check was cancelled')
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

/** The request-specific members are added later. */
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

/** The group of third-party listings, which do not depend on what this check could see. */
const LISTINGS = 'reputation'

function conclude(
  hooks: Hooks,
  { registry, policy, instruments = PROVED_INSTRUMENTS }: EngineOptions,
  analysis: Analysis,
  complaintOf: ResultValidator,
): CheckResult {
  const weighedSignals = weigh(sectionSignals(registry, analysis.outcomes))
  const allSignals = [...weighedSignals, ...findComposites(weighedSignals, registry.composites)]
  const scored = hooks.score.call(score(allSignals, registry.groups), analysis)
  const isDecided = scored.details.some(({ group, floor }) => group === LISTINGS && verdict(floor ?? 0) === 'malicious')
  const refusal = refusalOf(analysis, instruments, { verdict: verdict(scored.risk_score), decided: isDecided })
  if (refusal !== null) throw new AnalysisUnavailable({ ...refusal, listed: isListedNow(analysis) })
  const result = hooks.compose.call(compose(registry, analysis, scored, policy), analysis)
  const complaint = complaintOf(result)
  if (complaint !== null) throw new Error(`composed result violates its schema: ${JSON.stringify(complaint)}`)
  hooks.settled.call({ analysis, result, duration_ms: analysis.elapsed() })
  const isOurs = () => !areProved(analysis, instruments)
  const { missing } = analysis
  return { result, class: completeness(analysis.outcomes, isOurs, missing).class, provisional: missing.length > 0 }
}
