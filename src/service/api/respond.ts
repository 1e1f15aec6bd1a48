// Sends responses: status and all headers in one write, without Koa's setters, which cost more than the response.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { bucketEnd, type Usage, usageOf } from '../../config/quota_rule.ts'
import { type ExchangeFormat, mediaTypeOf } from '../../results/exchange/formats.ts'
import type { ShapeOf } from '../shapes.ts'
import { type Coding, codingOf, compressBody, compressedOnce, LEAST_OCTETS } from './compression.ts'
import { type Problem, problemBody } from './problem.ts'
import type { Context, EventStream, Origin, RequestState } from './request_state.ts'
import type { DeclaredAnswer } from './routes.ts'

const json = 'application/json; charset=utf-8'
const problemJson = 'application/problem+json; charset=utf-8'

/** Flat pairs of name and value, the fastest form for `writeHead`. Browsers must not guess another type. */
const nosniff = ['X-Content-Type-Options', 'nosniff'] as const

/** The quota without a valid key: none, until the current month ends. `now` is in milliseconds. */
export const noUsage = (now: number): Usage => usageOf(0, { used: 0, reset: bucketEnd('month', now) / 1000 })

export function privateHeaders(
  { id, usage, cors }: Pick<RequestState, 'id' | 'usage' | 'cors'>,
  now: number,
): string[] {
  const { limit, remaining, reset } = usage ?? noUsage(now)
  return [
    'X-Request-Id',
    id,
    'X-RateLimit-Limit',
    `${limit}`,
    'X-RateLimit-Remaining',
    `${remaining}`,
    'X-RateLimit-Reset',
    `${reset}`,
    'Cache-Control',
    'private, no-store',
    ...nosniff,
    ...cors,
  ]
}

interface ResponseContent {
  readonly type: string
  readonly body: Buffer | string
  /** When `body` is text. */
  readonly encoding?: 'utf8' | 'latin1'
  /** The same, compressed, for answers that have a cheaper way; null for those that are never compressed. */
  readonly compress?: ((coding: Coding) => Buffer) | null
}

/** The same body in another coding is another representation. */
const VARY_CODING = ['Vary', 'Accept-Encoding'] as const

/**
 * The coding of an answer; null when it is sent as it is. Only answers to GET are compressed: what creates something may answer with a secret
 * beside text of the client, and the length of both together would tell of it.
 */
const codingFor = ({ req }: Context): Coding | null =>
  req.method === 'GET' || req.method === 'HEAD' ? codingOf(req.headers['accept-encoding']) : null

/**
 * Ends the response after the body is written. Ending it together with the body makes a second, empty write, and two writes
 * at once take a slower path to the socket.
 */
function send(ctx: Context, status: number, content: ResponseContent, headers: string[]): void {
  const { res } = ctx
  if (res.destroyed) return
  const { type, encoding = 'utf8' } = content
  const body = encodeBody(ctx, status, content, headers)
  headers.push('Content-Type', type, 'Content-Length', `${Buffer.byteLength(body, encoding)}`)
  res.writeHead(status, headers)
  res.write(body, encoding)
  process.nextTick(end, res)
}

/** The body in the coding that the client prefers, which the headers name. */
function encodeBody(ctx: Context, status: number, content: ResponseContent, headers: string[]): Buffer | string {
  const { body, encoding = 'utf8', compress } = content
  if (status !== 200 || compress === null || body.length < LEAST_OCTETS) return body
  headers.push(...VARY_CODING)
  const coding = codingFor(ctx)
  if (coding === null) return body
  headers.push('Content-Encoding', coding)
  return compress?.(coding) ?? compressBody(Buffer.from(body as string, encoding), coding)
}

function end(response: ServerResponse): void {
  response.end()
}

/** A stale result was cached too, so it counts as a hit. */
export const cacheHeader = (origin: Origin): string[] => ['X-Cache', origin === 'MISS' ? 'MISS' : 'HIT']

/** Sends what is made of a check result: JSON as bytes, each a character. `compress` where the result is compressed already. */
export function sendResult(ctx: Context, body: string, now: number, compress?: (coding: Coding) => Buffer): void {
  const headers = privateHeaders(ctx.state, now)
  if (ctx.state.cache) headers.push(...cacheHeader(ctx.state.cache))
  send(ctx, 200, { type: json, body, encoding: 'latin1', ...(compress && { compress }) }, headers)
}

/** Sends a result in another format. */
export function sendExchanged(ctx: Context, format: ExchangeFormat, body: string, now: number): void {
  const headers = privateHeaders(ctx.state, now)
  if (ctx.state.cache) headers.push(...cacheHeader(ctx.state.cache))
  send(ctx, 200, { type: mediaTypeOf(format), body }, headers)
}

