// Jobs with their targets and records in Redis, for all instances. They do not expire: the runner removes them when it is time.
import {
  type Job,
  type JobLimits,
  type JobStanding,
  type JobStatus,
  type JobStore,
  KEPT_JOBS,
  RECORD_KINDS,
  readJob,
  unreadable,
} from '../jobs.ts'
import {
  addScript,
  dueScript,
  hideScript,
  markScript,
  recoverScript,
  removeScript,
  showScript,
  withdrawScript,
} from './job_scripts.ts'
import { createLease } from './lease.ts'
import { type Run, withBuffers } from './link.ts'
import { fieldsOf, Misread, tagged, textsOf, untagged } from './protocol.ts'

export interface RedisJobOptions extends JobLimits {
  readonly run: Run
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  /** Called when a job cannot be read and does not run any more. */
  readonly damagedJob?: () => void
}

/** Jobs that one sweep removes for each reason. */
const SWEPT = 100

export function createRedisJobs(options: RedisJobOptions): JobStore {
  const { run, now, life_ms, octets, damagedJob = () => {} } = options
  const jobKey = (id: string) => run.key('job', id)
  const targetsKey = (id: string) => run.key('job-targets', id)
  /** Lines that have a record; hidden records are here. */
  const linesKey = (id: string) => run.key('job-lines', id)
  /** Shown records; their order is their ordinal. */
  const recordsKey = (id: string) => run.key('job-records', id)
  /** IDs by creation. */
  const ofAccount = (account: string) => run.key('jobs', account)
  /** IDs of unfinished jobs by the time at which they go on, and of ended ones by their end. */
  const DUE = run.key('job-due')
  const ENDED = run.key('job-ended')
  /** Bytes of all targets and records. */
  const OCTETS = run.key('job-octets')
  const LEASE = run.key('job-lease')
  const asBuffers = withBuffers(run)
  const ids = async (...command: string[]) => textsOf(await run(client => client.sendCommand(command)))

  async function get(id: string): Promise<Job | null> {
    const fields = fieldsOf(await run(client => client.sendCommand(['HGETALL', jobKey(id)])))
    const { terms, status, reason, next_at, ended, stalls } = fields
    if (terms === undefined || status === undefined) return null
    const counts = RECORD_KINDS.map(kind => [kind, Number(fields[kind] ?? 0)])
    return readJob(terms, {
      ...{ status: status as JobStatus, reason: reason === '' || reason === undefined ? null : reason },
      ...{ next_at: numberOrNull(next_at), ended: numberOrNull(ended), stalls: Number(stalls) },
      counts: Object.fromEntries(counts) as Job['counts'],
    })
  }

  async function mark(id: string, { status, reason, next_at, ended, stalls }: JobStanding): Promise<boolean> {
    const values = [id, status, reason ?? '', `${next_at ?? ''}`, `${ended ?? ''}`, `${stalls}`]
    return (await markScript(run, [jobKey(id), DUE, ENDED], values)) === 1
  }

  /** Jobs that are gone are left out. An index may name one that Redis has evicted, or that cannot be read: it would be due for ever. */
  async function jobs(found: readonly string[], index: string): Promise<readonly Job[]> {
    const all = await Promise.all(
      found.map(async id => {
        const job = await get(id)
        if (job !== null) return job
        if (await mark(id, unreadable(now()))) damagedJob()
        else await run(client => client.zRem(index, id))
        return job
      }),
    )
    return all.filter(job => job !== null)
  }

  async function earliest(key: string): Promise<number | null> {
    const [, score] = await ids('ZRANGE', key, '0', '0', 'WITHSCORES')
    return score === undefined ? null : Number(score)
  }

  const remove = async (account: string, id: string): Promise<boolean> => {
    const keys = [jobKey(id), targetsKey(id), linesKey(id), recordsKey(id), ofAccount(account), DUE, ENDED, OCTETS]
    return (await removeScript(run, keys, [id])) === 1
  }

  async function removeEnded(found: readonly string[]): Promise<void> {
    for (const id of found) {
      const account = await run(client => client.hGet(jobKey(id), 'account'))
      if (account === null || !(await remove(account, id))) await run(client => client.zRem(ENDED, id))
    }
  }

  async function sweep(room: number): Promise<void> {
    await removeEnded(await ids('ZRANGEBYSCORE', ENDED, '-inf', `${now() - life_ms}`, 'LIMIT', '0', `${SWEPT}`))
    for (let left = SWEPT; left > 0; left--) {
      if (Number((await run(client => client.get(OCTETS))) ?? 0) + room <= octets) return
      const first = await ids('ZRANGE', ENDED, '0', '0')
      if (first.length === 0) return
      await removeEnded(first)
    }
  }

  async function sweepAccount(account: string): Promise<void> {
    const all = await jobs(await ids('ZRANGE', ofAccount(account), '0', '-1'), ofAccount(account))
    const ended = all.filter(job => job.ended !== null).sort((a, b) => Number(b.ended) - Number(a.ended))
    for (const { id } of ended.slice(KEPT_JOBS)) await remove(account, id)
  }

  return {
    ...createLease(run, now, LEASE),
    async add({ status, reason, next_at, ended, stalls, counts: _, ...terms }, targets, most) {
      const { id, account, created } = terms
      await sweep(targets.length)
      await sweepAccount(account)
      const fields = { terms: JSON.stringify(terms), account, status, reason, next_at, ended, stalls }
      const added = await addScript(
        run,
        [jobKey(id), targetsKey(id), ofAccount(account), DUE, OCTETS],
        [
          ...[id, `${created}`, `${next_at}`, `${targets.length}`, `${most}`, `${octets}`],
          ...[tagged([targetsKey(id)], targets), run.key('job')],
          ...Object.entries(fields).flatMap(([name, value]) => [name, `${value ?? ''}`]),
        ],
      )
      return added === 1 ? 'added' : added === 0 ? 'many' : 'full'
    },
    async list(account) {
      return jobs(await ids('ZREVRANGE', ofAccount(account), '0', '-1'), ofAccount(account))
    },
    get,
    async targets(id) {
      const stored = (await asBuffers(client => client.get(targetsKey(id)))) as unknown as Buffer | null
      return stored === null ? null : contentOf(targetsKey(id), stored)
    },
    remove,
    async nextDue() {
      const [next, ended] = await Promise.all([earliest(DUE), earliest(ENDED)])
      const known = [next, ended === null ? null : ended + life_ms].filter(time => time !== null)
      return known.length === 0 ? null : Math.min(...known)
    },
    due: async (at, limit) => jobs(await dueScript(run, [DUE], [`${at}`, `${limit}`, run.key('job')]), DUE),
    unfinished: () => run(client => client.zCard(DUE)),
    mark,
    recover: async id => (await recoverScript(run, [jobKey(id), linesKey(id), recordsKey(id)], [])).map(Number),
    async hide(id, { line, kind, body }) {
      const values = [`${line}`, kind, tagged([recordsKey(id)], body)]
      return (await hideScript(run, [jobKey(id), linesKey(id), OCTETS], values)) === 1
    },
    async show(id, line) {
      await showScript(run, [jobKey(id), linesKey(id), recordsKey(id)], [`${line}`])
    },
    async withdraw(id, line) {
      await withdrawScript(run, [jobKey(id), linesKey(id), OCTETS], [`${line}`])
    },
    async records(id, after, limit) {
      const range = asBuffers(client => client.lRange(recordsKey(id), after, after + limit - 1))
      const found = (await range) as unknown as readonly Buffer[]
      return found.map(record => contentOf(recordsKey(id), record))
    },
    sweep: () => sweep(0),
    // The store closes the link.
    async close() {},
  }
}

/** Throws for what was not put there, such as the reply to another command. */
function contentOf(key: string, stored: Buffer): Buffer {
  const body = untagged([key], stored)
  if (body === null) throw new Misread('unexpected bytes of a job')
  return body
}

const numberOrNull = (text: string | undefined): number | null =>
  text === undefined || text === '' ? null : Number(text)
