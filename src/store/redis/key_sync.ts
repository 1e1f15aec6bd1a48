// Keeps the keys in memory in step with Redis: other processes revoke keys, and Redis may lose its data.
import { randomUUID } from 'node:crypto'
import type { KeyMirror } from './key_mirror.ts'
import { feedKey, restoreRow } from './key_rows.ts'
import { type Run, script } from './link.ts'

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

/** Nothing but a loss of data removes this key. */
const markKey = ({ key }: Run) => key('epoch')

/** Keys: mark. Arguments: a new value. Returns the value in force. */
const markScript = script<string>(
  `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`,
  reply => typeof reply === 'string',
)

/** Keys restored at once: each is a command that must be answered in time. */
const together = 200

export interface LossDetector {
  /**
   * Resolves with true when Redis has lost its data since the last call; the known keys are then restored. Counters are
   * restored one by one, when each is next used. Fails on a Redis that cannot be written to or runs no scripts.
   */
  check(run: Run): Promise<boolean>
}

export function createLossDetector(mirror: KeyMirror, lost: () => void): LossDetector {
  let known: string | null = null

  async function restore(run: Run): Promise<void> {
    const entries = mirror.entries()
    for (let from = 0; from < entries.length; from += together) {
      await Promise.all(entries.slice(from, from + together).map(([hash, key]) => restoreRow(run, hash, key)))
    }
  }

  return {
    async check(run) {
      const current = await markScript(run, [markKey(run)], [randomUUID()])
      if (current === known) return false
      const first = known === null
      if (!first) {
        lost()
        await restore(run)
      }
      known = current
      return !first
    },
  }
}
