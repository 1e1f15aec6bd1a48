// The check itself: probe, analyze, score, compose, validate, settled. Knows no section by name and opens no socket.
import type { EvidenceName } from '../evidence/evidence.ts'
import type { CheckNetwork, CheckScope } from '../network/network.ts'
import { score } from '../scoring/score.ts'
import type { Analysis, Defect } from './analysis.ts'
import { attempt } from './attempt.ts'
import { classify, compose, type ResultClass, weigh } from './compose.ts'
import { guardHooks } from './extension.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { sectionAjv } from './json_schema.ts'
import { AnalysisUnavailable, Cancelled } from './outcome.ts'
import { createProbe } from './probe.ts'
import type { Registry } from './registry.ts'
import { resultSchema } from './result_schema.ts'
import type { Target } from './target.ts'

/** Time, so that tests and replays own it. `monotonic` in milliseconds, as `performance.now()`. */
export interface Clock {
  now(): Date
  monotonic(): number
}

export const systemClock: Clock = { now: () => new Date(), monotonic: () => performance.now() }

export interface EngineOptions {
  readonly registry: Registry
  /** Opens one check's way out to the network. */
  readonly open: (scope: CheckScope) => CheckNetwork
  /** Milliseconds from the first step to the answer, whatever is still missing then. */
  readonly deadline_ms: number
  /** Names the weights in force; part of every result. */
  readonly policy: string
  readonly clock?: Clock
}

export interface CheckResult {
  /** All of the result but `process_time_ms` and `cached`, which are the request's own. */
  readonly result: Readonly<Record<string, unknown>>
  readonly class: ResultClass
}

export interface Engine {
  /**
   * Checks a target within the deadline. Rejects with `AnalysisUnavailable` when nothing could be looked at, with
   * `Cancelled` when `signal` aborts; everything the check opened is closed when it settles.
   */
  check(
    target: Target,
    options?: { signal?: AbortSignal; observe?: (analysis: Analysis) => void },
  ): Promise<CheckResult>
}

/** Of the deadline, kept back for scoring and writing the answer. */
const CLOSING_MS = 250

/** Builds an engine; it is immutable from then on. Throws when an extension cannot be applied. */
export function createEngine(options: EngineOptions): Engine {
  const { registry, clock = systemClock } = options
  const hooks = createHooks()
  const schema = resultSchema(registry)
  const validate = sectionAjv().compile(schema)
  const isResult = (result: Readonly<Record<string, unknown>>) =>
    validate({ ...result, process_time_ms: 0, cached: false }) || validate.errors?.[0]
  const own = guardHooks(hooks, isResult)
  for (const extension of registry.extensions) own.during(extension, () => extension.apply(hooks))
  tapAnalyzers(hooks, registry)

  return {
    async check(target, { signal, observe } = {}) {
      const run = begin(hooks, options, clock, target, signal)
      try {
        observe?.(run.analysis)
        await hooks.analyze.promise(run.analysis)
        if (signal?.aborted) throw new Cancelled('nobody waits for this check')
        return conclude(hooks, options, run.analysis, isResult)
      } catch (error) {
        hooks.settled.call({ analysis: run.analysis, result: null, duration_ms: run.analysis.elapsed() })
        throw error
      } finally {
        run.end()
      }
    },
  }
}

function tapAnalyzers(hooks: Hooks, registry: Registry): void {
  for (const ready of registry.analyzers.filter(({ enabled }) => enabled)) {
    const { name } = ready.analyzer
    hooks.analyze.tapPromise(name, async analysis => {
      analysis.outcomes.set(name, await attempt(ready, analysis))
    })
  }
}

/** Starts the clock, the network and the probe of one check; `end` closes them all. */
function begin(
  hooks: Hooks,
  { open, deadline_ms, registry }: EngineOptions,
  clock: Clock,
  target: Target,
  signal?: AbortSignal,
) {
  const began = clock.monotonic()
  const controller = new AbortController()
  const budget = Math.max(0, deadline_ms - CLOSING_MS)
  let finish: (reason: 'deadline' | 'cancelled') => void = () => {}
  const ended = new Promise<'deadline' | 'cancelled'>(resolve => {
    finish = resolve
  })
  const stop = (reason: 'deadline' | 'cancelled') => {
    finish(reason)
    controller.abort()
  }
  const timer = setTimeout(stop, budget, 'deadline')
  const cancel = () => stop('cancelled')
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const scope = { signal: controller.signal, deadline: began + budget }
  const defects: Defect[] = []
  const now = clock.now()
  const probe = createProbe(hooks, { target, now, ...scope, network: open(scope) }, ended, defects)
  const analysis: Analysis = {
    target,
    now,
    outcomes: new Map(),
    defects,
    gather: probe.gather,
    evidence: probe.evidence,
    elapsed: () => clock.monotonic() - began,
  }
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    controller.abort()
  }
  return { analysis: inRegistrationOrder(analysis, registry), end }
}

/** Outcomes are kept in registration order, however they come in: the result's bytes must not depend on speed. */
function inRegistrationOrder(analysis: Analysis, registry: Registry): Analysis {
  const waiting = { status: 'failed', reason: 'no_outcome', section: null, signals: [], duration_ms: 0 } as const
  for (const { analyzer, enabled } of registry.analyzers) if (enabled) analysis.outcomes.set(analyzer.name, waiting)
  return analysis
}

function conclude(
  hooks: Hooks,
  { registry, policy }: EngineOptions,
  analysis: Analysis,
  isResult: (result: Readonly<Record<string, unknown>>) => unknown,
): CheckResult {
  refuseIfBlind(analysis)
  const scored = hooks.score.call(score(weigh(registry, analysis.outcomes), registry.groups), analysis)
  const result = hooks.compose.call(compose(registry, analysis, scored, policy), analysis)
  const sound = isResult(result)
  if (sound !== true) throw new Error(`composed result breaks its schema: ${JSON.stringify(sound)}`)
  hooks.settled.call({ analysis, result, duration_ms: analysis.elapsed() })
  return { result, class: classify(analysis.outcomes) }
}

/** Reasons that are the resolver's answer about the target: the zone is broken, not our way to it. */
const ANSWERED = new Set(['servfail', 'cname_loop', 'cname_too_long'])

/**
 * With our resolver or network down nothing was looked at, whatever local sections may say: no answer then. That is
 * so when the addresses could not be had for reasons of ours, or no section completed nor noticed anything.
 */
function refuseIfBlind({ evidence, outcomes }: Analysis): void {
  const blind = [...evidence].find(
    ([name, gathered]) => name === ROOT_EVIDENCE && gathered.status === 'unavailable' && !ANSWERED.has(gathered.reason),
  )?.[1]
  if (blind && 'reason' in blind) throw new AnalysisUnavailable(blind.reason)
  const all = [...outcomes.values()]
  const looked = all.some(
    ({ status, signals }) => status === 'completed' || status === 'not_applicable' || signals.length > 0,
  )
  if (!looked && all.length > 0) throw new AnalysisUnavailable(all.find(({ reason }) => reason)?.reason ?? 'unknown')
}

/** The evidence every look at the target begins with. */
const ROOT_EVIDENCE: EvidenceName = 'addresses'
