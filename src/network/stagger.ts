// One race for many ways to the same end: the next attempt starts when the last has been silent for a while, or at
// once when it failed; the first success ends all the others (RFC 8305 section 5, for servers as for addresses).
import { patientTimer } from '../patient_timer.ts'
import { createEnding, type Ending, onAbort } from './abort.ts'

export type Tried<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure }

/** Never rejects, and gives up what it holds at the end. */
export type Attempt<Value, Failure> = (ended: Ending) => Promise<Tried<Value, Failure>>

export interface StaggerOptions {
  /** Milliseconds an attempt has for itself before the next one joins it. */
  readonly delay_ms: number
  /** Milliseconds for all. */
  readonly limit_ms: number
  readonly signal: AbortSignal
}

export type Staggered<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  /** `pending`: attempts were still silent when the limit was reached or the signal aborted. */
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly pending: boolean; readonly aborted: boolean }

/** Never rejects; without attempts it fails at once. */
export function stagger<Value, Failure>(
  attempts: readonly Attempt<Value, Failure>[],
  { delay_ms, limit_ms, signal }: StaggerOptions,
): Promise<Staggered<Value, Failure>> {
  if (signal.aborted) return Promise.resolve({ ok: false, failures: [], pending: false, aborted: true })
  return new Promise(resolve => {
    const ending = createEnding()
    const failures: Failure[] = []
    let started = 0
    let delay: NodeJS.Timeout | undefined
    const end = (result?: Staggered<Value, Failure>) => {
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
    const stopWaiting = patientTimer(Math.max(0, limit_ms), end)
    const stop = onAbort(signal, () => end())
    start()
  })
}
