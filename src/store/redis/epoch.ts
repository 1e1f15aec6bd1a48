// Whether Redis still holds what it held: a mark in it that nothing but its loss removes.
import { randomUUID } from 'node:crypto'
import type { KeyMirror } from './key_mirror.ts'
import { restoreRow } from './key_rows.ts'
import type { Run } from './link.ts'
import { redisKey } from './names.ts'
import { textOrNone } from './reply.ts'

const mark = redisKey('epoch')

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

  async function present(run: Run): Promise<string | null> {
    const look = () => run(async client => textOrNone(await client.get(mark)))
    const stored = await look()
    if (stored !== null) return stored
    await run(client => client.set(mark, randomUUID(), { condition: 'NX' }))
    return look()
  }

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
