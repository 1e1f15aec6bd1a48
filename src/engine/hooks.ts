// The hooks of a check, and why each is of its kind.
import { AsyncParallelHook, AsyncSeriesBailHook, HookMap, SyncHook, SyncWaterfallHook } from 'tapable'
import type { GatherContext } from '../evidence/evidence.ts'
import type { Analysis, SettledAnalysis } from './analysis.ts'
import type { Scored } from './scoring/scored.ts'

export function createHooks() {
  return {
    /**
     * The first gatherer to answer wins, in order of registration (`stage: -1` overrides). Keyed, so nothing unneeded
     * runs.
     */
    gather: new HookMap(() => new AsyncSeriesBailHook<[GatherContext], unknown>(['context'])),
    /** Analyzers are independent: each stores its own outcome and never rejects. The result waits for all taps. */
    analyze: new AsyncParallelHook<[Analysis]>(['analysis']),
    /** Base score first; an allowlist or a model then adjusts it in a known order. */
    score: new SyncWaterfallHook<[Scored, Analysis]>(['scored', 'analysis']),
    /** One object, passed on in a known order, so that its bytes are stable. */
    compose: new SyncWaterfallHook<[Record<string, unknown>, Analysis]>(['result', 'analysis']),
    /** Observers: logs, metrics, audit. */
    settled: new SyncHook<[SettledAnalysis]>(['settled']),
  }
}

export type Hooks = ReturnType<typeof createHooks>

/** The kinds of evidence that `apply` registers gatherers for. Throws what it throws. */
export function gatheredKinds(hooks: Hooks, apply: (hooks: Hooks) => void): string[] {
  const taps = new Map<string, { isUsed(): boolean }>()
  hooks.gather.intercept({
    factory(kind, hook) {
      taps.set(kind as string, hook)
      return hook
    },
  })
  apply(hooks)
  return [...taps].flatMap(([kind, tap]) => (tap.isUsed() ? [kind] : []))
}
