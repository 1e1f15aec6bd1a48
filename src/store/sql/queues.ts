// Work that is due at a time. *When* it is due is the row's: a queue only wakes, so what it loses is found by the next look at the
// rows. On PostgreSQL all processes work; on SQLite one does, and another takes over when it ends.
import { setMaxListeners } from 'node:events'

export interface Due {
  readonly id: string
  /** As the row says, in milliseconds since the Unix epoch. The same row at another time is other work. */
  readonly at: number
}

export interface RunSignals {
  /** Aborts when no more may begin: the process ends, or another one does the work. */
  readonly ending: AbortSignal
  /** Aborts when running work must end. */
  readonly signal: AbortSignal
}

export interface Work {
  /** At once in this process. */
  readonly concurrency: number
  /** What is due by then as the rows say, the longest waiting first. Rejects when the store fails. */
  due(until: number, limit: number): Promise<readonly Due[]>
  /**
   * Resolves with when the same work goes on, or with null at its end. It may run twice, even at once, when a process dies or stalls;
   * and for rows that are no longer due then. When it rejects it runs again after a while.
   */
  handle(due: Due, turn: RunSignals): Promise<number | null>
}

export interface Queue {
  /** Something is due, or will be: without arguments, what the rows say. Never rejects. */
  wake(...due: readonly Due[]): Promise<void>
  /** Seconds that the longest waiting work was late at the last look. */
  late(): number
}

export interface Queues {
  /** `name` is without colons. Without `work`, other processes do it, and are woken. */
  open(name: string, work: Work | null): Queue
  /** Lets running work end for a moment. Never rejects. */
  close(): Promise<void>
}

export const QUEUE_LIMITS = {
  /** Milliseconds after which the work of a process that died is taken over. */
  lease_ms: 15_000,
  /** Between two looks at the rows. What is due later waits for the next one. */
  look_ms: 60_000,
  /** Pause after a failure. */
  failure_ms: 1_000,
  /** Milliseconds that running work may take when the process ends. */
  end_ms: 5_000,
} as const

export type QueueLimits = Readonly<Record<keyof typeof QUEUE_LIMITS, number>>

export interface QueuesOptions {
  readonly now: () => number
  readonly limits?: Partial<QueueLimits>
  /** Called with the first failure of an outage. */
  readonly onFailure: (error: unknown) => void
  /** Called at the end of an outage, with the number of failures. */
  readonly onRecovery?: (failures: number) => void
}

/** Most rows of one look. */
export const MAX_ROWS = 1_000

/** Names the work: a row and the time when it is due. */
export const keyOf = ({ id, at }: Due): string => `${id}.${at}`

/** Counts the failures of an outage: there are thousands, and only the first is reported. */
export function createFaults({ onFailure, onRecovery }: Pick<QueuesOptions, 'onFailure' | 'onRecovery'>) {
  let failures = 0
  return {
    fault(error: unknown): void {
      failures += 1
      if (failures === 1) onFailure(error)
    },
    fine(): void {
      if (failures > 0) onRecovery?.(failures)
      failures = 0
    },
  }
}

export interface Turns {
  readonly turn: RunSignals
  /** Resolves when the work has ended, which is cut off after a while. */
  end(work: () => Promise<unknown>): Promise<void>
}

/** The signals of running work. */
export function createTurns(endMs: number): Turns {
  const ending = new AbortController()
  const stop = new AbortController()
  setMaxListeners(0, ending.signal, stop.signal)
  return {
    turn: { ending: ending.signal, signal: stop.signal },
    async end(work: () => Promise<unknown>): Promise<void> {
      ending.abort()
      const cut = setTimeout(() => stop.abort(), endMs)
      await work()
      clearTimeout(cut)
    },
  }
}
