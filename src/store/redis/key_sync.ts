// Keeps the keys in memory in step with Redis: other processes revoke keys, and Redis may lose its data.
import { readEpoch } from './epoch.ts'
import type { KeyMirror } from './key_mirror.ts'
import { feedKey, restoreRow } from './key_rows.ts'
import { RedisDown, type Run } from './link.ts'

export interface RevocationFeed {
  /**
   * Forgets the keys and accounts that other processes changed since the last call. The first call, before any key is
   * looked up, forgets nothing. Rejects when Redis does not reply.
   */
  read(run: Run): Promise<void>
}

/** Entries in one reply. */
const page = 1_000

export function createRevocationFeed(mirror: KeyMirror): RevocationFeed {
  let last: string | null = null
  return {
    async read(run) {
      if (last === null) {
        const newest = await run(client => client.xRevRange(feedKey(run), '+', '-', { COUNT: 1 }))
        last = newest?.[0]?.id ?? '0-0'
        return
      }
      for (;;) {
        const since: string = last
        const entries = (await run(client => client.xRange(feedKey(run), `(${since}`, '+', { COUNT: page }))) ?? []
        for (const { id, message } of entries) {
          mirror.forget(message['id'] ?? '')
          if (message['account'] !== undefined) mirror.forgetAccount(message['account'])
          last = id
        }
        if (entries.length < page) return
      }
    },
  }
}

/** Keys restored at once: each is a command that must be answered in time. */
const together = 200

export interface LossDetector {
  /** Names the data of Redis, as far as known; empty before the first look. */
  readonly epoch: string
  /**
   * Resolves with true when Redis has lost its data since the last call; the known keys and counts are then restored. Fails on a
   * Redis that cannot be written to or runs no scripts.
   */
  check(run: Run): Promise<boolean>
}

export interface LossOptions {
  readonly mirror: KeyMirror
  /** Restores the counts that this instance knows; `epoch` is the new one. */
  readonly restoreCounts: (run: Run, epoch: string) => Promise<void>
  readonly lost: () => void
  /** Called for each key that cannot be restored. */
  readonly unrestored: (id: string, fault: unknown) => void
}

export function createLossDetector({ mirror, restoreCounts, lost, unrestored }: LossOptions): LossDetector {
  let known: string | null = null
  /** The last epoch that was reported as new: a restoration that fails is repeated. */
  let reported: string | null = null
  let checking: Promise<boolean> | null = null

  async function restore(run: Run): Promise<void> {
    const entries = mirror.entries()
    for (let from = 0; from < entries.length; from += together) {
      await Promise.all(
        entries.slice(from, from + together).map(async ([hash, key]) => {
          try {
            await restoreRow(run, hash, key)
          } catch (fault) {
            if (fault instanceof RedisDown) throw fault
            // Concerns this key alone: without the other keys and the epoch, nothing would be counted at all.
            unrestored(key.id, fault)
          }
        }),
      )
    }
  }

  async function look(run: Run): Promise<boolean> {
    const current = await readEpoch(run)
    if (current === known) return false
    const first = known === null
    if (!first) {
      if (current !== reported) lost()
      reported = current
      await restoreCounts(run, current)
      await restore(run)
    }
    known = current
    return !first
  }

  return {
    get epoch() {
      return known ?? ''
    },
    check(run) {
      checking ??= look(run).finally(() => {
        checking = null
      })
      return checking
    },
  }
}
