// The lease of a sole runner as the one row of a table, in the file of the work that it runs.
import type { Leased } from '../../sole_runner.ts'
import type { Reader, WriteConnection, Writer } from './connection.ts'

export const LEASE_TABLE =
  'CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1), holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT;'

export interface LeaseParts {
  readonly reader: Reader
  readonly connection: WriteConnection
  readonly writer: Writer
  readonly now: () => number
}

export async function createLease(parts: LeaseParts): Promise<Pick<Leased, 'lease' | 'release'>> {
  const { reader, connection, writer, now } = parts
  const take = await connection.prepare(`INSERT INTO lease (one, holder, until) VALUES (1, ?1, ?2)
ON CONFLICT DO UPDATE SET holder = ?1, until = ?2 WHERE holder = ?1 OR until <= ?3 OR until > ?2`)
  const leased = reader.prepare('SELECT until FROM lease')
  const leave = await connection.prepare('DELETE FROM lease WHERE holder = ?')
  return {
    async lease(holder, ms) {
      const until = now() + ms
      const held = await writer.transaction(() => take.run(holder, until, now()).changes === 1)
      return { held, until: held ? until : ((leased.get()?.[0] as number | undefined) ?? until) }
    },
    release: holder =>
      writer.transaction(() => {
        leave.run(holder)
      }),
  }
}
