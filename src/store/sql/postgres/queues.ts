// The queues of many machines: BullMQ on the same PostgreSQL, in a schema of its own. Every process works. What a process that died had
// begun is taken over when its lock has expired. The rows are the truth, so jobs of a queue are not durable, and are removed at their end.
import { createPostgresBackend, DelayedError, type Job, Queue as Jobs, runMigrations, Worker } from 'bullmq'
import type { PostgresPlace } from '../../../config/postgres_place.ts'
import { StoreError } from '../../store.ts'
import {
  createFaults,
  createTurns,
  type Due,
  keyOf,
  LOOKED,
  QUEUE_LIMITS,
  type Queue,
  type Queues,
  type QueuesOptions,
  type Work,
} from '../queues.ts'
import { createPool, QUEUE_POOL } from './open.ts'

/** What BullMQ calls its schema. */
const SCHEMA = 'bullmq'
/** Seconds after which an idle worker looks at its queue, should it have missed a notification. */
const IDLE_S = 5

export interface PostgresQueuesOptions extends QueuesOptions {
  readonly place: PostgresPlace
}

/** Rejects with a StoreError when the server cannot be reached or lets nobody create the schema. */
export async function openPostgresQueues(options: PostgresQueuesOptions): Promise<Queues> {
  const { place, now } = options
  const limits = { ...QUEUE_LIMITS, ...options.limits }
  const { fault, fine } = createFaults(options)
  const session = `SET search_path TO ${SCHEMA}; SET synchronous_commit = off`
  const pool = createPool(place, QUEUE_POOL, fault, session)
  try {
    const client = await pool.connect()
    await runMigrations(client, SCHEMA).finally(() => client.release())
  } catch (error) {
    await pool.end()
    throw new StoreError('store_unavailable', `cannot open the queues in PostgreSQL: ${String(error)}`, error)
  }
  const turns = createTurns(limits.end_ms)
  const opened: (() => Promise<void>)[] = []

  function open(name: string, work: Work | null): Queue {
    const connection = { connection: pool }
    const jobs = new Jobs(name, connection, createPostgresBackend)
    jobs.on('error', fault)
    const worker = work === null ? null : createWorker(work)
    let timer: NodeJS.Timeout | undefined
    let due: number | null = null
    let looking: Promise<void> | null = null
    let next: Promise<void> | null = null

    function createWorker({ concurrency, handle }: Work) {
      const lock = { lockDuration: limits.lease_ms, stalledInterval: limits.lease_ms / 2 }
      const removal = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } }
      const pauses = { drainDelay: IDLE_S, runRetryDelay: limits.failure_ms }
      const bullWorker = new Worker(
        name,
        (job: Job<Due>, token?: string) => run(handle, job, token),
        { ...connection, ...removal, ...lock, ...pauses, concurrency },
        createPostgresBackend,
      )
      // The work never fails by itself: what fails is BullMQ, and the next look at the rows finds the work again.
      bullWorker.on('failed', (_job, error) => fault(error))
      return bullWorker.on('error', fault)
    }

    async function run(handle: Work['handle'], job: Job<Due>, token?: string): Promise<void> {
      const again = await handle(job.data, turns.turn).catch((error: unknown) => {
        fault(error)
        return now() + limits.failure_ms
      })
      if (again === null) return
      await job.moveToDelayed(Date.now() + Math.max(0, Math.ceil(again - now())), token)
      throw new DelayedError()
    }

    async function add(dues: readonly Due[]): Promise<void> {
      const horizon = now() + limits.look_ms
      await jobs.addBulk(
        dues.map(due => ({
          name,
          data: due,
          opts: {
            jobId: keyOf(due),
            // One that was planned by a clock that was ahead is due now.
            delay: due.at > horizon ? 0 : Math.max(0, due.at - now()),
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    }

    /** Looks at the rows as they are now: one look at a time, and one that follows it, which all share that ask meanwhile. */
    function look(): Promise<void> {
      if (looking === null) {
        looking = lookNow().finally(() => {
          looking = null
        })
        return looking
      }
      next ??= looking.then(() => {
        next = null
        return look()
      })
      return next
    }

    async function lookNow(): Promise<void> {
      if (work === null || turns.turn.ending.aborted) return
      clearTimeout(timer)
      let pause = limits.look_ms
      try {
        const dueRows = await work.due(now() + limits.look_ms, LOOKED)
        due = dueRows[0]?.at ?? null
        if (dueRows.length > 0) await add(dueRows)
        if (dueRows.length >= LOOKED) pause = limits.failure_ms
        fine()
      } catch (error) {
        fault(error)
        pause = limits.failure_ms
      }
      if (turns.turn.ending.aborted) return
      clearTimeout(timer)
      timer = setTimeout(look, pause)
      timer.unref()
    }

    void look()
    opened.push(async () => {
      clearTimeout(timer)
      await worker?.close()
      await jobs.close()
    })
    return {
      async wake(...dues) {
        if (turns.turn.ending.aborted) return
        const near = dues.filter(({ at }) => at <= now() + limits.look_ms)
        if (dues.length === 0) await look()
        else if (near.length > 0) await add(near).catch(fault)
      },
      late: () => (due === null ? 0 : Math.max(0, (now() - due) / 1_000)),
    }
  }

  async function end(): Promise<void> {
    await turns.end(() => Promise.all(opened.map(close => close().catch(fault))))
    await pool.end().catch(fault)
  }
  let ended: Promise<void> | null = null

  return {
    open,
    close() {
      ended ??= end()
      return ended
    },
  }
}
