// Due rows, taken from each account in turn: many rows of one account do not delay the rows of others.
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Due } from './queues.ts'

export interface DueOptions {
  readonly until: number
  /** Planned by a clock that was far ahead, a row after this is due as well; none when absent. */
  readonly farthest?: number
  /** Rows of one account: those that wait longest. */
  readonly of_account: number
  readonly limit: number
}

/** The one that waits longest first. */
export async function dueOf(
  { read }: Pick<Database, 'read'>,
  table: 'watches' | 'deliveries' | 'jobs',
  { until, farthest = Number.MAX_SAFE_INTEGER, of_account, limit }: DueOptions,
): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`SELECT id, next_at AS at FROM
(SELECT id, next_at, created, row_number() OVER (PARTITION BY account ORDER BY next_at, created, id) AS place
FROM ${sql.table(table)} WHERE next_at <= ${until} OR next_at > ${farthest}) AS waiting
WHERE place <= ${of_account} ORDER BY next_at, created, id LIMIT ${limit}`.execute(read)
  return rows
}
