// Whether Redis still holds what it held: a mark in it that nothing but its loss removes.
import { randomUUID } from 'node:crypto'
import type { KeyMirror } from './key_mirror.ts'
import { restoreRow } from './key_rows.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { script } from './script.ts'

const mark = redisKey('epoch')

/** Keys: mark. Arguments: a new one. Yields the one in force. */
const markScript = script<string>(
  `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`,
  reply => typeof reply === 'string',
)

/** Keys put back at once: each is a command that must be answered in time. */
const together = 200

export interface Epoch {
  /**
   * True when Redis has lost its data since it was last looked at; the keys known here are back in it then. Counters
   * come back one by one, each when it is next asked for.
   */
  emptied(run: Run): Promise<boolean>
}

export function createEpoch(mirror: KeyMirror, lost: () => void): Epoch {
  let known: string | null = null

  /** The mark in it, set where there is none: a Redis that cannot be written to, or runs no scripts, fails here. */
  const present = (run: Run) => markScript(run, [mark], [randomUUID()])

  async function putBack(run: Run): Promise<void> {
    const entries = mirror.entries()
    for (let from = 0; from < entries.length; from += together) {
      await Promise.all(entries.slice(from, from + together).map(([hash, key]) => restoreRow(run, hash, key)))
    }
  }

  return {
    async emptied(run) {
      const current = await present(run)
      if (current === known) return false
      const first = known === null
      if (!first) {
        lost()
        await putBack(run)
      }
      known = current
      return !first
    },
  }
}
