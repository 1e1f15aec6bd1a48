// What leaves the store, and the sums that its limits are compared with. Rows are removed in steps of so many that none takes long;
// any process may take the next step, and one at a time does.
import { type Kysely, sql } from 'kysely'
import type { HistoryLimits } from '../history.ts'
import type { Change, Database } from './database.ts'
import type { Schema } from './schema.ts'

export interface RetentionOptions extends HistoryLimits {
  /** Most bytes of compressed results that are cache only. */
  readonly cache_octets: number
  readonly now: () => number
}

/** Bytes of compressed results, and rows of `targets`. */
export type Total = 'kept_octets' | 'cache_octets' | 'targets'

/** Since when the record of targets is complete, in `settings`. */
export const TARGETS_SINCE = 'targets_since'

/** The start of a span that ends now, which may be endless. */
export const since = (now: number, spanMs: number): number => Math.max(0, Math.ceil(now - spanMs))

/** Rows of one step. */
const STEP = 128
/** Facts of results that one step removes. */
const FACETS_STEP = 2_048
/** Slots of writers, and the slot of the sweeper, which adds last. */
const SLOTS = 16
/** Any number that no other part uses. */
const SWEEPER = 0x617373

export const writersSlot = (): number => Math.floor(Math.random() * SLOTS)

/** The statement that adds to a total. */
export const addTo = (db: Kysely<Schema>, name: Total, value: number, slot = SLOTS) =>
  db
    .insertInto('totals')
    .values({ name, slot, value })
    .onConflict(oc => oc.columns(['name', 'slot']).doUpdateSet({ value: sql`totals.value + excluded.value` }))

/** A kind of rows that may have to go. */
interface Rule {
  /** Those of the next step; none when there is nothing to do. With `isLocked` they are locked, without others that are. */
  pick(db: Kysely<Schema>, isLocked: boolean): Promise<readonly Row[]>
  /** Removes them. False when some must wait for the next step. */
  drop(change: Change, rows: readonly Row[]): Promise<boolean>
}

interface Row {
  readonly place: number | string
  readonly id?: string | null
  readonly octets?: number
  readonly last?: number
}

/** Removes rows that are too old or too many, and resolves when none is left. Rejects when the store fails. */
export function createSweep(database: Database, options: RetentionOptions): () => Promise<void> {
  const rules = [...resultRules(options), ...cacheRules(options), ...targetRules(options)]
  return async () => {
    for (const rule of rules) while (await takeStep(database, rule));
  }
}

/** Whether more may be left to do. */
async function takeStep({ dialect, read, transaction }: Database, { pick, drop }: Rule): Promise<boolean> {
  if ((await pick(read, false)).length === 0) return false
  const isFile = dialect === 'sqlite'
  return transaction(async change => {
    if (!isFile && !(await isAlone(change))) return false
    // The file is locked already, and its reading connection reads at once.
    const rows = isFile ? await pick(read, false) : await pick(change, true)
    if (rows.length === 0) return false
    const isDone = await drop(change, rows)
    return !isDone || rows.length === STEP
  })
}

/** Results that are kept: with their sightings when they are too old; without their bodies when these are too many. */
const resultRules = ({ life_ms, octets, now }: RetentionOptions): readonly Rule[] => [
  {
    pick: (db, isLocked) =>
      resultsBy(db, 'checked_at', isLocked).where('checked_at', '<', since(now(), life_ms)).execute(),
    async drop(change, rows) {
      // One result may have been seen by any number of accounts.
      const ids = rows.map(({ id }) => id ?? '')
      if (!(await dropFacets(change, ids))) return false
      const sightings = change.selectFrom('sightings').select(['account', 'id']).where('id', 'in', ids).limit(STEP)
      const { numDeletedRows } = await change
        .deleteFrom('sightings')
        .where('id', 'in', ids)
        .where(sql<boolean>`(account, id) IN ${sightings}`)
        .executeTakeFirstOrThrow()
      return numDeletedRows < STEP && dropRows(change, 'kept_octets', rows)
    },
  },
  {
    async pick(db, isLocked) {
      const surplus = (await totalOf(db, 'kept_octets')) - octets
      if (surplus <= 0) return []
      return enough(surplus, await resultsBy(db, 'checked_at', isLocked).where('body', 'is not', null).execute())
    },
    async drop(change, rows) {
      const emptyRow = { body: null, facets: null, octets: 0 }
      const ids = rows.flatMap(({ id }) => id ?? [])
      if (!(await dropFacets(change, ids))) return false
      await change.deleteFrom('pictures').where('result_id', 'in', ids).execute()
      await change.updateTable('stored_results').set(emptyRow).where('place', 'in', placesOf(rows)).execute()
      await addTo(change, 'kept_octets', -octetsOf(rows)).execute()
      return true
    },
  },
]

