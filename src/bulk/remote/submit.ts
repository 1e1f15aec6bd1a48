// The side of the queue that asks: puts targets in, a bounded number at once, and waits for each answer.
import { Job, Queue, QueueEvents } from 'bullmq'
import type { Target } from '../../targets/target.ts'
import type { BulkAnswer } from '../run.ts'
import {
  answerOfFailure,
  type JobAnswer,
  type JobData,
  jobId,
  jobOptions,
  KEY_PREFIX,
  openConnection,
  type QueuePlace,
} from './queue.ts'

export interface Submitter {
  /** Resolves with the worker's answer, or with null once `over` aborts: the job then stays for the next run. */
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

/** Milliseconds between looks at what is awaited: events may be missed while Redis is away. */
const LOOK_MS = 2_000

interface Awaited {
  readonly answered: (answer: BulkAnswer) => void
  /** Puts the job in, or finds that it is there; settles it when it has ended. */
  readonly ask: () => Promise<void>
}

export interface Reports {
  /** What went wrong with the queue. */
  readonly told: (error: Error) => void
  /** Answers are awaited, and no worker is there to give them. */
  readonly alone: () => void
}

/** Rejects with `QueueUnavailable` when there is no Redis. */
export async function openSubmitter(place: QueuePlace, { told: tell, alone }: Reports): Promise<Submitter> {
  let closing = false
  /** What breaks off because it is closed went as meant. */
  const told = (error: Error) => {
    if (!closing) tell(error)
  }
  const [asking, listening] = [await openConnection(place, told), await openConnection(place, told)]
  const queue = new Queue<JobData, JobAnswer>(place.queue, { connection: asking.client, prefix: KEY_PREFIX })
  // From the oldest event on: one that comes while the reading of new ones only begins would be missed.
  const events = new QueueEvents(place.queue, {
    connection: listening.client,
    prefix: KEY_PREFIX,
    lastEventId: '0-0',
  })
  queue.on('error', told)
  events.on('error', told)
  await events.waitUntilReady()
  const awaited = new Map<string, Awaited>()
  const settle = (id: string, answer: BulkAnswer) => awaited.get(id)?.answered(answer)
  const look = (id: string) => lookAt(queue, id, settle).catch(told)
  const heard = ({ jobId: id }: { readonly jobId: string }) => {
    if (awaited.has(id)) void look(id)
  }
  events.on('completed', heard)
  events.on('failed', heard)
  // A Redis that came back empty has lost the jobs: whatever is awaited is asked for again, which changes nothing else.
  const timer = setInterval(() => {
    for (const { ask } of awaited.values()) void ask()
    if (awaited.size > 0) queue.getWorkersCount().then(workers => workers === 0 && alone(), told)
  }, LOOK_MS)
  const check = async (target: Target, over: AbortSignal): Promise<BulkAnswer> => {
    const id = jobId(target)
    const data = { domain: target.domain, ip: target.ip }
    const ask = () => queue.add('check', data, jobOptions(target)).then(() => look(id), told)
    const leave = () => settle(id, null)
    over.addEventListener('abort', leave)
    const answer = await new Promise<BulkAnswer>(answered => {
      awaited.set(id, { answered, ask })
      void ask()
    })
    over.removeEventListener('abort', leave)
    awaited.delete(id)
    if (answer !== null) await queue.remove(id).catch(told)
    return answer
  }
  return {
    check,
    async close() {
      closing = true
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
