// Watches and the events that they have to deliver. An event is written in the same transaction as the state that caused it, and
// delivered afterwards: whenever a process dies, it is neither lost nor made twice.
import { type Selectable, sql } from 'kysely'
import {
  type CheckedWatch,
  type Delivery,
  FARTHEST_MS,
  KEPT_DELIVERIES,
  type Outcome,
  readDelivery,
  readWatch,
  type Watch,
  type WatchState,
} from '../watches.ts'
import type { Change, Database } from './database.ts'
import { dueOf } from './due.ts'
import { orStoreError } from './faults.ts'
import { asciiJson, type Schema } from './schema.ts'

export interface WatchesOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Called when a row cannot be read and is not run any more. */
  readonly onDamage?: () => void
}

/** Rows of one account that are due at a time: more than run at once for it. */
const DUE_OF_ACCOUNT = 8

/** All methods reject with a StoreError. Changes resolve when they are durable. */
export type Watches = ReturnType<typeof createWatches>

const isThere = <T>(one: T | null): one is T => one !== null

export const createWatches = (database: Database, options: WatchesOptions) =>
  orStoreError({ ...watchMethods(database, options), ...deliveryMethods(database, options) })

function watchMethods(database: Database, options: WatchesOptions) {
  const { dialect, read, transaction } = database
  return {
    /** False when the account has `most` watches already. */
    add: (watch: Watch, most: number) =>
      transaction(async change => {
        const { account } = watch
        // Whoever adds for the account at the same moment waits. In SQLite the transaction does it.
        if (dialect === 'postgres')
          await sql`SELECT pg_advisory_xact_lock(hashtext(${`assay.watches ${account}`}))`.execute(change)
        const { many } = await change
          .selectFrom('watches')
          .select(eb => eb.fn.countAll<number>().as('many'))
          .where('account', '=', account)
          .executeTakeFirstOrThrow()
        if (Number(many) >= most) return false
        await change.insertInto('watches').values(rowOf(watch)).execute()
        return true
      }),

    /** Oldest first. */
    async list(account: string): Promise<readonly Watch[]> {
      const all = read.selectFrom('watches').selectAll().where('account', '=', account)
      return (await all.orderBy('created').orderBy('id').execute()).map(watchOf).filter(isThere)
    },

    async get(id: string): Promise<Watch | null> {
      const row = await read.selectFrom('watches').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : watchOf(row)
    },

    /** With its deliveries. Whether the account had it. */
    remove: (account: string, id: string) =>
      transaction(async change => {
        const removal = change.deleteFrom('watches').where('id', '=', id).where('account', '=', account)
        return (await removal.executeTakeFirst()).numDeletedRows === 1n
      }),

    /** Rows due by then: the first few of each account, the longest waiting first. */
    dueWatches: (until: number, limit: number) => dueIn(database, 'watches', until, limit, options),

    forgetWatch: (id: string) => forget(database, 'watches', id, options),

    /** Writes the outcome of a check, and the event, if the watch still exists and is due at `due`; false otherwise. */
    checked: (id: string, due: number, { state, next_at, delivery }: CheckedWatch) =>
      transaction(async change => {
        // What its owner silenced meanwhile stays silenced.
        const silences = (await lockedState(id, change, dialect))?.silenced
        const put = change
          .updateTable('watches')
          .set({ state: asciiJson({ ...state, silenced: silences }), next_at })
          .where('id', '=', id)
        if ((await put.where('next_at', '=', due).executeTakeFirst()).numUpdatedRows === 0n) return false
        if (delivery !== null) await addDelivery(change, delivery, options)
        return true
      }),

    /** Ends the checks of a watch. */
    stop: (id: string, why: NonNullable<WatchState['stopped']>) =>
      transaction(async change => {
        const update = change.updateTable('watches').set({ next_at: null }).where('id', '=', id)
        const row = await update.returning('state').executeTakeFirst()
        if (row !== undefined) await putState(change, id, { ...JSON.parse(row.state), stopped: why })
      }),

    /** Reports a matter of a watch again from `until` on; at once when null. */
    silence: (id: string, matter: string, until: number | null) =>
      transaction(async change => {
        const lockedWatch = await lockedState(id, change, dialect)
        if (lockedWatch === null) return
        const { silenced = {}, ...state } = lockedWatch
        const { [matter]: _, ...others } = silenced
        await putState(change, id, { ...state, silenced: until === null ? others : { ...others, [matter]: until } })
      }),
  }
}

