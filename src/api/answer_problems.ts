// The one error path: whatever is thrown below leaves as a problem, and only what was not foreseen makes its line in the log an error.
import type { Clock } from '../clock.ts'
import { AnalysisUnavailable } from '../engine/outcome.ts'
import { StoreError } from '../store/store.ts'
import { describeError } from './log.ts'
import { Problem, problemBody } from './problem.ts'
import { problemEvent } from './progress_events.ts'
import { sendProblem } from './respond.ts'
import type { Context, Next } from './visit.ts'

/** Seconds after which our own network or store may be back. */
const retryAfter = { 'Retry-After': '5' }

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof AnalysisUnavailable) return new Problem('analysis-unavailable', undefined, retryAfter)
  if (!(error instanceof StoreError)) return new Problem('internal-error')
  return new Problem(
    error.code === 'quota_store_error' ? 'quota-store-error' : 'key-store-error',
    undefined,
    retryAfter,
  )
}

/**
 * `account` learns, for the headers, who asked and what is left to them, however early the request failed; it is
 * called only then.
 */
export const answerProblems =
  (clock: Clock, account: (ctx: Context) => Promise<void>) => async (ctx: Context, next: Next) => {
    try {
      await next()
    } catch (error) {
      if (ctx.res.destroyed) return
      const problem = toProblem(error)
      ctx.state.code = problem.code
      if (problem.status >= 500 && !(error instanceof Problem)) {
        ctx.state.error = describeError(error)
      }
      await account(ctx).catch(() => undefined)
      const { id, stream } = ctx.state
      if (stream?.begun) stream.end(problemEvent(problemBody(problem, id)))
      else sendProblem(ctx, problem, clock.now())
    }
  }
