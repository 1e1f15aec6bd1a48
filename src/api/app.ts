// The app, top to bottom: the middleware of every request, the routes, and how errors become problems.
import Router from '@koa/router'
import Koa from 'koa'
import { type LaneLimits, POLITE } from '../bulk/polite_queue.ts'
import type { Clock } from '../clock.ts'
import { AnalysisUnavailable } from '../engine/analysis.ts'
import type { ExchangeOptions } from '../exchange/formats.ts'
import { StoreError } from '../store/store.ts'
import { type AnswersOptions, createAnswers } from './answers.ts'
import { batchRoute } from './batch.ts'
import { type CallersOptions, createCallers } from './callers.ts'
import { createCheck, type ReportOf } from './check.ts'
import { allowOrigins } from './cors.ts'
import { type Condition, healthz, readyz } from './health.ts'
import { type HistoryRoutesOptions, historyRoutes, resultReader } from './history.ts'
import { type Jobbing, jobRoutes } from './jobs.ts'
import { type ClientOf, describeError, type Log, logRequests } from './log.ts'
import { type McpRouteOptions, mcpRoute } from './mcp.ts'
import { type Metrics, metricsPage } from './metrics.ts'
import { Problem, problemBody } from './problem.ts'
import { problemEvent } from './progress.ts'
import { requireAllowed, requireMethod } from './request_line.ts'
import type { Context, Next, RequestState } from './request_state.ts'
import { sendProblem, sendPublic } from './respond.ts'
import { allowedRequests, type Route } from './routes.ts'
import { usageRoute } from './usage.ts'
import { type Watching, watchRoutes } from './watches.ts'
import { serveWeb, type WebPages } from './web.ts'

export interface AppOptions extends Omit<AnswersOptions, 'callers' | 'history'>, CallersOptions {
  /** What is kept of results; nothing when absent. */
  readonly history?: (AnswersOptions['history'] & HistoryRoutesOptions['history']) | undefined
  readonly public_url?: string | null
  readonly reportOf?: ReportOf
  /** Watches; disabled when absent. */
  readonly watching?: Watching | null
  /** Jobs; disabled when absent. */
  readonly jobbing?: Jobbing | null
  /** Marking of results in other formats; none when absent. */
  readonly tlp?: ExchangeOptions['tlp']
  /** The OpenAPI document, as the bytes that are served. */
  readonly openapi: () => Buffer
  /** Limits of a batch for one registrable domain; those of `assay check --input` by default. */
  readonly politeness?: LaneLimits
  /** Results and signals for agents; without it there is no /mcp. */
  readonly described?: Pick<McpRouteOptions, 'registry' | 'result_schema'>
  readonly conditions: readonly Condition[]
  /** Origins whose pages may read responses; none when absent. */
  readonly cors_origins?: readonly string[]
  /** For people, in a browser. */
  readonly pages?: WebPages
  /** Counts requests when given; `/metrics` is readable from this machine when `read_here`. */
  readonly metrics?: { readonly of: Metrics; readonly read_here: boolean }
  readonly log: Log
  /** No address is logged when absent. */
  readonly clientOf?: ClientOf
}

