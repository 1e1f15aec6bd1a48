// The queue that submitters and workers share: its Redis connections, its jobs and their answers.

import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import { createNodeRedisClient, type JobsOptions } from 'bullmq'
import type { Target } from '../../targets/target.ts'
import { targetKey, UNAVAILABLE } from '../record.ts'
import type { BulkAnswer } from '../run.ts'

export interface QueuePlace {
  /** `redis://` or `rediss://`; may hold a password and is never shown. */
  readonly url: string
  readonly queue: string
}

interface QueueConnection {
  /** For the queue library, which does not close what it was given. */
  readonly client: ReturnType<typeof createNodeRedisClient>
  close(): void
}

/** No Redis answers at the address. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable'
}

/** Keys of the queue begin so, that it may live beside others. */
export const KEY_PREFIX = 'assay-queue'

/** Milliseconds: whoever starts a command wants to know soon that nothing answers. */
const CONNECT_MS = 2_000
/** Milliseconds between attempts to come back, at most. */
const RECONNECT_MS = 2_000

/** Rejects with `QueueUnavailable` when nothing answers now; an outage later is waited out. */
export async function openConnection({ url }: QueuePlace, told: (error: Error) => void): Promise<QueueConnection> {
  await probe(url)
  const raw = createClient({
    url,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: tries => Math.min(RECONNECT_MS, 50 * 2 ** tries) },
  })
  raw.on('error', told)
  const client = createNodeRedisClient(raw)
  client.on('error', told)
  return {
    client,
    close() {
      if (raw.isOpen) raw.destroy()
    },
  }
}

async function probe(url: string): Promise<void> {
  const client = createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
  } catch (error) {
    throw new QueueUnavailable(error instanceof Error ? error.message || error.name : String(error))
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** A canonical target; the worker reads it anew, by its own rules. */
export interface JobData {
  readonly domain: string | null
  readonly ip: string | null
}

export type JobAnswer = Exclude<BulkAnswer, null>

/** Seconds that an answer nobody fetched is kept: long enough for an interrupted run to be started again. */
const KEPT_SECONDS = 3_600

/** Tried again elsewhere and later when nothing could be looked at; a job of a worker that died is taken up by another. */
export const jobOptions = (target: Target): JobsOptions => ({
  jobId: jobId(target),
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { age: KEPT_SECONDS },
  removeOnFail: { age: KEPT_SECONDS },
})

/** One job a target, whoever asks: a run that goes on finds the jobs of the interrupted one. */
export const jobId = (target: Target): string =>
  `t${createHash('sha256').update(targetKey(target)).digest('hex').slice(0, 40)}`

/** How a worker says that nothing could be looked at; the queue keeps nothing of an error but its message. */
export const unavailableMessage = (reason: string): string => `${UNAVAILABLE} ${reason}`

/** What the last failure of a job means. */
export function answerOfFailure(message: string): JobAnswer {
  const [code, ...reason] = message.split(' ')
  const detail = code === UNAVAILABLE ? reason.join(' ') : 'No worker completed the check.'
  return { ok: false, error: { code: UNAVAILABLE, detail } }
}
