// Runs the watches of a store: checks what is due, and delivers what the checks found.
import type { Clock } from '../clock.ts'
import { createLane, createSoleRunner, type Runner, SOLE_LIMITS, type Turn } from '../sole_runner.ts'
import type { Delivery, Watch, WatchStore } from '../store/watches.ts'
import { type AskFor, type CheckEnd, checkWatch } from './check.ts'
import { type Attempt, CUT_OFF_MS, deliver } from './deliver.ts'
import type { Webhooks } from './webhook.ts'

export const RUNNER_LIMITS = {
  ...SOLE_LIMITS,
  /** Checks at once, few beside those of people: a watch can wait. */
  checks: 4,
  /** Deliveries at once: each may wait for a slow receiver. */
  deliveries: 16,
  /** Milliseconds after which a delivery that was cut off is sent again. */
  cut_off_ms: CUT_OFF_MS,
} as const

export interface RunnerOptions {
  readonly store: WatchStore
  readonly webhooks: Pick<Webhooks, 'send'>
  readonly ask: AskFor
  readonly clock: Clock
  readonly public_url: string | null
  readonly limits?: Partial<Record<keyof typeof RUNNER_LIMITS, number>>
  /** Called after each check and each attempt, and when the store fails. */
  readonly checked?: (end: CheckEnd) => void
  readonly attempted?: (attempt: Attempt) => void
  readonly failed?: (error: unknown) => void
}

export function createRunner(options: RunnerOptions): Runner {
  const { store, clock, webhooks, ask, public_url } = options
  const limits = { ...RUNNER_LIMITS, ...options.limits }

  /** Checks and delivers until nothing is due. */
  async function workOff({ signal, ending, nextLook }: Turn): Promise<void> {
    const checks = createLane<Watch>(limits.checks, async watch => {
      const end = await checkWatch({ store, ask, clock, public_url }, watch, signal)
      if (end !== null) options.checked?.(end)
    })
    const deliveries = createLane<Delivery>(limits.deliveries, async delivery => {
      const attempt = await deliver({ store, webhooks, clock, cut_off_ms: limits.cut_off_ms }, delivery, signal)
      if (attempt !== null) options.attempted?.(attempt)
    })
    while (!ending.aborted) {
      const now = clock.now()
      if (deliveries.room > 0) deliveries.add(await store.dueDeliveries(now, limits.deliveries))
      if (checks.room > 0) checks.add(await store.dueWatches(now, limits.checks * 2))
      const busy = [checks, deliveries].filter(lane => !lane.isIdle)
      if (busy.length === 0) break
      await Promise.race([...busy.map(lane => lane.next()), nextLook()])
    }
    await Promise.all([checks.end(), deliveries.end()])
  }

  return createSoleRunner({ store, clock, limits, workOff, failed: options.failed })
}
