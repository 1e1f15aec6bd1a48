// Runs the jobs of a store as the queues wake them: all processes take turns at the lanes of a job, one job of an account at a time,
// so that no account keeps the others waiting.
import { isJobId, type Job } from '../../store/jobs.ts'
import type { Due, Queues } from '../../store/sql/queues.ts'
import { createTurns, LANES, type TurnOptions } from './turn.ts'

export const JOB_WORK = {
  /** Turns at once in one process, and the checks at once of each. */
  turns: 4,
  checks: 8,
} as const

/** Between two removals of jobs that ended too long ago. */
const SWEEP_MS = 60_000

export interface JobWorkOptions extends Omit<TurnOptions, 'checks'> {
  readonly queues: Queues
  readonly limits?: Partial<Record<keyof typeof JOB_WORK, number>>
  /** Called after each turn, with the job as it was before. */
  readonly took?: (job: Job) => void
}

export type JobWork = ReturnType<typeof startJobWork>

/** Begins at once, and ends with the queues. */
export function startJobWork(options: JobWorkOptions) {
  const { store, queues, clock } = options
  const limits = { ...JOB_WORK, ...options.limits }
  const takeTurn = createTurns({ ...options, checks: limits.checks })
  let sweptAt = Number.NEGATIVE_INFINITY
  let running = 0
  let waiting = 0

  async function due(until: number, limit: number): Promise<readonly Due[]> {
    if (clock.monotonic() - sweptAt > SWEEP_MS) {
      sweptAt = clock.monotonic()
      await store.sweep()
    }
    waiting = await store.unfinished()
    return (await store.due(until, Math.ceil(limit / LANES))).flatMap(({ id, at }) => lanesOf(id, at))
  }

  async function work(id: string, lane: number, at: number, turn: Parameters<typeof takeTurn>[2]) {
    if (turn.ending.aborted) return at
    const job = await store.get(id)
    if (job === null) await store.endDamaged(id)
    if (job === null || job.next_at !== at) return null
    const again = await takeTurn(job, lane, turn)
    options.took?.(job)
    // Another job of the account may begin, or this one is due again soon.
    if (again === null && (await store.get(id))?.next_at !== at) void queue.wake()
    return again
  }

  const queue = queues.open('jobs', {
    concurrency: limits.turns,
    due,
    async handle({ id: name, at }, turn) {
      const [id = '', lane = ''] = name.split('.')
      running += 1
      try {
        return isJobId(id) ? await work(id, Number(lane), at, turn) : null
      } finally {
        running -= 1
      }
    },
  })
  return {
    /** A job may be due: called after a change by this process. */
    wake: () => void queue.wake(),
    /** Turns under way here, and unfinished jobs when this process last looked. */
    figures: (): { readonly running: number; readonly waiting: number } => ({ running, waiting }),
  }
}

const lanesOf = (id: string, at: number): readonly Due[] =>
  Array.from({ length: LANES }, (_, lane) => ({ id: `${id}.${lane}`, at }))
