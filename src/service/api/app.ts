// The app, top to bottom: the middleware of every request, the routes, and how errors become problems.
import type { RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import type { Clock } from '../../base/clock.ts'
import { createSelector } from '../../engine/selection.ts'
import { POLITE, type Politeness } from '../../results/bulk/politeness.ts'
import type { ExchangeOptions } from '../../results/exchange/formats.ts'
import type { Claims } from '../../store/sql/claims.ts'
import { type AnswersOptions, createAnswers } from './answers.ts'
import { batchHandlers } from './batch.ts'
import { type CallersOptions, createCallers } from './callers.ts'
import { checkHandlers, type ReportOf } from './check.ts'
import { createCors } from './cors.ts'
import { type HealthCondition, healthz, readyz } from './health.ts'
import { type HistoryRoutesOptions, historyHandlers, resultReader } from './history.ts'
import { type Jobbing, jobHandlers } from './jobs.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import { type ClientOf, describeError, type Log } from './log.ts'
import { type Looking, lookalikeHandlers } from './lookalikes.ts'
import { type McpRouteOptions, mcpRoute } from './mcp.ts'
import { type Metrics, metricsPage } from './metrics.ts'
import { OPERATIONS } from './operations.ts'
import { Problem } from './problem.ts'
import { requireAllowed, requireMethod } from './request_line.ts'
import type { RequestState } from './request_state.ts'
import { sendPublic } from './respond.ts'
import { allowedRequests, handlerOf, type Route, routesOf } from './routes.ts'
import { pictureReader, screenshotHandlers } from './screenshots.ts'
import { searchHandlers } from './search.ts'
import { badgeRoute, shareHandlers } from './shares.ts'
import { usageHandlers } from './usage.ts'
import { type Watching, watchHandlers } from './watches.ts'
import { serveWeb, type WebPages } from './web.ts'

export interface AppOptions extends Omit<AnswersOptions, 'callers'>, CallersOptions {
  /** What is kept of results; nothing when absent. */
  readonly history?: HistoryRoutesOptions['history'] | undefined
  readonly public_url?: string | null
  readonly reportOf?: ReportOf
  /** Watches; disabled when absent. */
  readonly watching?: Watching | null
  /** Jobs; disabled when absent. */
  readonly jobbing?: Jobbing | null
  /** Who does what at once, over all processes. */
  readonly claims: Claims
  /** Looking for look-alikes; disabled when absent. */
  readonly looking?: Looking | null
  /** Marking of results in other formats; none when absent. */
  readonly tlp?: ExchangeOptions['tlp']
  /** Names of lists of disposable e-mail domains. */
  readonly disposable_lists?: readonly string[]
  /** The OpenAPI document, as the bytes that are served. */
  readonly openapi: () => Buffer
  /** Limits of a batch for one registrable domain; those of `assay check --input` by default. */
  readonly politeness?: Politeness
  /** Results and signals for agents and selections; without it there is no /mcp, and results have no sections. */
  readonly described?: Pick<McpRouteOptions, 'registry' | 'result_schema'>
  readonly conditions: readonly HealthCondition[]
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

/** Of a service without plugins. */
const BARE = { analyzers: [], extensions: [] }

export function createApp(options: AppOptions): RequestListener {
  const { log, clock, clientOf, metrics } = options
  const callers = createCallers(options)

  const { history = null, jobbing = null, public_url = null, tlp = null, reportOf } = options
  const exchange = { tlp, public_url }
  const answers = createAnswers({ ...options, callers })
  const { registry = BARE, result_schema } = options.described ?? {}
  const selector = createSelector(registry, result_schema)
  const historyParts = { callers, history, reportOf, selector, clock, public_url, exchange }
  const politeness = options.politeness ?? POLITE
  const table: readonly Route[] = [
    ...routesOf(OPERATIONS, {
      ...checkHandlers({
        callers,
        answers,
        reportOf,
        selector,
        exchange,
        clock,
        disposable_lists: options.disposable_lists,
      }),
      ...batchHandlers({ callers, answers, selector, vetting: options.vetting, politeness, log, clock, jobbing }),
      ...lookalikeHandlers({
        callers,
        answers,
        vetting: options.vetting,
        politeness,
        log,
        clock,
        looking: options.looking ?? null,
        claims: options.claims,
      }),
      ...jobHandlers({ callers, jobbing, selector, clock }),
      ...usageHandlers({ callers, store: options.store, plans: options.plans, clock }),
      ...historyHandlers(historyParts),
      ...searchHandlers({ ...historyParts, claims: options.claims }),
      ...shareHandlers(historyParts),
      ...screenshotHandlers(historyParts),
      ...watchHandlers({ callers, watching: options.watching ?? null, vetting: options.vetting, clock }),
    }),
    badgeRoute(historyParts),
    ...(options.described
      ? [
          mcpRoute({
            callers,
            answers,
            clock,
            resultOf: resultReader(history),
            ...options.described,
            ...(options.picture && { pictureOf: pictureReader(history) }),
          }),
        ]
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
  const allowedAt = allowedRequests(table)
  const cors = options.cors_origins?.length ? createCors(options.cors_origins, allowedAt) : undefined
  const lifecycle = createLifecycle({ log, clock, clientOf, metrics: metrics?.of, cors, account: callers.account })
  const app = createKoa(lifecycle, log)
  if (cors) app.use(cors.preflight)
  app.use(requireAllowed(allowedAt))
  app.use(routerOf(table))
  app.use(serveWeb(options.pages ?? new Map()))
  app.use(({ path, method }) => {
    requireMethod(allowedAt(path), method)
    throw new Problem('not-found')
  })
  return app.callback()
}

export interface OperatorOptions {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  readonly conditions: readonly HealthCondition[]
  readonly log: Log
  /** No address is logged when absent. */
  readonly clientOf?: ClientOf
  readonly clock: Clock
}

export function createOperatorApp({ metrics, conditions, log, clientOf, clock }: OperatorOptions): RequestListener {
  const app = createKoa(createLifecycle({ log, clock, clientOf }), log)
  app.use(requireAllowed(allowedRequests([])))
  app.use(
    routerOf([
      { method: 'GET', path: '/metrics', handle: metricsPage(metrics, 'any') },
      { method: 'GET', path: '/healthz', handle: healthz },
      { method: 'GET', path: '/readyz', handle: readyz(conditions) },
    ]),
  )
  app.use(() => {
    throw new Problem('not-found')
  })
  return app.callback()
}

function createKoa({ begin, run }: Lifecycle, log: Log): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.use((ctx, next) => {
    // Handlers write responses themselves, with all headers in one call.
    ctx.respond = false
    ctx.state = begin(ctx.req)
    return run(ctx, next)
  })
  app.on('error', error => log.error({ error: describeError(error) }))
  return app
}

function routerOf(table: readonly Route[]) {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const route of table) router.register(route.path, [route.method], [handlerOf(route)])
  return router.routes()
}
