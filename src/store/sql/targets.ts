// The record of targets: when each was first and last checked here, by any account. The record outlives the results.
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { FirstMeeting, Meeting } from '../history.ts'
import type { Database } from './database.ts'
import { since, TARGETS_SINCE } from './retention.ts'
import type { Schema } from './schema.ts'

/** What the record says of one target: one row. */
export interface MetRow {
  readonly met_first: number | null
  /** Since when the record is complete, as text. */
  readonly met_since: string | null
}

/** Reads when a target was first checked. Rows with a last check longer ago than `met_ms` may still exist. */
export const metQuery = ({ read }: Pick<Database, 'read'>, target: string, now: number, metMs: number) =>
  read.selectNoFrom(eb => [
    eb.selectFrom('settings').select('value').where('name', '=', TARGETS_SINCE).as('met_since'),
    eb
      .selectFrom('targets')
      .select('first')
      .where('target', '=', target)
      .where('last', '>=', since(now, metMs))
      .as('met_first'),
  ])

export const meetingIn = ({ met_first, met_since }: MetRow, now: number, metMs: number): FirstMeeting => ({
  at: met_first,
  since: Math.max(Number(met_since ?? now), since(now, metMs)),
})

/** A statement of Kysely's. */
export interface Statement {
  compile(db: Kysely<Schema>): CompiledQuery
}

/**
 * Statements that put targets on record and add the new ones to their number. Targets are locked in one order everywhere: two
 * processes that write the same ones wait for each other and never deadlock.
 */
export function recording(
  { dialect, read }: Database,
  meetings: readonly Meeting[],
  slot: number,
): Record<string, Statement> {
  const rows = metOf(meetings)
  const newMeetings = read
    .insertInto('targets')
    .values(rows)
    .onConflict(oc =>
      oc.column('target').doUpdateSet({
        first: sql`CASE WHEN excluded.first < targets.first THEN excluded.first ELSE targets.first END`,
        last: sql`CASE WHEN excluded.last > targets.last THEN excluded.last ELSE targets.last END`,
      }),
    )
  const counting = (newTargets: RawBuilder<unknown>) => sql`INSERT INTO totals (name, slot, value)
SELECT 'targets', ${sql.lit(slot)}, ${newTargets}
ON CONFLICT (name, slot) DO UPDATE SET value = totals.value + excluded.value`
  if (dialect === 'sqlite') {
    const names = sql.join(rows.map(({ target }) => target))
    return {
      counted: counting(sql`${sql.lit(rows.length)} - count(*) FROM targets WHERE target IN (${names})`),
      met: newMeetings,
    }
  }
  // A row that was there has been locked (`xmax`).
  const isNew = sql<boolean>`xmax = 0`.as('is_new')
  return {
    met: newMeetings.returning(isNew),
    counted: counting(sql`count(*) FROM met WHERE is_new HAVING count(*) > 0`),
  }
}

/** One row a target, sorted. */
function metOf(meetings: readonly Meeting[]) {
  const rows = new Map<string, { readonly target: string; readonly first: number; readonly last: number }>()
  for (const { target, at } of meetings) {
    const { first, last } = rows.get(target) ?? { first: at, last: at }
    rows.set(target, { target, first: Math.min(first, at), last: Math.max(last, at) })
  }
  return [...rows.values()].sort((one, other) => (one.target < other.target ? -1 : 1))
}
