// CORS: pages of other origins that may read responses (Fetch standard, section 3.2). @koa/cors does not fit: it has one list of methods
// for all paths, marks every path, and sets headers one by one, which takes Node's slow way through `writeHead`.
import type { IncomingMessage } from 'node:http'
import { pathOf } from './request_line.ts'
import type { Context, Next } from './request_state.ts'
import type { AllowedRequests } from './routes.ts'

/** Allows every origin. */
const ANY_ORIGIN = '*'

/** Response headers that scripts may read besides the safelisted ones. */
const exposedHeaders = [
  'X-Cache',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Retry-After',
  'Location',
  'Preference-Applied',
  'WWW-Authenticate',
  'Allow',
].join(', ')

/** Request headers that some operation reads, besides the safelisted ones. */
const acceptedHeaders = [
  'X-API-Key',
  'Authorization',
  'X-Request-Id',
  'Content-Type',
  'Prefer',
  'MCP-Protocol-Version',
  'MCP-Session-Id',
  'Mcp-Method',
  'Mcp-Name',
].join(', ')

/** Seconds that browsers cache a preflight response: how long an origin stays allowed after it is removed. */
const preflightSeconds = 600

/** Everything that an API key opens, and its description. Health, metrics and pages are not shared across origins. */
const isShared = (path: string): boolean => path.startsWith('/api/') || path === '/mcp' || path === '/openapi.json'

export type Cors = ReturnType<typeof createCors>

/**
 * Lets pages of these origins call every operation and read any response. `origins` are written as a browser sends them, or `*`
 * alone. A page of another origin gets the same response, which its browser withholds. `allowedAt` knows the methods of a path.
 */
export function createCors(origins: readonly string[], allowedAt: (path: string) => Pick<AllowedRequests, 'methods'>) {
  const isAny = origins.includes(ANY_ORIGIN)
  const allowlist = new Set(origins)
  const varying = isAny ? [] : ['Vary', 'Origin']
  const isAllowed = (origin: string | undefined) => isAny || (origin !== undefined && allowlist.has(origin))
  const allowing = (origin: string | undefined) =>
    isAllowed(origin) ? ['Access-Control-Allow-Origin', isAny ? ANY_ORIGIN : `${origin}`] : []
  return {
    /** The headers of the response to a request, as flat pairs. */
    headersFor({ url = '', headers: { origin } }: IncomingMessage): readonly string[] {
      if (!isShared(pathOf(url))) return []
      const exposing = isAllowed(origin) ? ['Access-Control-Expose-Headers', exposedHeaders] : []
      return [...varying, ...allowing(origin), ...exposing]
    },
    /** Answers preflights; other requests go to the next handler. */
    preflight(ctx: Context, next: Next): unknown {
      const { origin, 'access-control-request-method': requestMethod } = ctx.req.headers
      const isPreflight = ctx.method === 'OPTIONS' && origin !== undefined && requestMethod !== undefined
      if (!isPreflight || !isShared(ctx.path) || !isAllowed(origin)) return next()
      answerPreflight(ctx, allowedAt(ctx.path).methods, [...varying, ...allowing(origin)])
    },
  }
}

function answerPreflight({ res, state }: Context, methods: readonly string[], headers: readonly string[]): void {
  res
    .writeHead(204, [
      'X-Request-Id',
      state.id,
      ...headers,
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      acceptedHeaders,
      'Access-Control-Max-Age',
      `${preflightSeconds}`,
    ])
    .end()
}
