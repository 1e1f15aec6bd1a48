// Connections to the Redis that holds the queue.

import { createClient } from '@redis/client'
import { createNodeRedisClient } from 'bullmq'

export interface QueuePlace {
  /** `redis://` or `rediss://`; may hold a password and is never shown. */
  readonly url: string
  readonly queue: string
}

export interface QueueConnection {
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
