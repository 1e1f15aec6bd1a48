// The queue between submitters and workers: how either side reaches it, how often, and what a job and its answer are.

import { createHash } from 'node:crypto'
import { type BulkQueue, createBulkQueue } from '../../store/redis/bulk_queue.ts'
import { createLink, RedisDown } from '../../store/redis/link.ts'
import { addressOf, type RedisPlace } from '../../store/redis_place.ts'
import { requestOf, type Target } from '../../targets/target.ts'
import { targetKey, UNAVAILABLE } from '../record.ts'
import type { BulkAnswer } from '../run.ts'

export interface QueuePlace extends RedisPlace {
  readonly queue: string
}

export interface OpenQueue extends BulkQueue {
  /** Whether Redis is reached. */
  readonly up: boolean
  close(): void
}

/** No Redis answers at the address, or none that can hold the queue. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable'
}

/** Milliseconds that a command may take at least: nobody waits for it, and a reply that is lost delays its jobs. */
const COMMAND_MS = 5_000

/** Rejects with `QueueUnavailable` when Redis is unreachable now; waits out later outages. */
export async function openQueue(place: QueuePlace, onError: (reason: string) => void): Promise<OpenQueue> {
  let opened = false
  const link = createLink({
    ...place,
    command_ms: Math.max(COMMAND_MS, place.command_ms ?? 0),
    // Commands are sent one at a time, and a Redis that stalls must be noticed within the lease of a worker.
    failures_max: 1,
    changed: (up, why, detail) => up || !opened || onError(detail ?? why),
    denied: (why, detail) => onError(detail ?? why),
  })
  const { nodes, primary } = addressOf(place.url)
  await link.start(primary === null ? nodes.length : 1)
  if (!link.up) {
    link.close()
    throw new QueueUnavailable(link.refused?.message ?? link.reason)
  }
  opened = true
  const { submit, work } = createBulkQueue(link.run, place.queue)
  return {
    submit,
    work,
    close: link.close,
    get up() {
      return link.up
    },
  }
}

/** Milliseconds until the next exchange with the queue: after one that moved something, and at most. */
const SOON_MS = 10
const LATER_MS = 200

export interface Exchanges {
  /** Makes the next exchange happen soon. */
  wake(): void
  /** Resolves when the exchange under way, if any, has ended. */
  settled(): Promise<void>
  /** The same, and starts no other. */
  stop(): Promise<void>
}

/**
 * Runs `exchange` again and again, one at a time and less often while it moves nothing. An outage is not an error here: it is
 * reported where it is noticed.
 */
export function startExchanges(exchange: () => Promise<boolean>, onError: (reason: string) => void): Exchanges {
  let wait = SOON_MS
  let timer: NodeJS.Timeout | undefined
  let [isBusy, isAwake, isStopped] = [false, false, false]
  let latest = run()

  async function run(): Promise<void> {
    isBusy = true
    isAwake = false
    const moved = await exchange().catch((error: unknown) => {
      if (!(error instanceof RedisDown)) onError(error instanceof Error ? error.message : String(error))
      return false
    })
    isBusy = false
    wait = moved ? SOON_MS : Math.min(LATER_MS, wait * 2)
    schedule(isAwake ? SOON_MS : wait)
  }

  function schedule(ms: number): void {
    clearTimeout(timer)
    if (isStopped) return
    timer = setTimeout(() => {
      latest = run()
    }, ms)
  }

  return {
    wake() {
      if (isAwake) return
      isAwake = true
      if (!isBusy) schedule(SOON_MS)
    },
    settled: () => latest,
    stop() {
      isStopped = true
      clearTimeout(timer)
      return latest
    },
  }
}

/** One job per target for all submitters: they share its answer, and a continued run finds the jobs of the interrupted one. */
export const jobId = (target: Target): string => {
  const key = `${targetKey(target)}${target.visit ? '' : ' unvisited'}`
  return createHash('sha256').update(key).digest('base64url')
}

/** A canonical target; the worker parses it again by its own rules. */
export const jobTarget = (target: Target): string => JSON.stringify(requestOf(target))

export type JobAnswer = Exclude<BulkAnswer, null>

export const unavailable = (detail: string): JobAnswer => ({ ok: false, error: { code: UNAVAILABLE, detail } })
