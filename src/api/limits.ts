// What one key and one target may have of us, checked before an uncached check waits for a place.
import { noOthers, type TargetShare } from '../store/target_share.ts'
import type { Target } from '../target/target.ts'
import { type Admission, createTally, overloaded } from './admission.ts'
import { createBurst } from './burst.ts'
import { Problem } from './problem.ts'

export interface CheckLimits {
  /** Uncached checks of one key at once, and in a second. */
  readonly per_key: number
  readonly per_key_per_second: number
  /** Checks of one registrable domain (or address) at once, and in a second: manners towards its owner. */
  readonly per_domain: number
  readonly per_domain_per_second: number
}

/** Milliseconds that a check must have left when it begins: less yields nothing but unknowns. */
const least_ms = 1_000
const SECOND_MS = 1_000

export interface Gate {
  /**
   * Runs `work` under all limits, with the milliseconds it has left. `due` is when the answer must be there, on the
   * monotonic clock. Rejects with a `Problem` when there is no room.
   */
  run<T>(asked: Asked, work: (left_ms: number) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Whether there is no room for this key, whatever it asks for: to be told so costs less than to be refused by `run`. */
  full(key: string): boolean
}

export interface Asked {
  /** The id of the key. */
  readonly key: string
  readonly target: Target
  readonly due: number
}

/** `others` are what other instances check; limits of keys are this instance's own. */
export function createGate(
  admission: Admission,
  limits: CheckLimits,
  monotonic: () => number,
  others: TargetShare = noOthers,
): Gate {
  const keyTally = createTally(limits.per_key)
  const keyBurst = createBurst(limits.per_key_per_second, SECOND_MS, monotonic)
  const targetTally = createTally(limits.per_domain, () => targetBusy(1))
  const targetBurst = createBurst(limits.per_domain_per_second, SECOND_MS, monotonic)
  const ofAll = { at_once: limits.per_domain, per_second: limits.per_domain_per_second }

  return {
    full: key => keyTally.full(key) || admission.full(key),
    run({ key, target, due }, work, signal) {
      const subject = target.registrable ?? target.ip
      const begin = async () => {
        const left = due - monotonic()
        if (left < least_ms) throw overloaded()
        return work(left)
      }
      const admitted = () => admission.run(begin, signal, key)
      const ofTarget = async () => {
        const wait = targetBurst.take(subject)
        if (wait > 0) throw targetBusy(wait)
        const early = keyBurst.take(key)
        if (early > 0) throw rateLimited(early)
        const { wait_ms, leave } = await others.enter(subject, ofAll)
        if (wait_ms > 0) throw targetBusy(Math.ceil(wait_ms / SECOND_MS))
        return admitted().finally(leave)
      }
      return keyTally.run(key, () => targetTally.run(subject, ofTarget))
    },
  }
}

const targetBusy = (seconds: number) => new Problem('target-busy', undefined, { 'Retry-After': `${seconds}` })

export const rateLimited = (seconds: number) => new Problem('rate-limited', undefined, { 'Retry-After': `${seconds}` })