export function createApp(options: AppOptions): Koa<RequestState> {
  const { log, clock, clientOf, metrics } = options
  const callers = createCallers(options)

  const { history = null, jobbing = null, public_url = null, tlp = null, reportOf } = options
  const exchange = { tlp, public_url }
  const answers = createAnswers({ ...options, history, callers })
  const table: readonly Route[] = [
    { method: 'GET', path: '/api/v1/check', handle: createCheck({ callers, answers, reportOf, exchange, clock }) },
    batchRoute({
      ...{ callers, answers, vetting: options.vetting, politeness: options.politeness ?? POLITE, log, clock },
      jobbing,
    }),
    ...jobRoutes({ callers, jobbing, clock }),
    usageRoute({ callers, store: options.store, plans: options.plans, clock }),
    ...historyRoutes({ callers, history, reportOf, clock, public_url, exchange }),
    ...watchRoutes({ callers, watching: options.watching ?? null, vetting: options.vetting, clock }),
    ...(options.described
      ? [mcpRoute({ callers, answers, resultOf: resultReader(history), clock, ...options.described })]
      : []),
    { method: 'GET', path: '/healthz', handle: healthz },
    { method: 'GET', path: '/readyz', handle: readyz(options.conditions) },
    {
      method: 'GET',
      path: '/openapi.json',
      handle: ctx => sendPublic(ctx, 200, options.openapi(), 'public, max-age=300'),
    },
    ...(metrics?.read_here
      ? [{ method: 'GET' as const, path: '/metrics', handle: metricsPage(metrics.of, 'loopback') }]
      : []),
  ]
  const routes = new Router<RequestState>({ strict: true, sensitive: true })
  for (const { method, path, handle } of table) routes.register(path, [method], [handle])

  const app = new Koa<RequestState>()
  app.use(logRequests(log, clock, clientOf))
  if (metrics) {
    app.use(async (ctx, next) => {
      await next()
      metrics.of.request(ctx, clock.monotonic() - ctx.state.began)
    })
  }
  if (options.cors_origins?.length) app.use(allowOrigins(options.cors_origins))
  app.use(answerProblems(clock, callers.account))
  const allowed = allowedRequests(table)
  app.use(requireAllowed(allowed))
  app.use(routes.routes())
  app.use(serveWeb(options.pages ?? new Map()))
  app.use(({ path, method }) => {
    requireMethod(allowed(path), method)
    throw new Problem('not-found')
  })
  app.on('error', error => log.error({ error: describeError(error) }))
  return app
}

export interface OperatorOptions {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  readonly conditions: readonly Condition[]
  readonly log: Log
  /** No address is logged when absent. */
  readonly clientOf?: ClientOf
  readonly clock: Clock
}

export function createOperatorApp({ metrics, conditions, log, clientOf, clock }: OperatorOptions): Koa<RequestState> {
  const routes = new Router<RequestState>({ strict: true, sensitive: true })
  routes.get('/metrics', metricsPage(metrics, 'any'))
  routes.get('/healthz', healthz)
  routes.get('/readyz', readyz(conditions))
  const app = new Koa<RequestState>()
  app.use(logRequests(log, clock, clientOf))
  app.use(answerProblems(clock, async () => {}))
  app.use(requireAllowed(allowedRequests([])))
  app.use(routes.routes())
  app.use(() => {
    throw new Problem('not-found')
  })
  app.on('error', error => log.error({ error: describeError(error) }))
  return app
}

/** Seconds after which the network or the store may be back. */
const retryAfter = { 'Retry-After': '5' }

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof AnalysisUnavailable) {
    return new Problem('analysis-unavailable', error.detail ?? undefined, retryAfter)
  }
  if (!(error instanceof StoreError)) return new Problem('internal-error')
  return new Problem(
    error.code === 'quota_store_error' ? 'quota-store-error' : 'key-store-error',
    undefined,
    retryAfter,
  )
}

/**
 * Turns every error below into a problem. Only an unexpected error is logged as an error. `account` is called only then, to
 * find the key and quota for the headers, however early the request failed.
 */
export const answerProblems =
  (clock: Clock, account: (ctx: Context) => Promise<void>) => async (ctx: Context, next: Next) => {
    try {
      await next()
    } catch (error) {
      if (ctx.res.destroyed) return
      const problem = toProblem(error)
      ctx.state.code = problem.code
      const cause = error instanceof Problem ? error.cause : error
      if (problem.status >= 500 && cause !== undefined) ctx.state.error = describeError(cause)
      await account(ctx).catch(() => undefined)
      const { id, stream } = ctx.state
      if (stream?.begun) stream.end(problemEvent(problemBody(problem, id)))
      else sendProblem(ctx, problem, clock.now())
    }
  }
