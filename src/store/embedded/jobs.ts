// Jobs with their targets and records in a SQLite file of their own, `jobs.db`. Writes reach the disk before they are
// acknowledged, on libsql's threads.
import {
  type Job,
  type JobLimits,
  type JobStatus,
  type JobStore,
  KEPT_JOBS,
  RECORD_KINDS,
  readJob,
  unreadable,
} from '../jobs.ts'
import { asBytes, createWriter, openReader, openWriteConnection, type Row } from './connection.ts'
import type { DatabaseFile } from './database_file.ts'
import { createLease, LEASE_TABLE } from './lease.ts'
import { type PreparedFile, prepareFile } from './prepare_file.ts'

/** Changes with the tables. A file of another version is not read. */
const VERSION = 1

export const jobsDatabase: DatabaseFile = {
  name: 'jobs.db',
  holds: 'jobs, their targets and their results',
  version: VERSION,
}

// The targets are last, so that reading a job does not read them.
const SQL = `
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  created INTEGER NOT NULL,
  terms TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  next_at INTEGER,
  ended INTEGER,
  stalls INTEGER NOT NULL,
${RECORD_KINDS.map(kind => `  ${kind} INTEGER NOT NULL DEFAULT 0,`).join('\n')}
  octets INTEGER NOT NULL,
  targets BLOB NOT NULL
) STRICT;
CREATE INDEX jobs_account ON jobs (account, created);
CREATE INDEX jobs_due ON jobs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX jobs_ended ON jobs (ended) WHERE ended IS NOT NULL;
CREATE TABLE records (
  job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
  line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ordinal INTEGER,
  body BLOB NOT NULL,
  PRIMARY KEY (job, line)
) STRICT;
CREATE UNIQUE INDEX records_shown ON records (job, ordinal) WHERE ordinal IS NOT NULL;
${LEASE_TABLE}
`

const JOB = `SELECT ${asBytes('id', 'terms', 'status', 'reason')}, next_at, ended, stalls, ${RECORD_KINDS.join(', ')} FROM jobs`

export interface EmbeddedJobOptions extends PreparedFile, JobLimits {
  /** Milliseconds to wait for a transaction of another process. */
  readonly patience: number
  /** Called when a job cannot be read and does not run any more. */
  readonly damagedJob?: () => void
}

