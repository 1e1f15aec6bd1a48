// The spans of a request: its check, each gatherer, each upstream call and each access to the store. Names and attributes come
// from closed sets; what a client or a target sent is added only where the operator allowed target names.
import type { RequestListener } from 'node:http'
import {
  type Attributes,
  type Context,
  context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Extension } from '../../engine/plugin.ts'
import type { GatherContext } from '../../evidence/evidence.ts'
import { asDeclined } from '../../evidence/facts.ts'
import type { CheckNetwork } from '../../network/network.ts'

export interface SpanOptions {
  readonly tracer: Tracer
  /** Whether the names and addresses of targets may leave in attributes. */
  readonly targets: boolean
}

/** Ends the span with what `describe` says of the value. Rejections are errors without their text, which may hold names. */
export async function withSpan<T>(
  span: Span,
  work: () => Promise<T>,
  describe: (value: T) => Attributes = () => ({}),
): Promise<T> {
  try {
    const value = await context.with(trace.setSpan(context.active(), span), work)
    span.setAttributes(describe(value))
    return value
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

const propagator = new W3CTraceContextPropagator()

/** A path segment that is part of a route; any other may be an ID or the token of a link. */
const SEGMENT = /^(?:api|v\d|badge|docs|healthz|readyz|mcp|metrics|[a-z]{1,16}(?:\.json)?)$/
/** Segments of the longest route before the first parameter: `/api/v1/results`. */
const SEGMENTS = 3

/** `/api/v1/results/*` for `/api/v1/results/Z443GSEZ-uCVpbXX0RxRuw?format=report`. */
export function routeOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  const segments = path.split('/').slice(1)
  const first = segments.slice(0, SEGMENTS).map(segment => (segment === '' || SEGMENT.test(segment) ? segment : '*'))
  return `/${first.join('/')}${segments.length > SEGMENTS ? '/*' : ''}`
}

/** The span of each request. `accept_context` continues the trace of the client (W3C Trace Context). */
export const traceRequests =
  (tracer: Tracer, acceptContext: boolean) =>
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    const parent = acceptContext
      ? propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      : ROOT_CONTEXT
    const { method = '', url = '' } = request
    const route = routeOf(url)
    const attributes = { 'http.request.method': method, 'http.route': route }
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
    response.once('close', () => {
      const cache = response.getHeader('X-Cache')
      span.setAttribute('http.response.status_code', response.statusCode)
      if (typeof cache === 'string') span.setAttribute('assay.cache', cache)
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    context.with(trace.setSpan(parent, span), () => handle(request, response))
  }

/** The span of each check, and of each kind of evidence that it gathers. Must be applied before the gatherers. */
export function traceChecks({ tracer, targets }: SpanOptions): Extension {
  /** By the start of the check, an object that the analysis shares with the gatherers' context. */
  const checks = new WeakMap<Date, Span>()

  function contextOf(now: Date): Context {
    const check = checks.get(now)
    return check === undefined ? context.active() : trace.setSpan(context.active(), check)
  }

  const tracedGatherer =
    (name: string, gather: (gathering: GatherContext) => Promise<unknown>) => (gathering: GatherContext) => {
      const own = contextOf(gathering.now)
      const span = tracer.startSpan(`gather ${name}`, {}, own)
      const work = async () => {
        try {
          return await gather(gathering)
        } catch (error) {
          const declined = asDeclined(error)
          if (declined) span.setAttributes({ 'assay.status': declined.status, 'assay.reason': declined.reason })
          else span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          span.end()
        }
      }
      return context.with(trace.setSpan(own, span), work)
    }

  return {
    name: 'traces',
    description: 'Traces checks and the evidence that they gather.',
    apply(hooks) {
      hooks.analyze.intercept({
        call({ target, now }) {
          const kind = target.url ? 'url' : target.domain === null ? 'ip' : 'domain'
          const targetAttributes = targets ? { 'assay.target': target.domain ?? target.ip ?? '' } : {}
          checks.set(now, tracer.startSpan('check', { attributes: { 'assay.target.kind': kind, ...targetAttributes } }))
        },
      })
      hooks.gather.intercept({
        factory(name, hook) {
          hook?.intercept({
            register: tap =>
              tap.type === 'promise'
                ? { ...tap, fn: tracedGatherer(String(name), tap.fn as (gathering: GatherContext) => Promise<unknown>) }
                : tap,
          })
          return hook
        },
      })
      hooks.settled.tap('traces', ({ analysis, result }) => {
        const span = checks.get(analysis.now)
        if (result === null) span?.setStatus({ code: SpanStatusCode.ERROR })
        else span?.setAttributes(summaryOf(result))
        span?.end()
      })
    },
  }
}

function summaryOf(result: Readonly<Record<string, unknown>>): Attributes {
  const { verdict, recommendation, risk_score, coverage } = result
  return {
    'assay.verdict': String(verdict),
    'assay.recommendation': String(recommendation),
    'assay.risk_score': Number(risk_score),
    'assay.complete': (coverage as { complete?: boolean } | undefined)?.complete === true,
  }
}

/** The span of each DNS query, connection and HTTP request of a check. Requests carry no trace context to anyone. */
export const traceNetwork =
  ({ tracer, targets }: SpanOptions) =>
  (network: CheckNetwork): CheckNetwork => {
    const start = (name: string, attributes: Attributes, targetAttributes: Attributes) =>
      tracer.startSpan(name, {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, ...(targets ? targetAttributes : {}) },
      })
    return {
      ...network,
      resolver: {
        query: (name, type, options) =>
          withSpan(
            start(`dns ${type}`, {}, { 'dns.question.name': name }),
            () => network.resolver.query(name, type, options),
            answer => ({ 'assay.status': answer.status }),
          ),
      },
      connect: request =>
        withSpan(
          start('connect', { 'server.port': request.port, 'assay.purpose': request.purpose ?? 'site' }, {}),
          () => network.connect(request),
          result => (result.ok ? { 'network.type': familyOf(result.address) } : { 'assay.failure': result.failure }),
        ),
      fetch: request =>
        withSpan(
          start('fetch', { 'assay.purpose': request.purpose ?? 'services' }, { 'server.address': hostOf(request.url) }),
          () => network.fetch(request),
          result => ({
            'http.response.status_code': result.exchanges.at(-1)?.status,
            'assay.redirects': Math.max(0, result.exchanges.length - 1),
            ...(result.ok ? {} : { 'assay.failure': result.failure }),
          }),
        ),
    }
  }

const familyOf = (address: string): string => (address.includes(':') ? 'ipv6' : 'ipv4')

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
