// A signal for work that has so long and no longer, within a check that may end before.
import { OVER, onAbort } from './abort.ts'

export interface TimeLimit {
  readonly signal: AbortSignal
  /** It was the time that ended it. */
  late(): boolean
  /** Lets go of the timer and of the other signal: to be called when the work is done. */
  end(): void
}

/**
 * Aborts after so many milliseconds, or with the other signal. `AbortSignal.timeout` cannot be called off: each would run
 * on after its work is done, and make an error with a stack for nobody.
 */
export function timeLimit(ms: number, signal: AbortSignal): TimeLimit {
  const limit = new AbortController()
  let late = false
  const abort = () => limit.abort(OVER)
  const timer = setTimeout(() => {
    late = true
    abort()
  }, ms)
  const stop = onAbort(signal, abort)
  const end = () => {
    clearTimeout(timer)
    stop()
  }
  if (signal.aborted) abort()
  return { signal: limit.signal, late: () => late, end }
}
