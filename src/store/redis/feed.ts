// Hears which keys were ended by other processes, so that what is remembered here never outlives them.
import type { KeyMirror } from './key_mirror.ts'
import { feed } from './key_rows.ts'
import type { Run } from './link.ts'

export interface Feed {
  /** Takes in what is new since the last time; the first time, before any key is looked at, nothing is. Rejects when Redis does not answer. */
  hear(run: Run): Promise<void>
}

/** Entries in one reply. */
const page = 1_000

export function createFeed(mirror: KeyMirror): Feed {
  let last: string | null = null

  async function hear(run: Run): Promise<void> {
    if (last === null) {
      const newest = await run(client => client.xRevRange(feed.key, '+', '-', { COUNT: 1 }))
      last = newest?.[0]?.id ?? '0-0'
      return
    }
    for (;;) {
      const since: string = last
      const entries = (await run(client => client.xRange(feed.key, `(${since}`, '+', { COUNT: page }))) ?? []
      for (const { id, message } of entries) {
        mirror.forget(message['id'] ?? '')
        last = id
      }
      if (entries.length < page) return
    }
  }

  return { hear }
}
