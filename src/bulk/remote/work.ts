// The working side of the queue: takes targets, checks them and returns the results.
import { Worker } from 'bullmq'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ParsedTarget, Target } from '../../targets/target.ts'
import { INTERNAL } from '../record.ts'
import { checkTarget } from '../run.ts'
import {
  type JobAnswer,
  type JobData,
  openConnection,
  type QueuePlace,
  queuePrefix,
  unavailableMessage,
} from './queue.ts'

export interface RunningWorker {
  /** Number of checks answered. */
  readonly answered: number
  /** Stops taking jobs; resolves when the running ones have ended. */
  close(): Promise<void>
}

export interface WorkOptions extends QueuePlace {
  readonly engine: Pick<Engine, 'check'>
  readonly parse: (data: JobData) => ParsedTarget
  /** Concurrent checks. */
  readonly concurrency: number
  /**
   * Milliseconds without a sign of life after which another worker takes over; longer than any delay of the event loop.
   */
  readonly lease_ms: number
  /** Called with errors of the queue. */
  readonly onError: (error: Error) => void
  /** Called with defects of a check. */
  readonly onDefect: (error: unknown, target: Target) => void
}

/** How many workers a job may outlive, so that a target that crashes every worker is given up. */
const MAX_STALLED = 3

/** Rejects with `QueueUnavailable` when Redis is unreachable. */
export async function startWorker(options: WorkOptions): Promise<RunningWorker> {
  const { queue, concurrency, lease_ms, onError } = options
  const connection = await openConnection(options, onError)
  let answered = 0
  const worker = new Worker<JobData, JobAnswer>(
    queue,
    async ({ data }) => {
      const answer = await answerFor(options, data)
      answered++
      return answer
    },
    {
      connection: connection.client,
      prefix: queuePrefix(options),
      concurrency,
      lockDuration: lease_ms,
      stalledInterval: lease_ms,
      maxStalledCount: MAX_STALLED,
    },
  )
  worker.on('error', onError)
  await worker.waitUntilReady()
  return {
    get answered() {
      return answered
    },
    async close() {
      await worker.close()
      connection.close()
    },
  }
}

/** Rejects when nothing could be checked, so that the queue retries. */
async function answerFor({ engine, parse, onDefect }: WorkOptions, data: JobData): Promise<JobAnswer> {
  const parsed = parse(data)
  if (!parsed.ok) return { ok: false, error: { code: parsed.code, detail: parsed.detail } }
  try {
    return { ok: true, result: await checkTarget(engine, parsed.target) }
  } catch (error) {
    if (error instanceof AnalysisUnavailable) throw new Error(unavailableMessage(error.reason))
    onDefect(error, parsed.target)
    return { ok: false, error: { code: INTERNAL, detail: 'Internal error; see the output of the worker.' } }
  }
}
