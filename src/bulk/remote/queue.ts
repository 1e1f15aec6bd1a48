// The queue between submitters and workers: its Redis connections, jobs and answers.

import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import { createNodeRedisClient, type JobsOptions } from 'bullmq'
import { credentialsOf, socketOf } from '../../store/redis/client.ts'
import { usual_prefix } from '../../store/redis/protocol.ts'
import { addressOf, type RedisNode, type RedisPlace } from '../../store/redis_place.ts'
import type { Requested, Target } from '../../targets/target.ts'
import { targetKey, UNAVAILABLE } from '../record.ts'
import type { BulkAnswer } from '../run.ts'

export interface QueuePlace extends RedisPlace {
  readonly queue: string
}

interface QueueConnection {
  /** For the queue library, which does not close connections passed to it. */
  readonly client: ReturnType<typeof createNodeRedisClient>
  close(): void
}

/** No Redis server answers at the address. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable'
}

/** Prefix of all keys of the queue, so that Redis can be shared. */
export const queuePrefix = ({ prefix = usual_prefix }: RedisPlace): string => `${prefix}-queue`

/** Milliseconds. Short, so that a command fails soon when Redis is not running. */
const CONNECT_MS = 2_000
/** Longest delay between attempts to reconnect. */
const RECONNECT_MS = 2_000

/** Rejects with `QueueUnavailable` when Redis is unreachable now; waits out later outages. */
export async function openConnection(place: QueuePlace, onError: (error: Error) => void): Promise<QueueConnection> {
  await probe(place)
  const raw = createQueueClient(place, tries => Math.min(RECONNECT_MS, 50 * 2 ** tries))
  raw.on('error', onError)
  const client = createNodeRedisClient(raw)
  client.on('error', onError)
  return {
    client,
    close() {
      if (raw.isOpen) raw.destroy()
    },
  }
}

function createQueueClient(place: QueuePlace, reconnectStrategy: false | ((tries: number) => number)) {
  const address = addressOf(place.url)
  const [node] = address.nodes as [RedisNode]
  const socket = { ...socketOf(place, address, node), connectTimeout: CONNECT_MS, reconnectStrategy }
  return createClient({ ...credentialsOf(address), socket })
}

async function probe(place: QueuePlace): Promise<void> {
  const client = createQueueClient(place, false)
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

/** A canonical target; the worker parses it again by its own rules. Jobs of earlier versions have no URL. */
export type JobData = Requested

export type JobAnswer = Exclude<BulkAnswer, null>

/** Seconds that an unclaimed answer is kept: long enough to restart an interrupted run. */
const KEPT_SECONDS = 3_600

/** A job is retried later, possibly by another worker, when nothing could be checked or its worker died. */
export const jobOptions = (target: Target): JobsOptions => ({
  jobId: jobId(target),
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { age: KEPT_SECONDS },
  removeOnFail: { age: KEPT_SECONDS },
})

/** One job per target for all submitters: a continued run finds the jobs of the interrupted one. */
export const jobId = (target: Target): string => {
  const key = `${targetKey(target)}${target.visit ? '' : ' unvisited'}`
  return `t${createHash('sha256').update(key).digest('hex').slice(0, 40)}`
}

/** Encodes "nothing could be checked" as an error message, because the queue keeps only an error's message. */
export const unavailableMessage = (reason: string): string => `${UNAVAILABLE} ${reason}`

/** The answer that a job's last failure stands for. */
export function answerOfFailure(message: string): JobAnswer {
  const [code, ...reason] = message.split(' ')
  const detail = code === UNAVAILABLE ? reason.join(' ') : 'No worker completed the check.'
  return { ok: false, error: { code: UNAVAILABLE, detail } }
}
