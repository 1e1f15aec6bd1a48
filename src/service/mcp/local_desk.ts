// Checks for one agent in this process, without keys and quotas.

import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { Engine } from '../../engine/engine.ts'
import { diffResults } from '../../results/diff/diff.ts'
import { newResultId } from '../../store/history.ts'
import { parseTarget, type Vetting } from '../../targets/target.ts'
import { type Desk, type Result, type SignalInfo, ToolError } from './tools.ts'

/** Results that can be compared: the last ones of the session, some 30 KB each. */
const MAX_RESULTS = 100

export interface LocalDeskOptions {
  readonly engine: Pick<Engine, 'check'>
  readonly vetting: Vetting
  readonly signals: ReadonlyMap<string, SignalInfo>
  /** The octets of a picture that was just taken, by its SHA-256; absent where no page is rendered. */
  readonly picture?: ((sha256: string) => Buffer | null) | undefined
}

interface SessionScreenshot {
  readonly kind: string
  readonly sha256: string
}

export function createLocalDesk({ engine, vetting, signals, picture }: LocalDeskOptions): Desk {
  const results = new Map<string, Result>()

  function storedResult(id: string): Result {
    const result = results.get(id)
    if (result === undefined)
      throw new ToolError(`No result of this session has the ID ${JSON.stringify(id.slice(0, 40))}.`)
    return result
  }

  const pictureOf = async (id: string, kind: string) => {
    const rendered = storedResult(id)['rendered'] as
      | { readonly screenshots: readonly SessionScreenshot[] }
      | null
      | undefined
    const screenshot = rendered?.screenshots.find(one => one.kind === kind)
    const octets = screenshot === undefined ? null : (picture?.(screenshot.sha256) ?? null)
    if (octets === null) throw new ToolError('The result has no such screenshot, or it is no longer kept.')
    return octets
  }

  return {
    signals,
    ...(picture && { picture: pictureOf }),
    async check(request, signal) {
      const parsed = parseTarget(request, vetting)
      if (!parsed.ok) throw new ToolError(parsed.detail)
      const began = performance.now()
      try {
        const { result } = await engine.check(parsed.target, { signal })
        const resultId = newResultId()
        const whole = {
          ...result,
          result_id: resultId,
          process_time_ms: Math.round(performance.now() - began),
          cached: false,
        }
        results.set(resultId, whole)
        for (const oldest of [...results.keys()].slice(0, -MAX_RESULTS)) results.delete(oldest)
        return whole
      } catch (error) {
        if (!(error instanceof AnalysisUnavailable)) throw error
        throw new ToolError(error.detail ?? 'Nothing could be looked up, so there is no verdict. Try again later.')
      }
    },
    async compare(from, to) {
      return diffResults(storedResult(from), storedResult(to))
    },
  }
}
