// Cancellation: signals that many listeners of one check share, and time limits.
import { setMaxListeners } from 'node:events'

/** Why a signal of ours aborts. The default reason is an error with a stack, which takes longer to make than a question to DNS. */
export const OVER = 'over'

/** Signals that have been told that many listen. */
const shared = new WeakSet<AbortSignal>()

/** Calls the listener when the signal aborts, not when it already has. Returns what ends the listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (!shared.has(signal)) {
    // Dozens of questions and sockets share a check's signal; that is no leak
    setMaxListeners(0, signal)
    shared.add(signal)
  }
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

/** What an AbortSignal is, for what comes dozens of times a check: making and aborting one of those costs more than a question to DNS. */
export interface Ending {
  over(): boolean
  /** Calls the listener at the end, not when it has been. Returns what ends the listening. */
  onEnd(listener: () => void): () => void
}

export function createEnding(): Ending & { end(): void } {
  const listeners = new Set<() => void>()
  let over = false
  return {
    over: () => over,
    onEnd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    end() {
      over = true
      for (const listener of listeners) listener()
      listeners.clear()
    },
  }
}

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
