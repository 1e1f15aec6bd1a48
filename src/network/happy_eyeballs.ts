// Races attempts (Happy Eyeballs, RFC 8305 section 5), for addresses as for DNS servers: the next one starts after a delay, or
// at once when the last one failed. The first success ends all others.
import { loopAwareTimeout } from '../timeout.ts'
import { createEnding, type Ending, onAbort } from './abort.ts'

export type Tried<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure }

/** Never rejects. Releases its resources when `ended` fires. */
export type Attempt<Value, Failure> = (ended: Ending) => Promise<Tried<Value, Failure>>

export interface RaceOptions {
  /** Milliseconds until the next attempt joins. */
  readonly delay_ms: number
  /** Milliseconds for all attempts together. */
  readonly limit_ms: number
  readonly signal: AbortSignal
}

export type RaceResult<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  /** `pending`: attempts were still silent when the limit was reached or the signal aborted. */
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly pending: boolean; readonly aborted: boolean }

/** Never rejects; without attempts it fails at once. */
export function raceAttempts<Value, Failure>(
  attempts: readonly Attempt<Value, Failure>[],
  { delay_ms, limit_ms, signal }: RaceOptions,
): Promise<RaceResult<Value, Failure>> {
  if (signal.aborted) return Promise.resolve({ ok: false, failures: [], pending: false, aborted: true })
  return new Promise(resolve => {
    const ending = createEnding()
    const failures: Failure[] = []
    let started = 0
    let delay: NodeJS.Timeout | undefined
    const end = (result?: RaceResult<Value, Failure>) => {
      stopWaiting()
      clearTimeout(delay)
      stop()
      resolve(result ?? { ok: false, failures, pending: started > failures.length, aborted: signal.aborted })
      ending.end()
    }
    const start = async () => {
      clearTimeout(delay)
      const attempt = attempts[started]
      if (!attempt) return started === failures.length ? end() : undefined
      started++
      delay = setTimeout(start, delay_ms)
      const tried = await attempt(ending)
      if (ending.over()) return
      if (tried.ok) return end(tried)
      failures.push(tried.failure)
      start()
    }
    const stopWaiting = loopAwareTimeout(Math.max(0, limit_ms), end)
    const stop = onAbort(signal, () => end())
    start()
  })
}
