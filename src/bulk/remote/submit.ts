// The submitting side of the queue: adds a bounded number of targets at once and waits for each answer.
import { Job, Queue, QueueEvents } from 'bullmq'
import { requestOf, type Target } from '../../targets/target.ts'
import type { BulkAnswer } from '../run.ts'
import {
  answerOfFailure,
  type JobAnswer,
  type JobData,
  jobId,
  jobOptions,
  openConnection,
  type QueuePlace,
  queuePrefix,
} from './queue.ts'

export interface Submitter {
  /** Resolves with the worker's answer, or with null once `over` aborts; the job then stays for the next run. */
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

/** Milliseconds between polls of awaited jobs: events may be missed while Redis is unreachable. */
const POLL_MS = 2_000

interface Awaited {
  readonly answered: (answer: BulkAnswer) => void
  /** Adds the job, or finds it in the queue; settles it when it has ended. */
  readonly ask: () => Promise<void>
}

export interface SubmitterEvents {
  /** Called with errors of the queue. */
  readonly onError: (error: Error) => void
  /** Called when answers are awaited and no worker is running. */
  readonly onNoWorkers: () => void
}

/** Rejects with `QueueUnavailable` when Redis is unreachable. */
export async function openSubmitter(
  place: QueuePlace,
  { onError: report, onNoWorkers }: SubmitterEvents,
): Promise<Submitter> {
  let closing = false
  /** Errors caused by closing are expected. */
  const onError = (error: Error) => {
    if (!closing) report(error)
  }
  const [asking, listening] = [await openConnection(place, onError), await openConnection(place, onError)]
  const queue = new Queue<JobData, JobAnswer>(place.queue, { connection: asking.client, prefix: queuePrefix(place) })
  // From the oldest event on, because events that arrive while the reader starts would be missed.
  const events = new QueueEvents(place.queue, {
    connection: listening.client,
    prefix: queuePrefix(place),
    lastEventId: '0-0',
  })
  queue.on('error', onError)
  events.on('error', onError)
  await events.waitUntilReady()
  const awaited = new Map<string, Awaited>()
  const settle = (id: string, answer: BulkAnswer) => awaited.get(id)?.answered(answer)
  const poll = (id: string) => pollJob(queue, id, settle).catch(onError)
  const onEnded = ({ jobId: id }: { readonly jobId: string }) => {
    if (awaited.has(id)) void poll(id)
  }
  events.on('completed', onEnded)
  events.on('failed', onEnded)
  // After a restart, Redis may have lost the jobs, so all awaited jobs are added again. Jobs that still exist are
  // unaffected.
  const timer = setInterval(() => {
    for (const { ask } of awaited.values()) void ask()
    if (awaited.size > 0) queue.getWorkersCount().then(workers => workers === 0 && onNoWorkers(), onError)
  }, POLL_MS)
  const check = async (target: Target, over: AbortSignal): Promise<BulkAnswer> => {
    const id = jobId(target)
    const data = requestOf(target)
    const ask = () => queue.add('check', data, jobOptions(target)).then(() => poll(id), onError)
    const leave = () => settle(id, null)
    over.addEventListener('abort', leave)
    const answer = await new Promise<BulkAnswer>(answered => {
      awaited.set(id, { answered, ask })
      void ask()
    })
    over.removeEventListener('abort', leave)
    awaited.delete(id)
    if (answer !== null) await queue.remove(id).catch(onError)
    return answer
  }
  return {
    check,
    async close() {
      closing = true
      clearInterval(timer)
      await Promise.all([queue.close(), events.close()].map(closed => closed.catch(onError)))
      asking.close()
      listening.close()
    },
  }
}

/** Settles a job that has ended, even if its event was missed. */
async function pollJob(
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
