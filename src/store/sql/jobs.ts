// Jobs with their targets and records. A record is written in the transaction that counts its answer, under the job and the line:
// what runs twice is written and counted once.
import { sql } from 'kysely'
import {
  doneOf,
  type Job,
  type JobAdded,
  type JobLimits,
  type JobRecord,
  type JobStanding,
  type JobStatus,
  KEPT_JOBS,
  RECORD_KINDS,
  readJob,
  unreadable,
} from '../jobs.ts'
import type { Change, Database } from './database.ts'
import { dueOf } from './due.ts'
import { orStoreError } from './faults.ts'
import { asciiJson } from './schema.ts'

export interface JobsOptions extends JobLimits {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Called when a job cannot be read and does not run any more. */
  readonly onDamage?: () => void
}

/** All methods reject with a StoreError. Changes resolve when they are durable. */
export type Jobs = ReturnType<typeof createJobs>

export function createJobs(database: Database, options: JobsOptions) {
  const { read, transaction } = database
  const { now, onDamage } = options
  return orStoreError({
    /** `targets` are compressed. `most` is the number of unfinished jobs of an account. */
    add: (job: Job, targets: Uint8Array, most: number) =>
      alone(database, change => addJob(change, job, targets, most, options)),

    /** Latest first. */
    list: (account: string) => jobsBy(read, 'account', account),

    get: async (id: string): Promise<Job | null> => (await jobsBy(read, 'id', id))[0] ?? null,

    async targets(id: string): Promise<Uint8Array | null> {
      const row = await read.selectFrom('jobs').select('targets').where('id', '=', id).executeTakeFirst()
      return row?.targets ?? null
    },

    /** With its targets and records. Whether the account had it. */
    remove: (account: string, id: string) =>
      transaction(async change => {
        const removal = change.deleteFrom('jobs').where('id', '=', id).where('account', '=', account)
        return (await removal.executeTakeFirst()).numDeletedRows === 1n
      }),

    /** The first due, unfinished jobs of each account, the longest waiting first. */
    due: (until: number, limit: number) => dueOf(database, 'jobs', { until, of_account: 1, limit }),

    /** The number of unfinished jobs. */
    async unfinished(): Promise<number> {
      const count = read.selectFrom('jobs').select(eb => eb.fn.countAll<number>().as('many'))
      return Number((await count.where('next_at', 'is not', null).executeTakeFirstOrThrow()).many)
    },

    /** Changes the standing of an unfinished job that is due when `job` says. False when there is none. */
    mark: ({ id, next_at }: Pick<Job, 'id' | 'next_at'>, standing: JobStanding) =>
      transaction(async change => {
        const update = change.updateTable('jobs').set(standing).where('id', '=', id).where('ended', 'is', null)
        return (await update.where('next_at', '=', next_at).executeTakeFirst()).numUpdatedRows === 1n
      }),

    /** Ends a job that cannot be read: it would be due for ever. */
    async endDamaged(id: string): Promise<void> {
      const ends = await transaction(async change => {
        const update = change.updateTable('jobs').set(unreadable(now())).where('id', '=', id).where('ended', 'is', null)
        return (await update.executeTakeFirst()).numUpdatedRows === 1n
      })
      if (ends) onDamage?.()
    },

    /** The lines that have a record. */
    async recorded(id: string): Promise<ReadonlySet<number>> {
      const rows = await read.selectFrom('job_records').select('line').where('job', '=', id).execute()
      return new Set(rows.map(({ line }) => line))
    },

    /** Writes a record that counts no answer. False as `recordLine`. */
    record: (id: string, record: JobRecord) => transaction(change => recordLine(change, id, record)),

    /** Bodies of records in the order in which they were written, after the first `after`. */
    async records(id: string, after: number, limit: number): Promise<readonly Uint8Array[]> {
      const query = read.selectFrom('job_records').select('body').where('job', '=', id).where('ordinal', '>', after)
      return (await query.orderBy('ordinal').limit(limit).execute()).map(({ body }) => body)
    },

    sweep: () => alone(database, change => removeSurplus(change, 0, options)),
  })
}

