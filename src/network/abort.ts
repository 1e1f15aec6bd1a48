// Listening to an AbortSignal that many things of one check listen to.
import { setMaxListeners } from 'node:events'

/** Why a signal of ours aborts. The default reason is an error with a stack, which takes longer to make than a question to DNS. */
export const OVER = 'over'

/** Calls the listener when the signal aborts, not when it already has. Returns what ends the listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // Dozens of questions and sockets share a check's signal; that is no leak
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}
