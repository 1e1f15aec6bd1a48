// The answers that jobs ask for: counted, cached and limited like those of requests with the key that created the job, and
// behind them where there is not room for all.
import type { Clock } from '../../base/clock.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import { type Key, type KeyStore, StoreError } from '../../store/store.ts'
import type { AskForJob, JobAsked } from '../jobs/turn.ts'
import { type Answers, resultOf } from './answers.ts'
import { PASSING, refusal } from './batch.ts'
import type { Log } from './log.ts'
import { Problem } from './problem.ts'

export interface JobAnswersOptions {
  /** Those of the configuration in force. */
  readonly answers: () => Answers
  readonly keys: Pick<KeyStore, 'holder' | 'ofAccount'>
  /** Whether a dataset that is expected will soon be read: a job has time for a result that has seen it. */
  readonly isLoading?: () => boolean
  readonly log: Pick<Log, 'error'>
  readonly clock: Clock
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** Longest pause for a quota that is used up: the account may get another plan at any time. */
const LONGEST_QUOTA_MS = 60 * MINUTE_MS
const STORE_MS = MINUTE_MS
/** A dataset on disk is read within seconds; one that is missing may stay so. */
const LOADING_MS = 15 * SECOND_MS

export function createJobAnswers(options: JobAnswersOptions): AskForJob {
  const { answers, keys, isLoading = () => false, log, clock } = options

  /** The job's key, or another of the account when it has expired, as after a rotation; a slug when the job must end. */
  async function keyFor(account: string, id: string): Promise<Key | 'key-revoked' | 'no-valid-key'> {
    const key = await keys.holder(account, id)
    if (key?.id === id) return key
    const own = (await keys.ofAccount(account)).find(one => one.id === id)
    if (own === undefined || own.revoked !== null) return 'key-revoked'
    return key ?? 'no-valid-key'
  }

  return async ({ account, key: id }, target, record, signal): Promise<JobAsked> => {
    const began = clock.monotonic()
    if (isLoading()) return { end: 'paused', reason: 'datasets-loading', until: clock.now() + LOADING_MS }
    try {
      const key = await keyFor(account, id)
      if (typeof key === 'string') return { end: 'failed', reason: key }
      const current = answers()
      const { usage } = await current.answer({
        key,
        requested: current.requestOf(target),
        began,
        listener: null,
        background: true,
        async record(checkAnswer) {
          // A job has time to wait for a result of now.
          if (checkAnswer.origin === 'STALE') throw new AnalysisUnavailable({ reason: 'stale' })
          return record(resultOf(checkAnswer, Math.round(clock.monotonic() - began)))
        },
        until: work => work(signal),
        // Nobody disconnects: a check that the end of the service cuts off is not counted.
        isAbandoned: () => false,
      })
      return { end: usage === null ? 'known' : 'answered' }
    } catch (error) {
      if (signal.aborted) return { end: 'unseen', detail: 'The service ends.' }
      if (error instanceof AnalysisUnavailable) return { end: 'unseen', detail: error.detail ?? error.reason }
      if (error instanceof StoreError)
        return { end: 'paused', reason: 'store-unavailable', until: clock.now() + STORE_MS }
      const retryMs = error instanceof Problem ? Number(error.headers['Retry-After'] ?? 1) * SECOND_MS : 0
      if (error instanceof Problem && error.code === 'quota-exceeded')
        return { end: 'paused', reason: error.code, until: clock.now() + Math.min(retryMs, LONGEST_QUOTA_MS) }
      if (error instanceof Problem && PASSING.has(error.code))
        return { end: 'refused', by: error.code === 'target-busy' ? 'target' : 'account', retry_ms: retryMs }
      return { end: 'error', error: refusal(log, error) }
    }
  }
}