/** Rejects with a StoreError when the file cannot be used. */
export async function openEmbeddedJobs(options: EmbeddedJobOptions): Promise<JobStore> {
  const { now, patience, life_ms, octets, damagedJob = () => {} } = options
  const path = prepareFile(jobsDatabase, { sql: SQL, names: ['jobs', 'records'] }, options)
  const reader = openReader(path)
  const connection = await openWriteConnection(path)
  await connection.exec('PRAGMA foreign_keys = ON')
  const writer = createWriter(connection, patience)
  const lease = await createLease({ reader, connection, writer, now })

  const byId = reader.prepare(`${JOB} WHERE id = ?`)
  const ofAccount = reader.prepare(`${JOB} WHERE account = ? ORDER BY created DESC, id DESC`)
  const targetsOf = reader.prepare('SELECT targets FROM jobs WHERE id = ?')
  const dueJobs = reader.prepare(`${JOB} WHERE id IN (SELECT id FROM
(SELECT id, row_number() OVER (PARTITION BY account ORDER BY next_at, created, id) AS place FROM jobs WHERE next_at <= ?)
WHERE place = 1) ORDER BY next_at, created LIMIT ?`)
  const nextJob = reader.prepare('SELECT min(next_at) FROM jobs WHERE next_at IS NOT NULL')
  const firstEnded = reader.prepare('SELECT min(ended) FROM jobs WHERE ended IS NOT NULL')
  const unfinished = reader.prepare('SELECT count(*) FROM jobs WHERE next_at IS NOT NULL')
  const unfinishedOf = reader.prepare('SELECT count(*) FROM jobs WHERE account = ? AND ended IS NULL')
  const linesOf = reader.prepare('SELECT line, ordinal FROM records WHERE job = ? ORDER BY line')
  const shown = reader.prepare('SELECT body FROM records WHERE job = ? AND ordinal > ? ORDER BY ordinal LIMIT ?')

  const addJob = await connection.prepare(`INSERT INTO jobs
(id, account, created, terms, status, reason, next_at, ended, octets, targets, stalls)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0
WHERE (SELECT count(*) FROM jobs WHERE account = ?2 AND ended IS NULL) < ?11
AND (SELECT ifnull(sum(octets), 0) FROM jobs) + ?9 <= ?12`)
  const endDamaged = await connection.prepare(
    'UPDATE jobs SET status = ?, reason = ?, next_at = ?, ended = ? WHERE CAST(id AS BLOB) = ? AND ended IS NULL',
  )
  const removeJob = await connection.prepare('DELETE FROM jobs WHERE id = ? AND account = ?')
  const putStanding = await connection.prepare(
    'UPDATE jobs SET status = ?, reason = ?, next_at = ?, ended = ?, stalls = ? WHERE id = ? AND ended IS NULL',
  )
  const putRecord = await connection.prepare(`INSERT OR IGNORE INTO records (job, line, kind, body)
SELECT ?1, ?2, ?3, ?4 FROM jobs WHERE id = ?1 AND ended IS NULL`)
  const addOctets = await connection.prepare('UPDATE jobs SET octets = octets + ? WHERE id = ?')
  const showRecord = await connection.prepare(`UPDATE records SET ordinal =
(SELECT ${RECORD_KINDS.join(' + ')} + 1 FROM jobs WHERE id = ?1) WHERE job = ?1 AND line = ?2 AND ordinal IS NULL`)
  const countRecord = await connection.prepare(`UPDATE jobs
SET ${RECORD_KINDS.map(kind => `${kind} = ${kind} + (found = '${kind}')`).join(', ')}
FROM (SELECT kind AS found FROM records WHERE job = ?1 AND line = ?2) WHERE id = ?1`)
  const takeOctets = await connection.prepare(`UPDATE jobs SET octets = octets -
ifnull((SELECT length(body) FROM records WHERE job = ?1 AND line = ?2 AND ordinal IS NULL), 0) WHERE id = ?1`)
  const dropRecord = await connection.prepare('DELETE FROM records WHERE job = ? AND line = ? AND ordinal IS NULL')
  const dropOld = await connection.prepare('DELETE FROM jobs WHERE ended <= ?')
  const dropMany = await connection.prepare(`DELETE FROM jobs WHERE id IN (SELECT id FROM
(SELECT id, row_number() OVER (PARTITION BY account ORDER BY ended DESC, id) AS place FROM jobs WHERE ended IS NOT NULL)
WHERE place > ${KEPT_JOBS})`)
  const dropMuch = await connection.prepare(`DELETE FROM jobs WHERE id IN (SELECT id FROM
(SELECT id, sum(octets) OVER (ORDER BY ended DESC, id) AS kept FROM jobs WHERE ended IS NOT NULL)
WHERE kept + (SELECT ifnull(sum(octets), 0) FROM jobs WHERE ended IS NULL) > ?)`)

  function sweep(room: number): void {
    dropOld.run(now() - life_ms)
    dropMany.run()
    dropMuch.run(octets - room)
  }

  /** A damaged job would be due for ever. */
  async function orEnd(row: Row): Promise<Job | null> {
    const job = jobOf(row)
    if (job !== null) return job
    const { status, reason, next_at, ended } = unreadable(now())
    const id = row[0] as Uint8Array
    const ends = await writer.transaction(() => endDamaged.run(status, reason, next_at, ended, id).changes === 1)
    if (ends) damagedJob()
    return null
  }

  function hide(id: string, { line, kind, body }: Parameters<JobStore['hide']>[1]): boolean {
    if (putRecord.run(id, line, kind, body).changes === 0) return false
    addOctets.run(body.length, id)
    return true
  }

  function show(id: string, line: number): void {
    if (showRecord.run(id, line).changes === 1) countRecord.run(id, line)
  }

  return {
    ...lease,
    async add(job, targets, most) {
      const { status, reason, next_at, ended, stalls: _, counts: __, ...terms } = job
      const { id, account, created } = terms
      const size = targets.length
      const values = [id, account, created, JSON.stringify(terms), status, reason, next_at, ended, size, targets]
      const isAdded = await writer.transaction(() => {
        sweep(size)
        return addJob.run(...values, most, octets).changes === 1
      })
      if (isAdded) return 'added'
      return Number(unfinishedOf.get(account)?.[0]) >= most ? 'many' : 'full'
    },
    list: account =>
      ofAccount
        .all(account)
        .map(jobOf)
        .filter(job => job !== null),
    get(id) {
      const row = byId.get(id)
      return row === undefined ? null : jobOf(row)
    },
    targets: id => (targetsOf.get(id)?.[0] as Uint8Array | undefined) ?? null,
    remove: (account, id) => writer.transaction(() => removeJob.run(id, account).changes > 0),
    nextDue() {
      const [next] = nextJob.get() as [number | null]
      const [ended] = firstEnded.get() as [number | null]
      const old = ended === null ? null : ended + life_ms
      return next === null || old === null ? (next ?? old) : Math.min(next, old)
    },
    due: async (at, limit) => (await Promise.all(dueJobs.all(at, limit).map(orEnd))).filter(job => job !== null),
    unfinished: () => Number(unfinished.get()?.[0]),
    mark: (id, { status, reason, next_at, ended, stalls }) =>
      writer.transaction(() => putStanding.run(status, reason, next_at, ended, stalls, id).changes === 1),
    async recover(id) {
      const found = linesOf.all(id).map(([line, ordinal]) => ({ line: Number(line), isShown: ordinal !== null }))
      const hidden = found.filter(({ isShown }) => !isShown)
      if (hidden.length > 0) {
        await writer.transaction(() => {
          for (const { line } of hidden) show(id, line)
        })
      }
      return found.map(({ line }) => line)
    },
    hide: (id, record) => writer.transaction(() => hide(id, record)),
    show: (id, line) => writer.transaction(() => show(id, line)),
    withdraw: (id, line) =>
      writer.transaction(() => {
        takeOctets.run(id, line)
        dropRecord.run(id, line)
      }),
    records: (id, after, limit) => shown.all(id, after, limit).map(([body]) => body as Uint8Array),
    sweep: () => writer.transaction(() => sweep(0)),
    async close() {
      await writer.close()
      reader.close()
    },
  }
}

function jobOf([, terms, status, reason, next_at, ended, stalls, ...counts]: Row): Job | null {
  const found = RECORD_KINDS.map((kind, at) => [kind, Number(counts[at])])
  return readJob(String(terms), {
    ...{ status: String(status) as JobStatus, reason: reason === null ? null : String(reason) },
    ...{ next_at: next_at as number | null, ended: ended as number | null, stalls: Number(stalls) },
    counts: Object.fromEntries(found) as Job['counts'],
  })
}
