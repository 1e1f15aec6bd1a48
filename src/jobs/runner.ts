// Runs the jobs of a store: some at once, one of an account at a time, so that no account keeps the others waiting.
import { setTimeout as pause } from 'node:timers/promises'
import { createLane, createSoleRunner, type Runner, SOLE_LIMITS, type Turn } from '../sole_runner.ts'
import type { Job } from '../store/jobs.ts'
import { type RunJobOptions, runJob } from './run_job.ts'

export const JOB_LIMITS = {
  ...SOLE_LIMITS,
  /** Jobs at once, and the checks at once of each: as many as those of a batch that is answered at once. */
  jobs: 4,
  checks: 8,
} as const

export interface JobRunnerOptions extends Omit<RunJobOptions, 'checks'> {
  readonly limits?: Partial<Record<keyof typeof JOB_LIMITS, number>>
  /** Called after each run of a job, with the job as it was before. */
  readonly ran?: (job: Job) => void
  /** Called when the store fails. */
  readonly failed?: (error: unknown) => void
}

export interface JobRunner extends Runner {
  /** Jobs that run here, and unfinished ones that did not run when this process last looked. */
  figures(): { readonly running: number; readonly waiting: number }
}

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { store, clock } = options
  const limits = { ...JOB_LIMITS, ...options.limits }
  let running = 0
  let waiting = 0

  /** A job that fails for the store stays due, and is tried again after a while. */
  async function run(job: Job, turn: Turn): Promise<void> {
    running += 1
    try {
      await runJob({ ...options, checks: limits.checks }, job, turn)
      options.ran?.(job)
    } catch (error) {
      options.failed?.(error)
      await pause(limits.failure_ms, undefined, { signal: turn.ending }).catch(() => {})
    } finally {
      running -= 1
    }
  }

  async function workOff(turn: Turn): Promise<void> {
    const lane = createLane<Job>(limits.jobs, job => run(job, turn))
    try {
      await store.sweep()
      while (!turn.ending.aborted) {
        // Those that run are still due.
        if (lane.room > 0) lane.add(await store.due(clock.now(), 2 * limits.jobs))
        if (lane.isIdle) break
        waiting = Math.max(0, (await store.unfinished()) - running)
        await Promise.race([lane.next(), turn.nextLook()])
      }
    } finally {
      await lane.end()
    }
    await store.sweep()
    waiting = await store.unfinished()
  }

  const runner = createSoleRunner({ store, clock, limits, workOff, failed: options.failed })
  return { ...runner, figures: () => ({ running, waiting }) }
}
