// Every hook of a check, with its kind and why it is that kind.
import { AsyncParallelHook, AsyncSeriesBailHook, HookMap, SyncHook, SyncWaterfallHook } from 'tapable'
import type { GatherContext } from '../evidence/evidence.ts'
import type { Scored } from '../scoring/scored.ts'
import type { Analysis, Settled } from './analysis.ts'

export function createHooks() {
  return {
    /** First gatherer to answer wins, by order not speed (`stage: -1` pre-empts); keyed, so nothing unneeded runs. */
    gather: new HookMap(() => new AsyncSeriesBailHook<[GatherContext], unknown>(['context'])),
    /** Analyzers are independent; each deposits its own outcome and never rejects. The result waits for whoever taps it. */
    analyze: new AsyncParallelHook<[Analysis]>(['analysis']),
    /** Base score first; an allow-list or a model adjusts in known order. */
    score: new SyncWaterfallHook<[Scored, Analysis]>(['scored', 'analysis']),
    /** One object, passed on in known order, so that its bytes are stable. */
    compose: new SyncWaterfallHook<[Record<string, unknown>, Analysis]>(['result', 'analysis']),
    /** Observers: logs, metrics, audit. */
    settled: new SyncHook<[Settled]>(['settled']),
  }
}

export type Hooks = ReturnType<typeof createHooks>
