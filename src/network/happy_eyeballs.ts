// Races attempts (Happy Eyeballs, RFC 8305 section 5) over addresses or DNS servers: the next attempt starts after a
// delay, or at once when one fails. The first success stops all others.

import { createStopSignal, onAbort, type StopSignal } from '../base/abort.ts'
import { loopAwareTimeout } from '../base/timeout.ts'

export type AttemptResult<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure }

/** Never rejects. Releases its resources when `stop` fires. */
export type Attempt<Value, Failure> = (stop: StopSignal) => Promise<AttemptResult<Value, Failure>>

export interface RaceOptions {
  /** Milliseconds until the next attempt joins. */
  readonly delay_ms: number
  /** Milliseconds for all attempts together. */
  readonly limit_ms: number
  readonly signal: AbortSignal
}

export type RaceResult<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  /** `pending`: some attempts had no result when the limit was reached or the signal aborted. */
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly pending: boolean; readonly aborted: boolean }

/** Never rejects; without attempts it fails at once. */
export function raceAttempts<Value, Failure>(
  attempts: readonly Attempt<Value, Failure>[],
  { delay_ms, limit_ms, signal }: RaceOptions,
): Promise<RaceResult<Value, Failure>> {
  if (signal.aborted) return Promise.resolve({ ok: false, failures: [], pending: false, aborted: true })
  return new Promise(resolve => {
    const stop = createStopSignal()
    const failures: Failure[] = []
    let attemptCount = 0
    let delay: NodeJS.Timeout | undefined
    const end = (result?: RaceResult<Value, Failure>) => {
      cancelLimit()
      clearTimeout(delay)
      unsubscribe()
      resolve(result ?? { ok: false, failures, pending: attemptCount > failures.length, aborted: signal.aborted })
      stop.stop()
    }
    const start = async () => {
      clearTimeout(delay)
      const attempt = attempts[attemptCount]
      if (!attempt) return attemptCount === failures.length ? end() : undefined
      attemptCount++
      delay = setTimeout(start, delay_ms)
      const result = await attempt(stop)
      if (stop.stopped()) return
      if (result.ok) return end(result)
      failures.push(result.failure)
      start()
    }
    const cancelLimit = loopAwareTimeout(Math.max(0, limit_ms), end)
    const unsubscribe = onAbort(signal, () => end())
    start()
  })
}