/** Latest first. */
async function jobsBy(read: Database['read'], column: 'id' | 'account', value: string): Promise<readonly Job[]> {
  const rows = await read
    .selectFrom('jobs')
    .select(['id', 'terms', 'status', 'reason', 'next_at', 'ended', 'stalls', ...RECORD_KINDS])
    .where(column, '=', value)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.flatMap(({ id: _, terms, status, safe, suspicious, malicious, error, ...standing }) => {
    const counts = { safe, suspicious, malicious, error }
    return readJob(terms, { ...standing, status: status as JobStatus, counts }) ?? []
  })
}

/** One removal at a time: the limit applies to all jobs together, and two removals at once could deadlock. */
const alone = <T>({ dialect, transaction }: Database, work: (change: Change) => Promise<T>): Promise<T> =>
  transaction(async change => {
    if (dialect === 'postgres') await sql`SELECT pg_advisory_xact_lock(hashtext('assay.jobs'))`.execute(change)
    return work(change)
  })

async function addJob(
  change: Change,
  { counts: _, status, reason, next_at, ended, stalls, ...terms }: Job,
  targets: Uint8Array,
  most: number,
  options: JobsOptions,
): Promise<JobAdded> {
  const { id, account, created } = terms
  await removeSurplus(change, targets.length, options)
  const { many, size } = await change
    .selectFrom('jobs')
    .select(eb => [
      eb.fn.count<number>('id').filterWhere('account', '=', account).filterWhere('ended', 'is', null).as('many'),
      eb.fn.coalesce(eb.fn.sum<number>('octets'), sql<number>`0`).as('size'),
    ])
    .executeTakeFirstOrThrow()
  if (Number(many) >= most) return 'many'
  if (Number(size) + targets.length > options.octets) return 'full'
  const row = { id, account, created, terms: asciiJson(terms), status, reason, next_at, ended, stalls }
  await change
    .insertInto('jobs')
    .values({ ...row, octets: targets.length, targets })
    .execute()
  return 'added'
}

/** Removes jobs that ended too long ago, and while there is not so much room, those that ended first. */
async function removeSurplus(change: Change, room: number, { now, life_ms, octets }: JobsOptions): Promise<void> {
  await change
    .deleteFrom('jobs')
    .where('ended', '<=', now() - life_ms)
    .execute()
  await sql`DELETE FROM jobs WHERE id IN (SELECT id FROM
(SELECT id, row_number() OVER (PARTITION BY account ORDER BY ended DESC, id) AS place FROM jobs WHERE ended IS NOT NULL) AS kept
WHERE place > ${KEPT_JOBS})`.execute(change)
  await sql`DELETE FROM jobs WHERE id IN (SELECT id FROM
(SELECT id, sum(octets) OVER (ORDER BY ended DESC, id) AS upto FROM jobs WHERE ended IS NOT NULL) AS kept
WHERE upto + (SELECT coalesce(sum(octets), 0) FROM jobs WHERE ended IS NULL) > ${octets - room})`.execute(change)
}

/**
 * Writes a record in a transaction that counts its answer. False when the line has one already, or when there is no such unfinished
 * job: then nothing may be counted. Locks the row of the job until the transaction ends.
 */
export async function recordLine(change: Change, job: string, { line, kind, body }: JobRecord): Promise<boolean> {
  const counts = await change
    .updateTable('jobs')
    .set(eb => ({ [kind]: eb(kind, '+', 1), octets: eb('octets', '+', body.length) }))
    .where('id', '=', job)
    .where('ended', 'is', null)
    .returning(RECORD_KINDS)
    .executeTakeFirst()
  if (counts === undefined) return false
  const insertion = await change
    .insertInto('job_records')
    .values({ job, line, ordinal: doneOf({ counts }), kind, body })
    .onConflict(oc => oc.columns(['job', 'line']).doNothing())
    .executeTakeFirst()
  if (insertion.numInsertedOrUpdatedRows === 1n) return true
  const undo = change
    .updateTable('jobs')
    .set(eb => ({ [kind]: eb(kind, '-', 1), octets: eb('octets', '-', body.length) }))
  await undo.where('id', '=', job).execute()
  return false
}
