// Checks watches that are due, and delivers their events, as the queues wake them.
import type { Clock } from '../../base/clock.ts'
import type { Queues } from '../../store/sql/queues.ts'
import type { Watches } from '../../store/sql/watches.ts'
import { type AskFor, type CheckEnd, type CheckWatchOptions, checkWatch } from './check.ts'
import { CUT_OFF_MS, type DeliveryAttempt, deliver } from './deliver.ts'
import type { WatchMail } from './mail.ts'
import type { Webhooks } from './webhook.ts'

export const WATCH_LIMITS = {
  /** Checks at once: a few, since a watch can wait. */
  checks: 4,
  /** Deliveries at once: each may wait for a slow receiver. */
  deliveries: 16,
  /** The same for one account, whose targets or receivers may be slow. */
  checks_of_account: 2,
  deliveries_of_account: 4,
  /** Milliseconds after which an account that has as many running is looked at again. */
  again_ms: 1_000,
  /** Milliseconds after which a delivery that was cut off is sent again. */
  cut_off_ms: CUT_OFF_MS,
} as const

export interface WatchWorkOptions {
  readonly store: Watches
  readonly queues: Queues
  readonly webhooks: Pick<Webhooks, 'send'>
  readonly mail: Pick<WatchMail, 'send'>
  readonly ask: AskFor
  readonly lookFor?: CheckWatchOptions['lookFor']
  readonly clock: Clock
  readonly public_url: string | null
  readonly limits?: Partial<Record<keyof typeof WATCH_LIMITS, number>>
  /** Called after each check and each attempt. */
  readonly checked?: (end: CheckEnd) => void
  readonly attempted?: (attempt: DeliveryAttempt) => void
}

export type WatchWork = ReturnType<typeof startWatchWork>

/** Begins at once, and ends with the queues. */
export function startWatchWork(options: WatchWorkOptions) {
  const { store, queues, webhooks, mail, ask, lookFor, clock, public_url } = options
  const limits = { ...WATCH_LIMITS, ...options.limits }
  const again = () => clock.now() + limits.again_ms
  const delivering = createShares(limits.deliveries_of_account, again)
  const checking = createShares(limits.checks_of_account, again)

  const deliveries = queues.open('deliveries', {
    concurrency: limits.deliveries,
    due: store.dueDeliveries,
    async handle({ id, at }, { ending, signal }) {
      if (ending.aborted) return at
      const delivery = await store.delivery(id)
      if (delivery === null) await store.forgetDelivery(id)
      if (delivery?.next_at !== at) return null
      return delivering.run(delivery.account, async () => {
        const attempt = await deliver({ store, webhooks, mail, clock, cut_off_ms: limits.cut_off_ms }, delivery, signal)
        if (attempt !== null) options.attempted?.(attempt)
        if (attempt?.end === 'failed') await wakeAgain(id)
        void deliveries.wake()
      })
    },
  })

  /** The first retries are due before the next look. */
  async function wakeAgain(id: string): Promise<void> {
    const nextAt = (await store.delivery(id))?.next_at ?? null
    if (nextAt !== null) await deliveries.wake({ id, at: nextAt })
  }

  const checks = queues.open('watches', {
    concurrency: limits.checks,
    due: store.dueWatches,
    async handle({ id, at }, { ending, signal }) {
      if (ending.aborted) return at
      const watch = await store.get(id)
      if (watch === null) await store.forgetWatch(id)
      if (watch?.next_at !== at) return null
      return checking.run(watch.account, async () => {
        const end = await checkWatch({ store, ask, lookFor, clock, public_url }, watch, signal)
        if (end !== null) options.checked?.(end)
        if (end === 'changed') await deliveries.wake()
        void checks.wake()
      })
    },
  })

  return {
    /** Something may be due: called after a change by this process. */
    wake() {
      void checks.wake()
      void deliveries.wake()
    },
    /** Seconds that the longest waiting work is late. */
    late: () => Math.max(checks.late(), deliveries.late()),
  }
}

/** Limits how many of one account run at once in this process; a further one gets the time to try again. */
function createShares(most: number, again: () => number) {
  const running = new Map<string, number>()
  return {
    async run(account: string, work: () => Promise<void>): Promise<number | null> {
      const before = running.get(account) ?? 0
      if (before >= most) return again()
      running.set(account, before + 1)
      try {
        await work()
        return null
      } finally {
        const others = (running.get(account) ?? 1) - 1
        if (others > 0) running.set(account, others)
        else running.delete(account)
      }
    },
  }
}
