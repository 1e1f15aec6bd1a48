// The working side of a distributed bulk run: takes targets, checks them and writes the answers.
import { randomUUID } from 'node:crypto'
import { AnalysisUnavailable } from '../../../engine/analysis.ts'
import type { Engine } from '../../../engine/engine.ts'
import { ANSWER_BYTES, createBulkTargets, KEPT_MS, WORKER_MS } from '../../../store/sql/bulk.ts'
import type { Database } from '../../../store/sql/database.ts'
import type { Due, Queues } from '../../../store/sql/queues.ts'
import type { ParsedTarget, Target, TargetRequest } from '../../../targets/target.ts'
import { pack } from '../packed.ts'
import { INTERNAL } from '../record.ts'
import { checkTarget } from '../run.ts'
import { type BulkReply, unavailable, wakingName } from './submitter.ts'

export interface RunningWorker {
  /** Number of checks answered. */
  readonly answered: number
  /** Closes the queues: what runs is finished, and nothing else is begun. */
  close(): Promise<void>
}

export interface WorkerOptions {
  readonly database: Database
  /** Its `end_ms` is longer than a check takes. */
  readonly queues: Queues
  readonly queue: string
  readonly engine: Pick<Engine, 'check'>
  readonly parse: (target: TargetRequest) => ParsedTarget
  /** Name of the scoring policy. */
  readonly policy: string
  /** Milliseconds that others may use a result in which a part is missing because of this worker. */
  readonly incomplete_ms: number
  /** Concurrent checks. */
  readonly concurrency: number
  /** Called with defects of a check. */
  readonly onDefect: (error: unknown, target: Target) => void
}

/** How often a target is tried when nothing can be checked, possibly by another worker each time. */
const TRIES = 3
/** Milliseconds until the second try; the third waits twice as long. */
const RETRY_MS = 1_000
/** How often a check may begin: one that ends every worker is given up. */
const MAX_ATTEMPTS = TRIES + 2

interface TargetEnd {
  readonly reply: BulkReply
  readonly life_ms: number
}

export function startWorker(options: WorkerOptions): RunningWorker {
  const { database, queues, queue, policy, concurrency } = options
  const targets = createBulkTargets(database, queue, Date.now)
  const worker = randomUUID()
  let answerCount = 0

  /** A failure is noticed by the queue, which asks the same store. */
  const live = () => void targets.live(worker, policy).catch(() => {})
  live()
  const living = setInterval(live, WORKER_MS / 3)

  async function handle(due: Due): Promise<null> {
    const job = await targets.take(due)
    if (job === null) return null
    const { attempt } = job
    if (attempt > MAX_ATTEMPTS) {
      await targets.answer(due, { answer: null, life_ms: 0, policy })
      return null
    }
    const end = await endOf(options, job.target, attempt)
    if (end === null) {
      const at = Date.now() + RETRY_MS * 2 ** (attempt - 1)
      await targets.retry(due, at)
      await waking.wake({ id: due.id, at })
      return null
    }
    const packedReply = await pack(end.reply)
    const isLarge = packedReply.length > ANSWER_BYTES
    const answer = isLarge ? await pack(unavailable('The result is too large for the queue.')) : packedReply
    await targets.answer(due, { answer, life_ms: isLarge ? 0 : end.life_ms, policy })
    answerCount += 1
    return null
  }

  async function due(until: number, limit: number): Promise<readonly Due[]> {
    await targets.sweep()
    return targets.due(until, limit)
  }

  const waking = queues.open(wakingName(queue), { concurrency, due, handle })
  return {
    get answered() {
      return answerCount
    },
    async close() {
      clearInterval(living)
      await targets.leave(worker, policy).catch(() => {})
      await queues.close()
    },
  }
}

const failureEnd = (reply: BulkReply): TargetEnd => ({ reply, life_ms: 0 })

/** Checks a target. Null when it is to be tried again. Never rejects. */
async function endOf(options: WorkerOptions, text: string, attempt: number): Promise<TargetEnd | null> {
  const { engine, parse, onDefect, incomplete_ms } = options
  const parsed = parsedBy(parse, text)
  if (parsed === null) return failureEnd(unavailable('The target in the queue is damaged.'))
  if (!parsed.ok) return failureEnd({ ok: false, error: { code: parsed.code, detail: parsed.detail } })
  try {
    const { result, class: resultClass, provisional } = await checkTarget(engine, parsed.target)
    // Another worker may have read what is missing here.
    const lifeMs = provisional ? 0 : resultClass === 'incomplete' ? incomplete_ms : KEPT_MS
    return { reply: { ok: true, result }, life_ms: lifeMs }
  } catch (error) {
    if (error instanceof AnalysisUnavailable)
      return attempt < TRIES ? null : failureEnd(unavailable(error.detail ?? error.reason))
    onDefect(error, parsed.target)
    return failureEnd({ ok: false, error: { code: INTERNAL, detail: 'Internal error; see the output of the worker.' } })
  }
}

/** Null when it is none that a submitter hands in. */
function parsedBy(parse: WorkerOptions['parse'], text: string): ParsedTarget | null {
  try {
    return parse(JSON.parse(text) as TargetRequest)
  } catch {
    return null
  }
}
