// One check of a run by the engine of this process, tried again when nothing could be looked at.
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '../engine/engine.ts'
import { AnalysisUnavailable } from '../engine/outcome.ts'
import type { Target } from '../target/target.ts'
import type { Result } from './record.ts'
import type { BulkAnswer } from './run.ts'
import { INTERNAL, UNAVAILABLE } from './task.ts'

/** A resolver that is restarted is back within seconds; a longer outage is for the next run. */
const RETRY_AFTER_MS = [1_000, 3_000]

/** The whole result as the interface gives it. Rejects as the engine does. */
export async function visit(engine: Pick<Engine, 'check'>, target: Target): Promise<Result> {
  const began = performance.now()
  const { result } = await engine.check(target)
  return { ...result, process_time_ms: Math.round(performance.now() - began), cached: false }
}

/** Never rejects; null when it was stopped before anything could be looked at. */
export function createVisits(engine: Pick<Engine, 'check'>, told: (error: unknown, target: Target) => void) {
  return async (target: Target, over: AbortSignal): Promise<BulkAnswer> => {
    for (const wait of [...RETRY_AFTER_MS, null]) {
      try {
        return { ok: true, result: await visit(engine, target) }
      } catch (error) {
        if (!(error instanceof AnalysisUnavailable)) {
          told(error, target)
          return { ok: false, error: { code: INTERNAL, detail: 'The check broke; assay reported why.' } }
        }
        if (over.aborted) return null
        if (wait === null) return { ok: false, error: { code: UNAVAILABLE, detail: error.reason } }
        await pause(wait, undefined, { signal: over }).catch(() => {})
      }
    }
    return null
  }
}
