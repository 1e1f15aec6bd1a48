// The working side of the queue: takes targets, checks them and returns the results.
import { randomUUID } from 'node:crypto'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BulkWork, TakenJob } from '../../store/redis/bulk_queue.ts'
import { ANSWER_BYTES, KEPT_MS } from '../../store/redis/bulk_scripts.ts'
import type { ParsedTarget, Requested, Target } from '../../targets/target.ts'
import { pack } from '../packed.ts'
import { INTERNAL } from '../record.ts'
import { checkTarget } from '../run.ts'
import { type JobAnswer, openQueue, type QueuePlace, startExchanges, unavailable } from './queue.ts'

export interface RunningWorker {
  /** Number of checks answered. */
  readonly answered: number
  /** Stops taking jobs; resolves when the running ones have ended and their answers are in the queue. */
  close(): Promise<void>
}

export interface WorkOptions extends QueuePlace {
  readonly engine: Pick<Engine, 'check'>
  readonly parse: (target: Requested) => ParsedTarget
  /** Name of the scoring policy. */
  readonly policy: string
  /** Milliseconds that others may use a result in which a part is missing because of this worker. */
  readonly incomplete_ms: number
  /** Concurrent checks. */
  readonly concurrency: number
  /**
   * Milliseconds without a sign of life after which another worker takes over; longer than any delay of the event loop.
   */
  readonly lease_ms: number
  /** Called with the reason of an outage, and with errors of the queue. */
  readonly onError: (reason: string) => void
  /** Called with defects of a check. */
  readonly onDefect: (error: unknown, target: Target) => void
}

/** How often a target is tried when nothing can be checked, possibly by another worker each time. */
const TRIES = 3
/** Milliseconds until the second try; the third waits twice as long. */
const RETRY_MS = 1_000
/** Bytes of answers in one exchange, unless a single one is larger. */
const SENT_BYTES = 1024 * 1024

/** How a check has ended: with its answer, or to be tried again. */
type Ended =
  | { readonly body: Buffer; readonly life_ms: number }
  | { readonly body: null; readonly tries: number; readonly wait_ms: number }

/** Rejects with `QueueUnavailable` when Redis is unreachable. */
export async function startWorker(options: WorkOptions): Promise<RunningWorker> {
  const { concurrency, policy, onError } = options
  const queue = await openQueue(options, onError)
  const worker = randomUUID()
  /** Checks under way, and those in `ended`, whose end the queue does not know yet. */
  const running = new Map<string, Promise<void>>()
  const ended = new Map<string, Ended>()
  let { lease_ms } = options
  let answered = 0
  let isClosing = false

  async function exchange(): Promise<boolean> {
    const report = reportOf(ended)
    const reported = new Set([...report.answered, ...report.retried].map(({ id }) => id))
    const taken = await queue.work(worker, {
      ...{ ...report, lease_ms, policy },
      free: isClosing ? 0 : concurrency - (running.size - ended.size),
      running: [...running.keys()].filter(id => !reported.has(id)),
    })
    for (const id of reported) {
      ended.delete(id)
      running.delete(id)
    }
    for (const job of taken) running.set(job.id, run(job))
    return reported.size + taken.length > 0
  }

  async function run(job: TakenJob): Promise<void> {
    const end = await endOf(options, job)
    ended.set(job.id, end)
    if (end.body !== null) answered++
    exchanges.wake()
  }

  const exchanges = startExchanges(exchange, onError)
  return {
    get answered() {
      return answered
    },
    async close() {
      isClosing = true
      // It may still take jobs.
      await exchanges.settled()
      await Promise.all(running.values())
      await exchanges.stop()
      // Without a lease it does not count as a worker any more. While Redis is down, others repeat what it could not report.
      lease_ms = 0
      do await exchange().catch(() => ended.clear())
      while (ended.size > 0)
      queue.close()
    },
  }
}

/** As many as one exchange may hold. */
function reportOf(ended: ReadonlyMap<string, Ended>): Pick<BulkWork, 'answered' | 'retried'> {
  const answered: BulkWork['answered'][number][] = []
  const retried: BulkWork['retried'][number][] = []
  let bytes = 0
  for (const [id, one] of ended) {
    if (one.body === null) retried.push({ id, ...one })
    else if (bytes < SENT_BYTES) {
      answered.push({ id, ...one })
      bytes += one.body.length
    }
  }
  return { answered, retried }
}

const failed = async (answer: JobAnswer): Promise<Ended> => ({ body: await pack(answer), life_ms: 0 })

/** Checks the target of a job. Never rejects. */
async function endOf(options: WorkOptions, { target: text, tries }: TakenJob): Promise<Ended> {
  const { engine, parse, onDefect } = options
  const parsed = parsedBy(parse, text)
  if (parsed === null) return failed(unavailable('The target in the queue is damaged.'))
  if (!parsed.ok) return failed({ ok: false, error: { code: parsed.code, detail: parsed.detail } })
  try {
    const { result, class: class_, provisional } = await checkTarget(engine, parsed.target)
    const body = await pack({ ok: true, result } satisfies JobAnswer)
    if (body.length > ANSWER_BYTES) throw new RangeError(`a result of ${body.length} bytes is too large for the queue`)
    // Another worker may have read what is missing here.
    if (provisional) return { body, life_ms: 0 }
    return { body, life_ms: class_ === 'incomplete' ? options.incomplete_ms : KEPT_MS }
  } catch (error) {
    if (error instanceof AnalysisUnavailable) {
      if (tries + 1 < TRIES) return { body: null, tries, wait_ms: RETRY_MS * 2 ** tries }
      return failed(unavailable(error.detail ?? error.reason))
    }
    onDefect(error, parsed.target)
    return failed({ ok: false, error: { code: INTERNAL, detail: 'Internal error; see the output of the worker.' } })
  }
}

/** Null when it is none that a submitter hands in. */
function parsedBy(parse: WorkOptions['parse'], text: string | null): ParsedTarget | null {
  try {
    return text === null ? null : parse(JSON.parse(text) as Requested)
  } catch {
    return null
  }
}
