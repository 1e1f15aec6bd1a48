// The submitting side of a distributed bulk run: hands in a bounded number of targets at once and waits for each answer.
import { createHash, randomUUID } from 'node:crypto'
import { type BulkAsk, createBulkTargets } from '../../../store/sql/bulk.ts'
import type { Database } from '../../../store/sql/database.ts'
import type { Queues } from '../../../store/sql/queues.ts'
import { requestOf, type Target } from '../../../targets/target.ts'
import { unpackNow } from '../packed.ts'
import { targetKey, UNAVAILABLE } from '../record.ts'
import type { BulkAnswer } from '../run.ts'

export interface Submitter {
  /**
   * Resolves with the worker's answer, or with null once `over` aborts; the target then stays for the next run. One call at a time
   * for each target.
   */
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

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

interface Awaited extends BulkAsk {
  readonly isShared: boolean
  readonly answered: (answer: BulkAnswer) => void
  isAsked: boolean
}

export function openSubmitter(options: SubmitterOptions): Submitter {
  const { database, queues, queue, age_ms, onError, onNoWorkers } = options
  const targets = createBulkTargets(database, queue, Date.now)
  const waking = queues.open(wakingName(queue), null)
  const run = randomUUID()
  const awaited = new Map<string, Awaited>()
  let policies: readonly string[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  let workedAt = performance.now()
  let pauseMs: number = PAUSE_MS.least
  let isDown = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let exchanging: Promise<void> | null = null

  function soon(): void {
    pauseMs = PAUSE_MS.least
    if (exchanging === null) schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(turn, pauseMs)
  }

  function turn(): void {
    exchanging = exchange()
      .then(
        () => {
          isDown = false
        },
        (error: unknown) => {
          if (!isDown) onError(error instanceof Error ? error.message : String(error))
          isDown = true
        },
      )
      .finally(() => {
        exchanging = null
        pauseMs = Math.min(PAUSE_MS.most, pauseMs * 2)
        if (awaited.size > 0) schedule()
      })
  }

  async function exchange(): Promise<void> {
    await lookForWorkers()
    const unasked = [...awaited.values()].filter(({ isAsked }) => !isAsked)
    if (unasked.length > 0) {
      await waking.wake(...(await targets.ask(unasked, age_ms, policies)))
      for (const one of unasked) one.isAsked = true
    }
    if (awaited.size === 0) return
    const { unknown, answers } = await targets.look([...awaited.keys()])
    for (const id of unknown) Object.assign(awaited.get(id) ?? {}, { isAsked: false })
    const own = answers.filter(({ id }) => awaited.get(id)?.isShared === false).map(({ id }) => id)
    for (const { id, answer } of answers) {
      awaited.get(id)?.answered(readAnswer(answer))
      awaited.delete(id)
    }
    if (answers.length > 0) pauseMs = PAUSE_MS.least / 2
    if (own.length > 0) await targets.forget(own)
  }

  async function lookForWorkers(): Promise<void> {
    if (performance.now() - lookedAt < WORKERS_MS) return
    policies = await targets.policies()
    lookedAt = performance.now()
    if (policies.length > 0 || awaited.size === 0) workedAt = lookedAt
    else if (lookedAt - workedAt > NO_WORKERS_MS) onNoWorkers()
  }

  return {
    async check(target, over) {
      if (over.aborted) return null
      if (awaited.size === 0) workedAt = Math.max(workedAt, performance.now() - WORKERS_MS)
      // A link may carry a token: nobody else gets its answer, and it is not kept.
      const isShared = target.url === null
      const id = idOf(target, isShared ? '' : run)
      const leave = () => {
        awaited.get(id)?.answered(null)
        awaited.delete(id)
      }
      over.addEventListener('abort', leave)
      const ask = { id, target: JSON.stringify(requestOf(target)), since: Date.now(), isShared, isAsked: false }
      const answer = await new Promise<BulkAnswer>(answered => {
        awaited.set(id, { ...ask, answered })
        soon()
      })
      over.removeEventListener('abort', leave)
      return answer
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await exchanging
    },
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