function deliveryMethods(database: Database, options: WatchesOptions) {
  const { read, transaction } = database
  return {
    dueDeliveries: (until: number, limit: number) => dueIn(database, 'deliveries', until, limit, options),

    forgetDelivery: (id: string) => forget(database, 'deliveries', id, options),

    /** Adds an event that no check caused. */
    enqueue: (delivery: Delivery) => transaction(change => addDelivery(change, delivery, options)),

    /**
     * Begins attempt `attempt + 1` unless another process did: the delivery is due again at `until`, in case this process dies. Whether
     * it begins.
     */
    claim: (id: string, attempt: number, until: number) =>
      transaction(async change => {
        const update = change
          .updateTable('deliveries')
          .set({ attempt: attempt + 1, next_at: until })
          .where('id', '=', id)
          .where('attempt', '=', attempt)
          .where('state', '=', 'pending')
        return (await update.executeTakeFirst()).numUpdatedRows === 1n
      }),

    /** Writes the outcome of attempt `attempt` if no later one has begun. */
    settle: (id: string, attempt: number, { state, failed, next_at, last }: Outcome) =>
      transaction(async change => {
        const row = { state, failed, next_at, last: asciiJson(last) }
        await change.updateTable('deliveries').set(row).where('id', '=', id).where('attempt', '=', attempt).execute()
      }),

    /** Latest first. */
    async deliveries(watch: string, limit: number): Promise<readonly Delivery[]> {
      const all = read.selectFrom('deliveries').selectAll().where('watch', '=', watch)
      const rows = await all.orderBy('created', 'desc').orderBy('id', 'desc').limit(limit).execute()
      return rows.map(deliveryOf).filter(isThere)
    },

    async delivery(id: string): Promise<Delivery | null> {
      const row = await read.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : deliveryOf(row)
    },

    /** Begins another round of attempts now, whatever became of the last. Whether there is such a delivery. */
    replay: (id: string, now: number) =>
      transaction(async change => {
        const again = change.updateTable('deliveries').set({ state: 'pending', failed: 0, next_at: now })
        return (await again.where('id', '=', id).executeTakeFirst()).numUpdatedRows === 1n
      }),
  }
}

type Table = 'watches' | 'deliveries'

const dueIn = (database: Database, table: Table, until: number, limit: number, { now }: WatchesOptions) =>
  dueOf(database, table, { until, farthest: now() + FARTHEST_MS, of_account: DUE_OF_ACCOUNT, limit })

/** A damaged row would be due for ever. */
async function forget(
  { transaction }: Database,
  table: Table,
  id: string,
  { onDamage }: WatchesOptions,
): Promise<void> {
  const ends = await transaction(async change => {
    const update = change.updateTable(table).set({ next_at: null }).where('id', '=', id)
    return (await update.where('next_at', 'is not', null).executeTakeFirst()).numUpdatedRows === 1n
  })
  if (ends) onDamage?.()
}

/** The state of a watch, locked until the transaction ends; null if the watch does not exist. */
async function lockedState(id: string, change: Change, dialect: Database['dialect']): Promise<WatchState | null> {
  const watches = change.selectFrom('watches').select('state').where('id', '=', id)
  const row = await (dialect === 'postgres' ? watches.forUpdate() : watches).executeTakeFirst()
  return row === undefined ? null : JSON.parse(row.state)
}

async function putState(change: Change, id: string, state: WatchState): Promise<void> {
  await change
    .updateTable('watches')
    .set({ state: asciiJson(state) })
    .where('id', '=', id)
    .execute()
}

/** Adds a delivery, and removes finished deliveries of its watch that are too old or too many. */
async function addDelivery(change: Change, delivery: Delivery, { now }: WatchesOptions): Promise<void> {
  const { last, event, watch } = delivery
  const row = { ...delivery, event: asciiJson(JSON.parse(event)), last: last === null ? null : asciiJson(last) }
  await change
    .insertInto('deliveries')
    .values(row)
    .onConflict(oc => oc.column('id').doNothing())
    .execute()
  const latest = change
    .selectFrom('deliveries')
    .select('id')
    .where('watch', '=', watch)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(KEPT_DELIVERIES.count)
  await change
    .deleteFrom('deliveries')
    .where('watch', '=', watch)
    .where('next_at', 'is', null)
    .where(eb => eb.or([eb('created', '<', now() - KEPT_DELIVERIES.ms), eb('id', 'not in', latest)]))
    .execute()
}

function rowOf({ state, next_at, ...terms }: Watch) {
  const { id, account, created } = terms
  return { id, account, created, terms: asciiJson(terms), state: asciiJson(state), next_at }
}

const watchOf = ({ terms, state, next_at }: Selectable<Schema['watches']>): Watch | null =>
  readWatch(terms, state, next_at)

const deliveryOf = (row: Selectable<Schema['deliveries']>): Delivery | null =>
  readDelivery(row as Parameters<typeof readDelivery>[0])
