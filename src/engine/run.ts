// One check's run: its clock, its network and its probe, and an end that closes them all.
import { type Clock, systemClock } from '../clock.ts'
import type { CheckNetwork, CheckScope } from '../network/network.ts'
import type { Target } from '../target/target.ts'
import type { Analysis, Defect, Outcome } from './analysis.ts'
import type { Hooks } from './hooks.ts'
import { createProbe } from './probe.ts'
import type { Registry } from './registry.ts'

export interface RunOptions {
  readonly registry: Registry
  /** Opens one check's way out to the network. */
  readonly open: (scope: CheckScope) => CheckNetwork
  /** Milliseconds from the first step to the answer, whatever is still missing then. */
  readonly deadline_ms: number
  readonly clock?: Clock
}

export interface Run {
  readonly analysis: Analysis
  /** Ends whatever is still under way; what was opened closes. */
  end(): void
}

/** Of the deadline, kept back for scoring and writing the answer. */
const CLOSING_MS = 250

/** Starts a run. It ends by itself when its time is up, or when `signal` aborts. */
export function begin(hooks: Hooks, options: RunOptions, target: Target, signal?: AbortSignal): Run {
  const { open, deadline_ms, registry, clock = systemClock } = options
  const began = clock.monotonic()
  const budget = Math.max(0, deadline_ms - CLOSING_MS)
  const ending = createEnding(budget, signal)
  const scope = { signal: ending.signal, deadline: began + budget }
  const defects: Defect[] = []
  const now = new Date(clock.now())
  const probe = createProbe(hooks, { target, now, ...scope, network: open(scope) }, ending.ended, defects)
  const analysis: Analysis = {
    target,
    now,
    outcomes: awaited(registry),
    defects,
    gather: probe.gather,
    evidence: probe.evidence,
    elapsed: () => clock.monotonic() - began,
    left: () => deadline_ms - (clock.monotonic() - began),
  }
  return { analysis, end: ending.end }
}

/** Outcomes are kept in registration order, however they come in: the result's bytes must not depend on speed. */
function awaited({ analyzers }: Registry): Map<string, Outcome> {
  const none: Outcome = { status: 'failed', reason: 'no_outcome', section: null, signals: [], duration_ms: 0 }
  return new Map(analyzers.filter(({ enabled }) => enabled).map(({ analyzer }) => [analyzer.name, none]))
}

type EndReason = 'deadline' | 'cancelled'

/** Ends after so many milliseconds, when `signal` aborts, or when it is told to; `ended` says which of the first two. */
function createEnding(after_ms: number, signal?: AbortSignal) {
  const controller = new AbortController()
  let settle: (reason: EndReason) => void = () => {}
  const ended = new Promise<EndReason>(resolve => {
    settle = resolve
  })
  const stop = (reason: EndReason) => {
    settle(reason)
    controller.abort(reason)
  }
  const cancel = () => stop('cancelled')
  const timer = setTimeout(stop, after_ms, 'deadline')
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    // With a reason, for the default one is an error with a stack, which takes longer to make than a question to DNS.
    controller.abort('over')
  }
  return { signal: controller.signal, ended, end }
}
