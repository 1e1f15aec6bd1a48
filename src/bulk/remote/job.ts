// What is asked of a worker and what it answers, as both ends write it.
import { createHash } from 'node:crypto'
import type { JobsOptions } from 'bullmq'
import type { Target } from '../../target/target.ts'
import type { BulkAnswer } from '../run.ts'
import { targetKey, UNAVAILABLE } from '../task.ts'

/** A canonical target; the worker reads it anew, by its own rules. */
export interface JobData {
  readonly domain: string | null
  readonly ip: string | null
}

export type JobAnswer = Exclude<BulkAnswer, null>

/** Seconds that an answer nobody fetched is kept: long enough for an interrupted run to be started again. */
const KEPT_SECONDS = 3_600

/** Tried again elsewhere and later when nothing could be looked at; a job of a worker that died is taken up by another. */
export const jobOptions = (target: Target): JobsOptions => ({
  jobId: jobId(target),
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { age: KEPT_SECONDS },
  removeOnFail: { age: KEPT_SECONDS },
})

/** One job a target, whoever asks: a run that goes on finds the jobs of the interrupted one. */
export const jobId = (target: Target): string =>
  `t${createHash('sha256').update(targetKey(target)).digest('hex').slice(0, 40)}`

/** How a worker says that nothing could be looked at; the queue keeps nothing of an error but its message. */
export const unavailableMessage = (reason: string): string => `${UNAVAILABLE} ${reason}`

/** What the last failure of a job means. */
export function answerOfFailure(message: string): JobAnswer {
  const [code, ...reason] = message.split(' ')
  const detail = code === UNAVAILABLE ? reason.join(' ') : 'No worker brought it to its end.'
  return { ok: false, error: { code: UNAVAILABLE, detail } }
}
