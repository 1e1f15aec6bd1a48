// The answers that watches ask for: counted, cached and limited like those of requests with a key of the account.
import type { Clock } from '../../base/clock.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import { type KeyStore, StoreError } from '../../store/store.ts'
import { parseTarget, requestFor, type Vetting } from '../../targets/target.ts'
import type { AskFor } from '../watch/check.ts'
import { type Answers, resultOf } from './answers.ts'
import { describeError, type Log } from './log.ts'
import { Problem, type ProblemCode } from './problem.ts'

export interface WatchAnswersOptions {
  /** Those of the configuration in force. */
  readonly answers: () => Answers
  readonly keys: Pick<KeyStore, 'holder'>
  readonly vetting: Vetting
  /** Milliseconds that results are cached at most: a watch that checks as often would see the same one again. */
  readonly cached_ms: number
  /** Whether a dataset that is expected will soon be read: a result without it is none to compare. */
  readonly isLoading?: () => boolean
  readonly log: Pick<Log, 'error'>
  readonly clock: Clock
}

const MINUTE_MS = 60_000
/** Milliseconds after which what refused a check may be over; the others wait for the next regular check. */
const PASSING: Readonly<Partial<Record<ProblemCode, number>>> = {
  overloaded: MINUTE_MS,
  'target-busy': MINUTE_MS,
  'rate-limited': MINUTE_MS,
}
const UNAVAILABLE_MS = 15 * MINUTE_MS
const STORE_MS = MINUTE_MS

export function createWatchAnswers(options: WatchAnswersOptions): AskFor {
  const { answers, keys, vetting, cached_ms, isLoading = () => false, log, clock } = options
  return async ({ account, key: id, target: text, every_ms }, signal) => {
    const began = clock.monotonic()
    if (isLoading()) return refusal('datasets-loading', MINUTE_MS)
    try {
      const parsed = parseTarget(requestFor(text), vetting)
      if (!parsed.ok) return refusal(parsed.code)
      const key = await keys.holder(account, id)
      if (key === null) return refusal('no-valid-key')
      const current = answers()
      const requested = { ...current.requestOf(parsed.target), fresh: every_ms <= cached_ms }
      const checkAnswer = await current.answer({
        key,
        requested,
        began,
        listener: null,
        until: work => work(signal),
        // Nobody disconnects: a check that the end of the service cuts off is not counted.
        isAbandoned: () => false,
      })
      // An old result says nothing about now.
      if (checkAnswer.origin === 'STALE') return refusal('analysis-unavailable', UNAVAILABLE_MS)
      return { ok: true, result: resultOf(checkAnswer, Math.round(clock.monotonic() - began)) }
    } catch (error) {
      if (error instanceof Problem) return refusal(error.code, PASSING[error.code] ?? null)
      if (error instanceof AnalysisUnavailable) return refusal('analysis-unavailable', UNAVAILABLE_MS)
      if (error instanceof StoreError) return refusal('store-unavailable', STORE_MS)
      if (!signal.aborted) log.error({ watch: 'check-failed', error: describeError(error) })
      return refusal('internal-error')
    }
  }
}

const refusal = (code: string, retryMs: number | null = null) => ({ ok: false as const, code, retry_ms: retryMs })
