// The interface, top to bottom: what every request passes through, and what there is to ask for.
import Router from '@koa/router'
import Koa from 'koa'
import { answerProblems } from './answer_problems.ts'
import { type CallersOptions, createCallers } from './callers.ts'
import { type CheckOptions, createCheck } from './check.ts'
import { type Condition, healthz, readyz } from './health.ts'
import { describeError, type Log, logVisits } from './log.ts'
import type { Metrics } from './metrics.ts'
import { metricsPage } from './metrics_page.ts'
import { Problem } from './problem.ts'
import { requireReading } from './request_line.ts'
import { sendPublic } from './respond.ts'
import type { Visit } from './visit.ts'
import { serveWeb, type WebPages } from './web.ts'

export interface AppOptions extends Omit<CheckOptions, 'callers'>, CallersOptions {
  /** The interface's description (OpenAPI), as the bytes it is served as. */
  readonly openapi: Buffer
  readonly conditions: readonly Condition[]
  /** For people, in a browser. */
  readonly pages?: WebPages
  /** Counted when given; read at `/metrics` by this machine when `read_here`. */
  readonly metrics?: { readonly of: Metrics; readonly read_here: boolean }
  readonly log: Log
}

export function createApp(options: AppOptions): Koa<Visit> {
  const { log, clock, metrics } = options
  const callers = createCallers(options)

  const routes = new Router<Visit>({ strict: true, sensitive: true })
  routes.get('/api/v1/check', createCheck({ ...options, callers }))
  routes.get('/healthz', healthz)
  routes.get('/readyz', readyz(options.conditions))
  routes.get('/openapi.json', ctx => sendPublic(ctx, 200, options.openapi, 'public, max-age=300'))

  if (metrics?.read_here) routes.get('/metrics', metricsPage(metrics.of, 'loopback'))

  const app = new Koa<Visit>()
  app.use(logVisits(log, clock))
  if (metrics) {
    app.use(async (ctx, next) => {
      await next()
      metrics.of.request(ctx, clock.monotonic() - ctx.state.began)
    })
  }
  app.use(answerProblems(clock, callers.account))
  app.use(requireReading)
  app.use(routes.routes())
  app.use(serveWeb(options.pages ?? new Map()))
  app.use(() => {
    throw new Problem('not-found')
  })
  app.on('error', error => log.error({ error: describeError(error) }))
  return app
}
