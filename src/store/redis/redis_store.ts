// The store in Redis: what several instances share, and what this one does while Redis is out.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { singleFlight } from '../../single_flight.ts'
import type { Backend, StoreEvent } from '../backend.ts'
import { createKeys, type KeyOptions, type Keys } from '../keys.ts'
import type { LocalResultCache } from '../result_cache.ts'
import { createSharedBoard } from './board.ts'
import { createEpoch } from './epoch.ts'
import { createFeed } from './feed.ts'
import { createSharedFlights, type FailureCodec } from './flights.ts'
import { type Journal, openJournal } from './journal.ts'
import { createKeyMirror } from './key_mirror.ts'
import { redisKeyRows } from './key_rows.ts'
import { createLink, type LinkOptions, type Run } from './link.ts'
import { createRedisQuota } from './quota.ts'
import { createSharedCache } from './result_cache.ts'
import { takeSlots } from './slot.ts'
import { createTargetShare } from './targets.ts'

export interface RedisStoreOptions {
  readonly url: string
  readonly command_ms?: LinkOptions['command_ms']
  /** Directory of the journals. */
  readonly data: string
  readonly keys: Omit<KeyOptions, 'now'>
  readonly local: LocalResultCache
  readonly shared_bytes_max: number
  readonly stale_ms: number
  readonly failures: FailureCodec
  readonly clock: Clock
  readonly event: StoreEvent
}

/** Milliseconds between exchanges with Redis beside requests: how late a revocation or a pause is heard of. */
const beat_ms = 1_000

/** Milliseconds that a command line waits for each answer: a key that is made and not shown would be nobody's. */
const patience_ms = 5_000

/** Resolves also when Redis is out: it is tried again every second. Rejects with a StoreError when the journal cannot be used. */
export async function openRedisStore(options: RedisStoreOptions): Promise<Backend> {
  const { url, clock, event, local } = options
  const mirror = createKeyMirror()
  const epoch = createEpoch(mirror, () => event('error', { store: 'redis-emptied' }))
  const feed = createFeed(mirror)
  const board = createSharedBoard(clock)
  let reached = false
  const link = createLink({
    url,
    command_ms: options.command_ms,
    async prepare(run) {
      await feed.hear(run)
      await epoch.emptied(run)
      if (!reached) await warnOfEviction(run, event)
    },
    changed(up, reason) {
      reached ||= up
      event(up ? 'info' : 'error', { store: up ? 'redis-reached' : 'redis-out', reason })
      if (up) quota.resume()
    },
  })
  const { run } = link
  const { journal, release } = await openJournals(options.data)
  const quota = createRedisQuota({
    run,
    instance: randomUUID(),
    journal,
    now: clock.now,
    alarm: detail => event('error', { store: 'quota-damaged', detail: detail.slice(0, 200) }),
  })
  const keys = createKeys(
    redisKeyRows(run, mirror, () => epoch.emptied(run)),
    { ...options.keys, now: clock.now },
  )
  const cache = createSharedCache({ run, local, bytes_max: options.shared_bytes_max, stale_ms: options.stale_ms })
  const flights = createSharedFlights({
    run,
    local: singleFlight<Buffer>(),
    recall: async key => (await cache.recall(key))?.bytes ?? null,
    failures: options.failures,
  })
  await link.start()
  const stop = beat(async () => {
    if (!link.up) return
    await feed.hear(run)
    await epoch.emptied(run)
    await board.exchange(run)
    quota.resume()
  })
  return {
    keys,
    quota,
    cache,
    flights,
    board,
    targets: createTargetShare(run),
    fault: () => (reached ? null : 'redis-unreachable'),
    note: () => (link.up ? null : 'redis-out'),
    figures: () => ({ unanswered: link.failures, owed: quota.owed }),
    async close() {
      stop()
      await quota.drain()
      await keys.close()
      link.close()
      await journal.close()
      release()
    },
  }
}

/** The keys in Redis alone, for the command line. Rejects with a StoreError when Redis cannot be reached. */
export async function openRedisKeys(url: string, options: KeyOptions): Promise<{ keys: Keys; close(): Promise<void> }> {
  const link = createLink({ url, command_ms: patience_ms })
  await link.start()
  const keys = createKeys(
    redisKeyRows(link.run, createKeyMirror(), async () => false),
    options,
  )
  return {
    keys,
    async close() {
      await keys.close()
      link.close()
    },
  }
}

/** One journal to write, and all that is left in those of instances that are no more. */
async function openJournals(data: string): Promise<{ journal: Journal; release(): void }> {
  const { own, orphans } = takeSlots(data)
  const journal = await openJournal(join(own.directory, 'journal'))
  const left = await Promise.all(orphans.map(({ directory }) => openJournal(join(directory, 'journal'))))
  const all = [journal, ...left]
  return {
    journal: {
      ...journal,
      left: all.flatMap(({ left }) => left),
      // All that was left is counted at once, or waits for the next start.
      clear: async () => void (await Promise.all(all.map(one => one.clear()))),
      close: async () => void (await Promise.all(all.map(one => one.close()))),
    },
    release() {
      for (const slot of [own, ...orphans]) slot.release()
    },
  }
}

function beat(work: () => Promise<void>): () => void {
  let busy = false
  const timer = setInterval(async () => {
    if (busy) return
    busy = true
    await work().catch(() => {})
    busy = false
  }, beat_ms).unref()
  return () => clearInterval(timer)
}

/** Redis may be told to throw keys away when it is full; not all servers tell. */
async function warnOfEviction(run: Run, event: StoreEvent): Promise<void> {
  const { 'maxmemory-policy': policy } = await run(client => client.configGet('maxmemory-policy')).catch(
    (): Record<string, string> => ({}),
  )
  if (policy !== undefined && policy !== 'noeviction') event('warn', { store: 'redis-evicts', policy })
}
