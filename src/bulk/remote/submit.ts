// The submitting side of the queue: hands in a bounded number of targets at once and waits for each answer.
import { randomUUID } from 'node:crypto'
import type { BulkAsk, BulkBody, BulkReceipt, BulkSubmission } from '../../store/redis/bulk_queue.ts'
import type { Target } from '../../targets/target.ts'
import { unpackNow } from '../packed.ts'
import type { BulkAnswer } from '../run.ts'
import { type JobAnswer, jobId, jobTarget, openQueue, type QueuePlace, startExchanges, unavailable } from './queue.ts'

export interface Submitter {
  /**
   * Resolves with the worker's answer, or with null once `over` aborts; the job then stays for the next run. One call at a time
   * for each target.
   */
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

interface Awaited extends Pick<BulkAsk, 'target' | 'is_shared'> {
  readonly answered: (answer: BulkAnswer) => void
  /** Whether the queue has it. */
  isKnown: boolean
}

export interface SubmitOptions extends QueuePlace {
  /** Milliseconds that the answer of another run may be old. */
  readonly age_ms: number
  /** Called with the reason of an outage, and with errors of the queue. */
  readonly onError: (reason: string) => void
  /** Called when answers are awaited and no worker is running. */
  readonly onNoWorkers: () => void
}

/** Milliseconds without a worker after which it is reported: both sides may have been started together. */
const NO_WORKERS_MS = 2_000

/** Rejects with `QueueUnavailable` when Redis is unreachable. */
export async function openSubmitter(options: SubmitOptions): Promise<Submitter> {
  const { age_ms, onError, onNoWorkers } = options
  const queue = await openQueue(options, onError)
  const submitter = randomUUID()
  const awaited = new Map<string, Awaited>()
  /** Jobs whose answers were received, which the queue does not know yet. */
  const done = new Map<string, BulkSubmission['done'][number]>()
  let worked_at = performance.now()

  async function exchange(): Promise<boolean> {
    if (awaited.size === 0) worked_at = performance.now()
    if (awaited.size + done.size === 0) return false
    const all = [...awaited]
    const asked = all.filter(([, { isKnown }]) => !isKnown)
    const received = [...done.values()]
    const receipt = await queue.submit(submitter, {
      asks: asked.map(([id, { target, is_shared }]) => ({ id, target, age_ms, is_shared })),
      waits: all.filter(([, { isKnown }]) => isKnown).map(([id]) => id),
      done: received,
    })
    for (const [, one] of asked) one.isKnown = true
    for (const { id } of received) done.delete(id)
    accept(receipt)
    return asked.length + received.length + receipt.answers.length > 0
  }

  function accept({ workers, unknown, answers }: BulkReceipt): void {
    for (const id of unknown) {
      const lost = awaited.get(id)
      if (lost !== undefined) lost.isKnown = false
    }
    for (const [id, body] of answers) {
      done.set(id, { id, is_damaged: body === 'damaged' })
      awaited.get(id)?.answered(readAnswer(body))
      awaited.delete(id)
    }
    if (workers > 0) worked_at = performance.now()
    else if (performance.now() - worked_at > NO_WORKERS_MS) onNoWorkers()
  }

  const exchanges = startExchanges(exchange, onError)
  return {
    async check(target, over) {
      if (over.aborted) return null
      const id = jobId(target)
      const leave = () => {
        awaited.get(id)?.answered(null)
        awaited.delete(id)
      }
      over.addEventListener('abort', leave)
      const answer = await new Promise<BulkAnswer>(answered => {
        // A link may carry a token: nobody else needs its answer enough to keep it.
        awaited.set(id, { target: jobTarget(target), is_shared: target.url === null, answered, isKnown: false })
        exchanges.wake()
      })
      over.removeEventListener('abort', leave)
      return answer
    },
    async close() {
      await exchanges.stop()
      // Otherwise others would find these answers still awaited for an hour.
      if (done.size > 0 && queue.up) await exchange().catch(() => {})
      queue.close()
    },
  }
}

const FAULTS = {
  not_completed: unavailable('No worker completed the check.'),
  damaged: unavailable('The answer in the queue is damaged.'),
}

function readAnswer(body: BulkBody): JobAnswer {
  if (typeof body === 'string') return FAULTS[body]
  try {
    return JSON.parse(unpackNow(body)) as JobAnswer
  } catch {
    return FAULTS.damaged
  }
}
