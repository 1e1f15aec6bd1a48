// The submitting side of a distributed bulk run: hands in a bounded number of targets at once and waits for each answer.
import { createHash, randomUUID } from 'node:crypto'
import { type BulkAsk, createBulkTargets } from '../../../store/sql/bulk.ts'
import type { Database } from '../../../store/sql/database.ts'
import type { Queue, Queues } from '../../../store/sql/queues.ts'
import { requestOf, type Target } from '../../../targets/target.ts'
import { unpackNow } from '../packed.ts'
import { targetKey, UNAVAILABLE } from '../record.ts'
import type { BulkAnswer } from '../run.ts'

export interface SubmitterOptions {
  readonly database: Database
  readonly queues: Queues
  readonly queue: string
  /** Milliseconds that the answer of another run may be old. */
  readonly age_ms: number
  /** Called with the first failure of an outage. */
  readonly onError: (reason: string) => void
  /** Called when answers are awaited and no worker is running. */
  readonly onNoWorkers: () => void
}

export type BulkReply = Exclude<BulkAnswer, null>

export const unavailable = (detail: string): BulkReply => ({ ok: false, error: { code: UNAVAILABLE, detail } })

/** What BullMQ calls the queue of bulk runs with this name. */
export const wakingName = (queue: string): string => `bulk-${queue}`

/** The longest pause between two looks for answers, which begins with the shortest whenever there was one. */
const PAUSE_MS = { least: 10, most: 200 }
/** Between two looks for workers. */
const WORKERS_MS = 1_000
/** Milliseconds without a worker after which it is reported: both sides may have been started together. */
const NO_WORKERS_MS = 2_000

interface AwaitedAnswer extends BulkAsk {
  readonly isShared: boolean
  readonly answered: (answer: BulkAnswer) => void
  isAsked: boolean
}

export class Submitter {
  readonly #options: SubmitterOptions
  readonly #targets: ReturnType<typeof createBulkTargets>
  readonly #waking: Queue
  readonly #run = randomUUID()
  readonly #awaited = new Map<string, AwaitedAnswer>()
  #policies: readonly string[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #workedAt = performance.now()
  #pauseMs: number = PAUSE_MS.least
  #isDown = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #exchanging: Promise<void> | null = null

  constructor(options: SubmitterOptions) {
    this.#options = options
    const { database, queues, queue } = options
    this.#targets = createBulkTargets(database, queue, Date.now)
    this.#waking = queues.open(wakingName(queue), null)
  }

  #soon(): void {
    this.#pauseMs = PAUSE_MS.least
    if (this.#exchanging === null) this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#turn(), this.#pauseMs)
  }

  #turn(): void {
    this.#exchanging = this.#exchange()
      .then(
        () => {
          this.#isDown = false
        },
        (error: unknown) => {
          if (!this.#isDown) this.#options.onError(error instanceof Error ? error.message : String(error))
          this.#isDown = true
        },
      )
      .finally(() => {
        this.#exchanging = null
        this.#pauseMs = Math.min(PAUSE_MS.most, this.#pauseMs * 2)
        if (this.#awaited.size > 0) this.#schedule()
      })
  }

  async #exchange(): Promise<void> {
    await this.#lookForWorkers()
    const unsentAsks = [...this.#awaited.values()].filter(({ isAsked }) => !isAsked)
    if (unsentAsks.length > 0) {
      await this.#waking.wake(...(await this.#targets.ask(unsentAsks, this.#options.age_ms, this.#policies)))
      for (const one of unsentAsks) one.isAsked = true
    }
    if (this.#awaited.size === 0) return
    const { unknown, answers } = await this.#targets.look([...this.#awaited.keys()])
    for (const id of unknown) Object.assign(this.#awaited.get(id) ?? {}, { isAsked: false })
    const own = answers.filter(({ id }) => this.#awaited.get(id)?.isShared === false).map(({ id }) => id)
    for (const { id, answer } of answers) {
      this.#awaited.get(id)?.answered(readAnswer(answer))
      this.#awaited.delete(id)
    }
    if (answers.length > 0) this.#pauseMs = PAUSE_MS.least / 2
    if (own.length > 0) await this.#targets.forget(own)
  }

  async #lookForWorkers(): Promise<void> {
    if (performance.now() - this.#lookedAt < WORKERS_MS) return
    this.#policies = await this.#targets.policies()
    this.#lookedAt = performance.now()
    if (this.#policies.length > 0 || this.#awaited.size === 0) this.#workedAt = this.#lookedAt
    else if (this.#lookedAt - this.#workedAt > NO_WORKERS_MS) this.#options.onNoWorkers()
  }

  /**
   * Resolves with the worker's answer, or with null once `over` aborts; the target then stays for the next run. One call at a time
   * for each target.
   */
  async check(target: Target, over: AbortSignal): Promise<BulkAnswer> {
    if (over.aborted) return null
    if (this.#awaited.size === 0) this.#workedAt = Math.max(this.#workedAt, performance.now() - WORKERS_MS)
    // A link may carry a token: nobody else gets its answer, and it is not kept.
    const isShared = target.url === null
    const id = idOf(target, isShared ? '' : this.#run)
    const leave = () => {
      this.#awaited.get(id)?.answered(null)
      this.#awaited.delete(id)
    }
    over.addEventListener('abort', leave)
    const ask = { id, target: JSON.stringify(requestOf(target)), since: Date.now(), isShared, isAsked: false }
    const answer = await new Promise<BulkAnswer>(answered => {
      this.#awaited.set(id, { ...ask, answered })
      this.#soon()
    })
    over.removeEventListener('abort', leave)
    return answer
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#exchanging
  }
}

/** One row per target for all submitters. */
export function idOf(target: Target, owner: string): string {
  const how = `${target.visit ? '' : ' unvisited'}${target.render ? ' rendered' : ''}`
  const key = `${targetKey(target)}${how}${owner && ` ${owner}`}`
  return createHash('sha256').update(key).digest('base64url')
}

function readAnswer(answer: Uint8Array | null): BulkReply {
  if (answer === null) return unavailable('No worker completed the check.')
  try {
    return JSON.parse(unpackNow(answer)) as BulkReply
  } catch {
    return unavailable('The answer in the queue is damaged.')
  }
}
