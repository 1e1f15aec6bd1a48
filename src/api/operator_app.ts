// What operators read on a port of their own: metrics and health, nothing else.
import Router from '@koa/router'
import Koa from 'koa'
import type { Clock } from '../clock.ts'
import { answerProblems } from './answer_problems.ts'
import { type Condition, healthz, readyz } from './health.ts'
import { describeError, type Log, logVisits } from './log.ts'
import type { Metrics } from './metrics.ts'
import { metricsPage } from './metrics_page.ts'
import { Problem } from './problem.ts'
import { requireReading } from './request_line.ts'
import type { Visit } from './visit.ts'

export interface OperatorOptions {
  readonly metrics: Metrics
  readonly conditions: readonly Condition[]
  readonly log: Log
  readonly clock: Clock
}

export function createOperatorApp({ metrics, conditions, log, clock }: OperatorOptions): Koa<Visit> {
  const routes = new Router<Visit>({ strict: true, sensitive: true })
  routes.get('/metrics', metricsPage(metrics, 'any'))
  routes.get('/healthz', healthz)
  routes.get('/readyz', readyz(conditions))
  const app = new Koa<Visit>()
  app.use(logVisits(log, clock))
  app.use(answerProblems(clock, async () => {}))
  app.use(requireReading)
  app.use(routes.routes())
  app.use(() => {
    throw new Problem('not-found')
  })
  app.on('error', error => log.error({ error: describeError(error) }))
  return app
}