/** Sends a private response as JSON. `more` headers are flat pairs of name and value. */
export function sendJson(ctx: Context, status: number, body: object, now: number, more: readonly string[] = []): void {
  send(ctx, status, { type: json, body: JSON.stringify(body) }, [...privateHeaders(ctx.state, now), ...more])
}

/** Sends the answer that an operation declares. */
export function sendAnswer<Schema extends TSchema>(
  ctx: Context,
  { status }: DeclaredAnswer & { readonly schema: Schema },
  body: ShapeOf<Schema>,
  now: number,
  more: readonly string[] = [],
): void {
  sendJson(ctx, status, body as object, now, more)
}

/** The same for JSON that is stored as bytes. */
export function sendBytes(ctx: Context, body: Buffer, now: number): void {
  send(ctx, 200, { type: json, body }, privateHeaders(ctx.state, now))
}

/** Seconds that a badge may be shown although the target was checked again. */
const BADGE_AGE = 300

/** Sends a picture that pages of other sites may show. */
export function sendSvg(ctx: Context, body: string): void {
  const headers = ['X-Request-Id', ctx.state.id, 'Cache-Control', `public, max-age=${BADGE_AGE}`, ...nosniff]
  // A picture that is opened as a page runs nothing and loads nothing.
  headers.push('Content-Security-Policy', "default-src 'none'; sandbox", 'Cross-Origin-Resource-Policy', 'cross-origin')
  send(ctx, 200, { type: 'image/svg+xml; charset=utf-8', body, compress: null }, headers)
}

/** Sends a private picture, which a hostile page has drawn: opened by itself, it runs nothing and loads nothing. */
export function sendWebp(ctx: Context, body: Buffer, now: number): void {
  const policy = [
    'Content-Security-Policy',
    "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ]
  send(ctx, 200, { type: 'image/webp', body, compress: null }, [...privateHeaders(ctx.state, now), ...policy])
}

export function sendProblem(ctx: Context, problem: Problem, now: number): void {
  const headers = [...privateHeaders(ctx.state, now), ...Object.entries(problem.headers).flat()]
  send(ctx, problem.status, { type: problemJson, body: problemBody(problem, ctx.state.id) }, headers)
}

/** Sends a public resource that needs no key: health, the OpenAPI document. */
export function sendPublic(ctx: Context, status: number, body: Buffer | string, cacheControl = 'no-store'): void {
  const headers = ['X-Request-Id', ctx.state.id, 'Cache-Control', cacheControl, ...nosniff, ...ctx.state.cors]
  const compress = typeof body === 'string' ? undefined : (coding: Coding) => compressedOnce(body, coding)
  send(ctx, status, { type: json, body, ...(compress && { compress }) }, headers)
}

/** A complete response as text, for a connection without a valid request; the connection then closes. */
export function rawProblem(problem: Problem, id: string, now: number): string {
  const body = problemBody(problem, id)
  const fields = [...privateHeaders({ id, usage: null, cors: [] }, now), ...Object.entries(problem.headers).flat()]
  fields.push('Content-Type', problemJson, 'Content-Length', `${Buffer.byteLength(body)}`, 'Connection', 'close')
  const lines = fields.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${fields[i + 1]}`] : []))
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}

/** A stream that starts with its first event: until then any other response can be sent. `now` is in milliseconds. */
export function openStream(ctx: Context, now: () => number): EventStream {
  const { res, state } = ctx
  let hasBegun = false
  let hasEnded = false

  /** Headers that are sent before the outcome is known already count this answer (`ahead`). */
  function begin(ahead: 0 | 1): void {
    if (hasBegun || res.destroyed) return
    hasBegun = true
    const { id, usage, cors } = state
    const shownUsage = usage && { ...usage, remaining: Math.max(0, usage.remaining - ahead) }
    const headers = privateHeaders({ id, usage: shownUsage, cors }, now())
    if (state.cache) headers.push(...cacheHeader(state.cache))
    // Proxies must not buffer events.
    headers.push('Content-Type', 'text/event-stream; charset=utf-8', 'X-Accel-Buffering', 'no')
    res.writeHead(200, headers)
  }

  return {
    get begun() {
      return hasBegun
    },
    get ended() {
      return hasEnded
    },
    emit(event) {
      begin(1)
      if (!res.destroyed) res.write(event)
    },
    end(event, encoding = 'utf8') {
      begin(0)
      if (res.destroyed) return
      hasEnded = true
      res.end(event, encoding)
    },
  }
}
