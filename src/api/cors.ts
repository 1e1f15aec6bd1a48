// CORS: pages of other origins that may read responses (Fetch standard, section 3.2). @koa/cors does not fit: it sets headers
// one by one before `writeHead`, while this service sends all headers of a response in one call.
import type { Context, Next } from './request_state.ts'

/** Allows every origin. */
const ANY_ORIGIN = '*'

/** Response headers that scripts may read besides the safelisted ones. */
const exposed = [
  'X-Cache',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Retry-After',
].join(', ')

/** Request headers that scripts may set besides the safelisted ones. */
const accepted = 'X-API-Key, X-Request-Id'

/** Seconds that browsers cache a preflight response: how long an origin stays allowed after it is removed. */
const preflightSeconds = 600

/** Health, metrics and pages are not shared across origins. */
const isShared = (path: string): boolean => path.startsWith('/api/') || path === '/openapi.json'

/**
 * Adds the headers that let pages of these origins read any response, and answers preflights. `origins` are written as a
 * browser sends them, or `*` alone. A page of another origin gets the same response, which its browser withholds.
 */
export function allowOrigins(origins: readonly string[]) {
  const isAny = origins.includes(ANY_ORIGIN)
  const allowed = new Set(origins)
  const varying = isAny ? [] : ['Vary', 'Origin']
  return (ctx: Context, next: Next) => {
    const { origin, 'access-control-request-method': asked } = ctx.req.headers
    if (!isShared(ctx.path)) return next()
    const isAllowed = isAny || (origin !== undefined && allowed.has(origin))
    const allowing = isAllowed ? ['Access-Control-Allow-Origin', isAny ? ANY_ORIGIN : `${origin}`] : []
    if (ctx.method === 'OPTIONS' && origin !== undefined && asked !== undefined && isAllowed) {
      return answerPreflight(ctx, [...varying, ...allowing])
    }
    ctx.state.cors = [...varying, ...allowing, ...(isAllowed ? ['Access-Control-Expose-Headers', exposed] : [])]
    return next()
  }
}

function answerPreflight(ctx: Context, headers: readonly string[]): void {
  ctx.respond = false
  ctx.res
    .writeHead(204, [
      ...['X-Request-Id', ctx.state.id],
      ...headers,
      ...['Access-Control-Allow-Methods', 'GET, HEAD'],
      ...['Access-Control-Allow-Headers', accepted],
      ...['Access-Control-Max-Age', `${preflightSeconds}`],
    ])
    .end()
}
