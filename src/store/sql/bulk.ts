// Targets of bulk runs that workers check for submitters. A row is the same for the same target, so that runs share its answer, and a
// run that is continued finds the answers of the one that was interrupted.
import { type Selectable, sql } from 'kysely'
import type { Change, Database } from './database.ts'
import { orStoreError } from './faults.ts'
import { createLeases } from './leases.ts'
import type { Due } from './queues.ts'
import type { Schema } from './schema.ts'

/** Milliseconds that a target is kept after it was last asked for: long enough to continue an interrupted run. */
export const KEPT_MS = 3_600_000
/** Bytes of one answer, packed: several hundred times a usual one. */
export const ANSWER_BYTES = 2 * 1024 * 1024
/** Answers that are read at once. */
const MAX_ANSWERS = 50
/** Milliseconds without a sign of life after which a worker counts as gone. */
export const WORKER_MS = 15_000

export interface BulkAsk {
  readonly id: string
  /** JSON. */
  readonly target: string
  /** When this submitter asked first: an answer that is younger is its own. */
  readonly since: number
}

export interface TakenTarget {
  readonly target: string
  /** Checks begun since it was asked for, this one included. */
  readonly attempt: number
}

export interface BulkAnswerRow {
  /** Packed; null when the worker could not check the target. */
  readonly answer: Uint8Array | null
  readonly life_ms: number
  readonly policy: string
}

/** `now` in milliseconds since the Unix epoch. If clocks differ, machines disagree about the age of answers by the difference. */
export function createBulkTargets(database: Database, queue: string, now: () => number) {
  const { read, transaction } = database
  const leases = createLeases(database, now)
  const workers = `bulk.${queue}.`

  return orStoreError({
    /**
     * Asks for targets without an answer, or with an answer that is older than `age_ms` or of a policy that is not in `policies`.
     * Resolves with those that a worker must check, also when somebody else asked for them.
     */
    ask: (asks: readonly BulkAsk[], ageMs: number, policies: readonly string[]): Promise<readonly Due[]> =>
      transaction(change => addTargets(change, queue, asks, { at: now(), ageMs, policies })),

    /** Which of these the store does not know, and some answers; null when no worker gave one. */
    look: (ids: readonly string[]) => answersTo(read, queue, ids),

    /** Removes targets with answers that are not shared with other runs. */
    forget: (ids: readonly string[]) =>
      transaction(async change => {
        await change.deleteFrom('bulk_targets').where('queue', '=', queue).where('id', 'in', ids).execute()
      }),

    async due(until: number, limit: number): Promise<readonly Due[]> {
      const waiting = read.selectFrom('bulk_targets').select(['id', 'next_at as at']).where('queue', '=', queue)
      const rows = await waiting.where('next_at', '<=', until).orderBy('next_at').limit(limit).execute()
      return rows.map(({ id, at }) => ({ id, at: at ?? 0 }))
    },

    /** Begins a check of a target that is due. Null when it is not any more. */
    take: ({ id, at }: Due): Promise<TakenTarget | null> =>
      transaction(async change => {
        const update = change.updateTable('bulk_targets').set(eb => ({ attempt: eb('attempt', '+', 1) }))
        const row = await update
          .where('queue', '=', queue)
          .where('id', '=', id)
          .where('next_at', '=', at)
          .returning(['target', 'attempt'])
          .executeTakeFirst()
        return row ?? null
      }),

    /** `life_ms` is how long others may have the answer. The first one counts. */
    answer: ({ id, at }: Due, { answer, life_ms, policy }: BulkAnswerRow) =>
      transaction(async change => {
        const endTime = now()
        const row = { answer, policy, ended: endTime, expires: endTime + life_ms, next_at: null }
        const put = change.updateTable('bulk_targets').set(row).where('queue', '=', queue).where('id', '=', id)
        await put.where('next_at', '=', at).execute()
      }),

    /** Plans the next try. */
    retry: ({ id, at }: Due, nextAt: number) =>
      transaction(async change => {
        const later = change.updateTable('bulk_targets').set({ next_at: nextAt }).where('queue', '=', queue)
        await later.where('id', '=', id).where('next_at', '=', at).execute()
      }),

    /** Says that a worker with this scoring policy lives. */
    live: async (worker: string, policy: string): Promise<void> => {
      await leases.take(`${workers}${worker}`, policy, WORKER_MS)
    },
    leave: (worker: string, policy: string) => leases.release(`${workers}${worker}`, policy),
    /** The policies of the workers that live. */
    policies: () => leases.holders(workers),

    /** Removes targets that no run asked for lately. */
    sweep: () =>
      transaction(async change => {
        await change
          .deleteFrom('bulk_targets')
          .where('asked', '<', now() - KEPT_MS)
          .execute()
        const removal = change.deleteFrom('leases').where('name', '>=', 'bulk.').where('name', '<', 'bulk/')
        await removal.where('until', '<', now()).execute()
      }),
  })
}

const list = (values: readonly string[]) => sql.join(values.length === 0 ? [''] : values)

interface Freshness {
  readonly at: number
  readonly ageMs: number
  readonly policies: readonly string[]
}

/** Adds the targets that have no usable answer, and resolves with the targets that are due, for any run. */
async function addTargets(
  change: Change,
  queue: string,
  asks: readonly BulkAsk[],
  { at, ageMs, policies }: Freshness,
): Promise<readonly Due[]> {
  const pending = { asked: at, next_at: at, attempt: 0, ended: null, expires: 0, policy: null, answer: null }
  const due: Due[] = []
  // In one order, so that two submitters do not wait for each other.
  for (const { id, target, since } of asks.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const isUsable = sql<boolean>`bulk_targets.ended >= ${Math.min(since, at - ageMs)} AND
(bulk_targets.ended >= ${since} OR (bulk_targets.expires > ${at} AND bulk_targets.policy IN (${list(policies)})))`
    const row = await change
      .insertInto('bulk_targets')
      .values({ queue, id, target, ...pending })
      .onConflict(oc =>
        oc
          .columns(['queue', 'id'])
          .doUpdateSet({ target, ...pending })
          .where('bulk_targets.ended', 'is not', null)
          .where(sql<boolean>`NOT (${isUsable})`),
      )
      .returning('next_at')
      .executeTakeFirst()
    if (row !== undefined) due.push({ id, at })
  }
  // Who asked for the others may have died before it woke a worker. Waking twice does nothing.
  const dueIds = new Set(due.map(({ id }) => id))
  const others = asks.map(({ id }) => id).filter(id => !dueIds.has(id))
  if (others.length === 0) return due
  const open = change.selectFrom('bulk_targets').select(['id', 'next_at as at']).where('queue', '=', queue)
  const rows = await open.where('id', 'in', others).where('next_at', 'is not', null).execute()
  return [...due, ...rows.map(({ id, at: nextAt }) => ({ id, at: nextAt ?? 0 }))]
}

async function answersTo(read: Database['read'], queue: string, ids: readonly string[]) {
  const mine = read.selectFrom('bulk_targets').where('queue', '=', queue)
  const rows = await mine.where('id', 'in', ids).select(['id', 'ended']).execute()
  const there = new Set(rows.map(({ id }) => id))
  const endedRows = rows.filter(row => row.ended !== null).slice(0, MAX_ANSWERS)
  const endedIds = endedRows.map(({ id }) => id)
  const answers: readonly Pick<Selectable<Schema['bulk_targets']>, 'id' | 'answer'>[] =
    endedIds.length === 0 ? [] : await mine.where('id', 'in', endedIds).select(['id', 'answer']).execute()
  return { unknown: ids.filter(id => !there.has(id)), answers }
}