/** Results that are cache only. */
const cacheRules = ({ cache_octets, now }: RetentionOptions): readonly Rule[] => [
  {
    pick: (db, isLocked) => resultsBy(db, 'useful_until', isLocked).where('useful_until', '<=', now()).execute(),
    drop: (change, rows) => dropRows(change, 'cache_octets', rows),
  },
  {
    async pick(db, isLocked) {
      const surplus = (await totalOf(db, 'cache_octets')) - cache_octets
      return surplus <= 0 ? [] : enough(surplus, await resultsBy(db, 'useful_until', isLocked).execute())
    },
    drop: (change, rows) => dropRows(change, 'cache_octets', rows),
  },
]

const targetRules = ({ met_ms, targets, now }: RetentionOptions): readonly Rule[] => [
  {
    pick: (db, isLocked) => targetsBy(db, isLocked).where('last', '<', since(now(), met_ms)).limit(STEP).execute(),
    drop: dropTargets,
  },
  {
    async pick(db, isLocked) {
      const surplus = (await totalOf(db, 'targets')) - targets
      return surplus <= 0 ? [] : targetsBy(db, isLocked).limit(Math.min(surplus, STEP)).execute()
    },
    drop: dropTargets,
  },
]

async function totalOf(db: Kysely<Schema>, name: Total): Promise<number> {
  const row = await db
    .selectFrom('totals')
    .select(sql<number>`CAST(coalesce(sum(value), 0) AS bigint)`.as('sum'))
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.sum
}

const resultsBy = (db: Kysely<Schema>, order: 'checked_at' | 'useful_until', isLocked: boolean) =>
  db
    .selectFrom('stored_results')
    .select(['place', 'id', 'octets'])
    .where('id', order === 'checked_at' ? 'is not' : 'is', null)
    .orderBy(order)
    .limit(STEP)
    .$if(isLocked, query => query.forUpdate().skipLocked())

const targetsBy = (db: Kysely<Schema>, isLocked: boolean) =>
  db
    .selectFrom('targets')
    .select(['target as place', 'last'])
    .orderBy('last')
    .$if(isLocked, query => query.forUpdate().skipLocked())

async function dropRows(change: Change, name: Total, rows: readonly Row[]): Promise<boolean> {
  await change.deleteFrom('stored_results').where('place', 'in', placesOf(rows)).execute()
  await addTo(change, name, -octetsOf(rows)).execute()
  return true
}

async function dropTargets(change: Change, rows: readonly Row[]): Promise<boolean> {
  const next = Math.max(...rows.map(({ last = 0 }) => last)) + 1
  const names = rows.map(({ place }) => `${place}`)
  await change.deleteFrom('targets').where('target', 'in', names).execute()
  await change
    .updateTable('settings')
    .set({ value: `${next}` })
    .where('name', '=', TARGETS_SINCE)
    .where(sql<number>`CAST(value AS bigint)`, '<', next)
    .execute()
  await addTo(change, 'targets', -rows.length).execute()
  return true
}

/** Removes the facts of these results, or many of them; false when some may be there still. */
async function dropFacets(change: Change, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true
  const keys = change
    .selectFrom('sightings as s')
    .innerJoin('facets as f', join =>
      join
        .onRef('f.account', '=', 's.account')
        .onRef('f.target', '=', 's.target')
        .onRef('f.checked_at', '=', 's.checked_at')
        .onRef('f.id', '=', 's.id'),
    )
    .select(['f.account', 'f.target', 'f.kind', 'f.value'])
    .where('s.id', 'in', ids)
    .limit(FACETS_STEP)
  const { numDeletedRows } = await change
    .deleteFrom('facets')
    .where(sql<boolean>`(account, target, kind, value) IN ${keys}`)
    .executeTakeFirstOrThrow()
  return numDeletedRows < FACETS_STEP
}

async function isAlone(change: Change): Promise<boolean> {
  const { rows } = await sql<{
    alone: boolean
  }>`SELECT pg_try_advisory_xact_lock(${sql.lit(SWEEPER)}) AS alone`.execute(change)
  return rows[0]?.alone === true
}

const placesOf = (rows: readonly Row[]) => rows.map(({ place }) => Number(place))
const octetsOf = (rows: readonly Row[]): number => rows.reduce((sum, { octets = 0 }) => sum + octets, 0)

/** The first rows with enough bytes to cover the surplus. */
function enough(surplus: number, rows: readonly Row[]): readonly Row[] {
  let octetsLeft = surplus
  return rows.filter(({ octets = 0 }) => {
    const isNeeded = octetsLeft > 0
    octetsLeft -= octets
    return isNeeded
  })
}
