// The side of the queue that asks: puts targets in, a bounded number at once, and waits for each answer.
import { Job, Queue, QueueEvents } from 'bullmq'
import type { Target } from '../../engine/target.ts'
import type { BulkAnswer } from '../run.ts'
import { KEY_PREFIX, openConnection, type QueuePlace } from './connection.ts'
import { answerOfFailure, type JobAnswer, type JobData, jobId, jobOptions } from './job.ts'

export interface Submitter {
  /** Resolves with the worker's answer, or with null once `over` aborts: the job then stays for the next run. */
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

/** Milliseconds between looks at what is awaited: events may be missed while Redis is away. */
const LOOK_MS = 5_000

type Answered = (answer: BulkAnswer) => void

/** Rejects with `QueueUnavailable` when there is no Redis. */
export async function openSubmitter(place: QueuePlace, told: (error: Error) => void): Promise<Submitter> {
  const [asking, listening] = [await openConnection(place, told), await openConnection(place, told)]
  const queue = new Queue<JobData, JobAnswer>(place.queue, { connection: asking.client, prefix: KEY_PREFIX })
  const events = new QueueEvents(place.queue, { connection: listening.client, prefix: KEY_PREFIX })
  queue.on('error', told)
  events.on('error', told)
  await events.waitUntilReady()
  const awaited = new Map<string, Answered>()
  const settle = (id: string, answer: BulkAnswer) => awaited.get(id)?.(answer)
  const look = (id: string) => lookAt(queue, id, settle).catch(told)
  events.on('completed', ({ jobId: id }) => void look(id))
  events.on('failed', ({ jobId: id }) => void look(id))
  const timer = setInterval(() => {
    for (const id of awaited.keys()) void look(id)
  }, LOOK_MS)
  return {
    async check(target, over) {
      const id = jobId(target)
      const answer = new Promise<BulkAnswer>(answered => {
        awaited.set(id, answered)
        over.addEventListener('abort', () => answered(null), { once: true })
      })
      const data = { domain: target.domain, ip: target.ip }
      const ask = () => queue.add('check', data, jobOptions(target)).then(() => look(id), told)
      void ask()
      const found = await answer
      awaited.delete(id)
      if (found !== null) await queue.remove(id).catch(told)
      return found
    },
    async close() {
      clearInterval(timer)
      await Promise.all([queue.close(), events.close()].map(closed => closed.catch(told)))
      asking.close()
      listening.close()
    },
  }
}

/** Settles a job that has ended, whether or not its event arrived. */
async function lookAt(
  queue: Queue<JobData, JobAnswer>,
  id: string,
  settle: (id: string, answer: BulkAnswer) => void,
): Promise<void> {
  const job = await Job.fromId<JobData, JobAnswer>(queue, id)
  if (!job) return
  const state = await job.getState()
  if (state === 'completed' && job.returnvalue) settle(id, job.returnvalue)
  if (state === 'failed') settle(id, answerOfFailure(job.failedReason))
}
