// The side of the queue that answers: takes targets, checks them, and gives the results back.
import { Worker } from 'bullmq'
import type { Engine } from '../../engine/engine.ts'
import { AnalysisUnavailable } from '../../engine/outcome.ts'
import type { ParsedTarget, Target } from '../../targets/target.ts'
import { INTERNAL } from '../record.ts'
import { visit } from '../run.ts'
import {
  type JobAnswer,
  type JobData,
  KEY_PREFIX,
  openConnection,
  type QueuePlace,
  unavailableMessage,
} from './queue.ts'

export interface RunningWorker {
  /** Checks it has answered. */
  readonly answered: number
  /** Takes no other, and resolves when those under way have ended. */
  close(): Promise<void>
}

export interface WorkOptions extends QueuePlace {
  readonly engine: Pick<Engine, 'check'>
  readonly parse: (data: JobData) => ParsedTarget
  /** Checks at once. */
  readonly concurrency: number
  /** Milliseconds of silence after which another worker takes over. Longer than the event loop may be held up. */
  readonly lease_ms: number
  /** What went wrong with the queue. */
  readonly told: (error: Error) => void
  /** A defect of a check. */
  readonly broke: (error: unknown, target: Target) => void
}

/** Times that a job may outlive its worker: a target that ends every process is not passed on for ever. */
const LIVES = 3

/** Rejects with `QueueUnavailable` when there is no Redis. */
export async function startWorker(options: WorkOptions): Promise<RunningWorker> {
  const { queue, concurrency, lease_ms, told } = options
  const connection = await openConnection(options, told)
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
      prefix: KEY_PREFIX,
      concurrency,
      lockDuration: lease_ms,
      stalledInterval: lease_ms,
      maxStalledCount: LIVES,
    },
  )
  worker.on('error', told)
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

/** Rejects when nothing could be looked at, so that the queue tries again. */
async function answerFor({ engine, parse, broke }: WorkOptions, data: JobData): Promise<JobAnswer> {
  const parsed = parse(data)
  if (!parsed.ok) return { ok: false, error: { code: parsed.code, detail: parsed.detail } }
  try {
    return { ok: true, result: await visit(engine, parsed.target) }
  } catch (error) {
    if (error instanceof AnalysisUnavailable) throw new Error(unavailableMessage(error.reason))
    broke(error, parsed.target)
    return { ok: false, error: { code: INTERNAL, detail: 'Internal error; see the output of the worker.' } }
  }
}
