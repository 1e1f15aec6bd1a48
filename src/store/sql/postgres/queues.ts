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
  MAX_ROWS,
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

/** Rejects with a StoreError when the server cannot be reached or does not allow creating the schema. */
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
  const sharedParts: SharedParts = { pool, limits, turns: createTurns(limits.end_ms), fault, fine, now }
  const queues: PostgresQueue[] = []

  async function end(): Promise<void> {
    await sharedParts.turns.end(() => Promise.all(queues.map(queue => queue.close().catch(fault))))
    await pool.end().catch(fault)
  }
  let shutdown: Promise<void> | null = null

  return {
    open(name, work) {
      const queue = new PostgresQueue(name, work, sharedParts)
      queues.push(queue)
      return queue
    },
    close() {
      shutdown ??= end()
      return shutdown
    },
  }
}

/** What the queues of a process share. */
interface SharedParts {
  readonly pool: ReturnType<typeof createPool>
  readonly limits: Readonly<Record<keyof typeof QUEUE_LIMITS, number>>
  readonly turns: ReturnType<typeof createTurns>
  readonly fault: (error: unknown) => void
  readonly fine: () => void
  readonly now: () => number
}

/** One queue. */
class PostgresQueue implements Queue {
  readonly #name: string
  readonly #work: Work | null
  readonly #shared: SharedParts
  readonly #jobs: Pick<Jobs, 'addBulk' | 'close'>
  readonly #worker: Pick<Worker, 'close'> | null
  #timer: NodeJS.Timeout | undefined
  #due: number | null = null
  #looking: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(name: string, work: Work | null, sharedParts: SharedParts) {
    this.#name = name
    this.#work = work
    this.#shared = sharedParts
    const jobs = new Jobs(name, { connection: sharedParts.pool }, createPostgresBackend)
    jobs.on('error', sharedParts.fault)
    this.#jobs = jobs
    this.#worker = work === null ? null : this.#createWorker(work)
    void this.#look()
  }

  #createWorker({ concurrency, handle }: Work) {
    const lock = { lockDuration: this.#shared.limits.lease_ms, stalledInterval: this.#shared.limits.lease_ms / 2 }
    const removal = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } }
    const pauses = { drainDelay: IDLE_S, runRetryDelay: this.#shared.limits.failure_ms }
    const bullWorker = new Worker(
      this.#name,
      (job: Job<Due>, token?: string) => this.#run(handle, job, token),
      { connection: this.#shared.pool, ...removal, ...lock, ...pauses, concurrency },
      createPostgresBackend,
    )
    // The work never fails by itself: what fails is BullMQ, and the next look at the rows finds the work again.
    bullWorker.on('failed', (_job, error) => this.#shared.fault(error))
    return bullWorker.on('error', this.#shared.fault)
  }

  async #run(handle: Work['handle'], job: Job<Due>, token?: string): Promise<void> {
    const again = await handle(job.data, this.#shared.turns.turn).catch((error: unknown) => {
      this.#shared.fault(error)
      return this.#shared.now() + this.#shared.limits.failure_ms
    })
    if (again === null) return
    await job.moveToDelayed(Date.now() + Math.max(0, Math.ceil(again - this.#shared.now())), token)
    throw new DelayedError()
  }

  async #add(dues: readonly Due[]): Promise<void> {
    const horizon = this.#shared.now() + this.#shared.limits.look_ms
    await this.#jobs.addBulk(
      dues.map(due => ({
        name: this.#name,
        data: due,
        opts: {
          jobId: keyOf(due),
          // One that was planned by a clock that was ahead is due now.
          delay: due.at > horizon ? 0 : Math.max(0, due.at - this.#shared.now()),
          removeOnComplete: true,
          removeOnFail: true,
        },
      })),
    )
  }

  /** Looks at the rows as they are now: one look at a time, and one that follows it, which all share that ask meanwhile. */
  #look(): Promise<void> {
    if (this.#looking === null) {
      this.#looking = this.#lookNow().finally(() => {
        this.#looking = null
      })
      return this.#looking
    }
    this.#next ??= this.#looking.then(() => {
      this.#next = null
      return this.#look()
    })
    return this.#next
  }

  async #lookNow(): Promise<void> {
    if (this.#work === null || this.#shared.turns.turn.ending.aborted) return
    clearTimeout(this.#timer)
    let pause: number = this.#shared.limits.look_ms
    try {
      const dueRows = await this.#work.due(this.#shared.now() + this.#shared.limits.look_ms, MAX_ROWS)
      this.#due = dueRows[0]?.at ?? null
      if (dueRows.length > 0) await this.#add(dueRows)
      if (dueRows.length >= MAX_ROWS) pause = this.#shared.limits.failure_ms
      this.#shared.fine()
    } catch (error) {
      this.#shared.fault(error)
      pause = this.#shared.limits.failure_ms
    }
    if (this.#shared.turns.turn.ending.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), pause)
    this.#timer.unref()
  }

  async wake(...dues: readonly Due[]): Promise<void> {
    if (this.#shared.turns.turn.ending.aborted) return
    const near = dues.filter(({ at }) => at <= this.#shared.now() + this.#shared.limits.look_ms)
    if (dues.length === 0) await this.#look()
    else if (near.length > 0) await this.#add(near).catch(this.#shared.fault)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#worker?.close()
    await this.#jobs.close()
  }

  late(): number {
    return this.#due === null ? 0 : Math.max(0, (this.#shared.now() - this.#due) / 1_000)
  }
}
