// Ends that others listen to: an AbortSignal that many things of one check share, and an end for a moment's work.
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
