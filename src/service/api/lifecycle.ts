// The life of a request around the work that answers it: its state before; afterwards the problem that an error becomes, its
// metrics and its line in the log.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import { StoreError } from '../../store/store.ts'
import type { Cors } from './cors.ts'
import { type ClientOf, describeError, type Log, logRequest } from './log.ts'
import type { Metrics } from './metrics.ts'
import { Problem, problemBody } from './problem.ts'
import { problemEvent } from './progress.ts'
import { type Context, createRequestState } from './request_state.ts'
import { sendProblem } from './respond.ts'

export interface LifecycleOptions {
  readonly log: Log
  readonly clock: Clock
  /** No address is logged when absent. */
  readonly clientOf?: ClientOf | undefined
  /** Counts requests when given. */
  readonly metrics?: Pick<Metrics, 'request'> | undefined
  /** No other origin may read responses when absent. */
  readonly cors?: Pick<Cors, 'headersFor'> | undefined
  /** Finds the key and the quota for the headers of a problem, however early the request failed. */
  readonly account?: (ctx: Context) => Promise<void>
}

export type Lifecycle = ReturnType<typeof createLifecycle>

export function createLifecycle({ log, clock, clientOf, metrics, cors, account }: LifecycleOptions) {
  /** Only an unexpected error is logged as an error. */
  async function answerProblem(ctx: Context, error: unknown): Promise<void> {
    const { res, state } = ctx
    if (res.destroyed) return
    const problem = toProblem(error, state.key === null)
    state.code = problem.code
    const cause = error instanceof Problem ? error.cause : error
    if (problem.status >= 500 && cause !== undefined) state.error = describeError(cause)
    await account?.(ctx).catch(() => undefined)
    const { id, stream } = state
    if (stream?.begun) stream.end(problemEvent(problemBody(problem, id)))
    else sendProblem(ctx, problem, clock.now())
  }

  return {
    /** The state of a new request. */
    begin: (request: IncomingMessage) => createRequestState(request, clock, cors?.headersFor(request) ?? []),
    /** Runs the work and turns every error below into a problem. */
    async run(ctx: Context, work: (ctx: Context) => unknown) {
      // A closed socket no longer knows its address.
      const client = clientOf?.(ctx.req)
      try {
        await work(ctx)
      } catch (error) {
        await answerProblem(ctx, error)
      }
      const elapsedMs = clock.monotonic() - ctx.state.began
      metrics?.request(ctx, elapsedMs)
      logRequest(log, ctx, client, elapsedMs)
    },
  }
}

const KEY_UNVERIFIED = 'The API key cannot be verified at present. Retry later.'
const STORE_AWAY = 'The store cannot be read or written at present. Retry later.'

/** Seconds after which the network or the store may be back. */
const retryAfter = { 'Retry-After': '5' }

/** `isAuthenticating`: the request has not been found to have a valid key. */
function toProblem(error: unknown, isAuthenticating: boolean): Problem {
  if (error instanceof Problem) return error
  if (error instanceof AnalysisUnavailable) {
    return new Problem('analysis-unavailable', error.detail ?? undefined, retryAfter)
  }
  if (!(error instanceof StoreError)) return new Problem('internal-error')
  const detail = isAuthenticating ? KEY_UNVERIFIED : STORE_AWAY
  return new Problem('store-unavailable', error.code === 'quota_store_error' ? undefined : detail, retryAfter)
}
