// Cancellation: signals that many listeners of one check share, lightweight signals, and time limits.
import { setMaxListeners } from 'node:events'

/** Reason of our aborts. The default reason is an error with a stack, which costs more than a DNS query. */
export const OVER = 'over'

/** Signals without a listener limit. */
const sharedSignals = new WeakSet<AbortSignal>()

/**
 * Calls the listener when the signal aborts, but not if it has aborted already. Returns a function that unsubscribes.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (!sharedSignals.has(signal)) {
    // Dozens of queries and sockets listen to one check's signal; this is not a leak.
    setMaxListeners(0, signal)
    sharedSignals.add(signal)
  }
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

/** Settles like the promise, or rejects with `reason()` once the signal aborts. */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  reason: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason())
    if (signal.aborted) abort()
    const unsubscribe = onAbort(signal, abort)
    promise.then(resolve, reject).finally(unsubscribe)
  })
}

/**
 * A minimal AbortSignal for operations that happen dozens of times per check: a real one costs more than a DNS query.
 */
export interface StopSignal {
  stopped(): boolean
  /** Calls the listener on stop, but not if already stopped. Returns a function that unsubscribes. */
  onStop(listener: () => void): () => void
}

export function createStopSignal(): StopSignal & { stop(): void } {
  const listeners = new Set<() => void>()
  let isStopped = false
  return {
    stopped: () => isStopped,
    onStop(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop() {
      isStopped = true
      for (const listener of listeners) listener()
      listeners.clear()
    },
  }
}

export interface TimeLimit {
  readonly signal: AbortSignal
  /** Whether the signal aborted because time ran out. */
  late(): boolean
  /** Aborts now, unless it has ended. */
  stop(): void
  /** Releases the timer and the listener. Call it when the work is done. */
  end(): void
}

/**
 * Aborts after `ms` milliseconds, or with the other signal. `AbortSignal.timeout` cannot be cancelled: its timer would
 * keep running after the work is done and then build an error with a stack that is never read.
 */
export function timeLimit(ms: number, signal: AbortSignal): TimeLimit {
  const limit = new AbortController()
  let late = false
  const abort = () => limit.abort(OVER)
  const timer = setTimeout(() => {
    late = true
    abort()
  }, ms)
  const unsubscribe = onAbort(signal, abort)
  let isOver = false
  const end = () => {
    isOver = true
    clearTimeout(timer)
    unsubscribe()
  }
  if (signal.aborted) abort()
  return { signal: limit.signal, late: () => late, stop: () => isOver || abort(), end }
}
