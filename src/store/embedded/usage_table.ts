// Days that have left the counters of accounts, in the SQLite file. They are written in the transaction that counts the answer
// of a new day, so that a crash leaves each day in its counter or here.
import { daysLeaving, oldestKept } from '../usage_days.ts'
import type { WriteConnection } from './connection.ts'
import type { Entry } from './quota.ts'

const add_day = `
INSERT INTO usage_days (account, day, answers) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET answers = answers + excluded.answers`

/** Old days that one added day removes: more than it adds, so that those of idle accounts go too, and few, so that no write takes long. */
const removed_max = 50

const remove_days = `
DELETE FROM usage_days WHERE (account, day) IN
(SELECT account, day FROM usage_days WHERE day < ? ORDER BY day LIMIT ${removed_max})`

export interface UsageArchive {
  /** Adds the days that a counted change drops from the counter. Call it inside the transaction of the change. */
  add(entry: Entry): void
}

export async function openUsageArchive(connection: WriteConnection): Promise<UsageArchive> {
  const add = await connection.prepare(add_day)
  const remove = await connection.prepare(remove_days)
  return {
    add({ account, before, after }) {
      for (const [day, answers] of daysLeaving(before, after)) {
        add.run(account, day, answers)
        remove.run(oldestKept(day, after.day[0] ?? day))
      }
    },
  }
}
