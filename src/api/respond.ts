// How answers leave: status and all headers in one go, past Koa's setters, which cost more than the answer.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { periodEnd } from '../store/period.ts'
import type { Usage } from '../store/store.ts'
import { type Problem, problemBody } from './problem.ts'
import type { Context, Origin, Visit } from './visit.ts'

const json = 'application/json; charset=utf-8'
const problemJson = 'application/problem+json; charset=utf-8'

/** Flat pairs of name and value, as `writeHead` takes them fastest. Nothing here is ever to be sniffed for another type. */
const guarded = ['X-Content-Type-Options', 'nosniff'] as const

/** The quota as one without a valid key sees it: none, until the present month ends. `now` in milliseconds. */
export const noUsage = (now: number): Usage => ({
  limit: 0,
  used: 0,
  remaining: 0,
  reset: periodEnd('month', now) / 1000,
})

export function privateHeaders({ id, usage }: Pick<Visit, 'id' | 'usage'>, now: number): string[] {
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
    ...guarded,
  ]
}

interface Content {
  readonly type: string
  readonly body: Buffer | string
  /** Of a text. */
  readonly encoding?: 'utf8' | 'latin1'
}

/**
 * The end waits until the body has been written: told with it, it is a second, empty write, and two at once go a
 * longer way to the socket than one.
 */
function send(ctx: Context, status: number, { type, body, encoding = 'utf8' }: Content, headers: string[]): void {
  ctx.respond = false
  const { res } = ctx
  if (res.destroyed) return
  headers.push('Content-Type', type, 'Content-Length', `${Buffer.byteLength(body, encoding)}`)
  res.writeHead(status, headers)
  res.write(body, encoding)
  process.nextTick(end, res)
}

function end(response: ServerResponse): void {
  response.end()
}

/** What is stale was kept too, which is all that this header tells. */
export const cacheHeader = (origin: Origin): string[] => ['X-Cache', origin === 'MISS' ? 'MISS' : 'HIT']

/** A check's result, to the one who paid for it. `body` is what `finishBody` made. */
export function sendResult(ctx: Context, body: string, now: number): void {
  const headers = privateHeaders(ctx.state, now)
  if (ctx.state.cache) headers.push(...cacheHeader(ctx.state.cache))
  send(ctx, 200, { type: json, body, encoding: 'latin1' }, headers)
}

export function sendProblem(ctx: Context, problem: Problem, now: number): void {
  const headers = [...privateHeaders(ctx.state, now), ...Object.entries(problem.headers).flat()]
  send(ctx, problem.status, { type: problemJson, body: problemBody(problem, ctx.state.id) }, headers)
}

/** What anybody may read and nobody needs to keep for long: health, the interface's description. */
export function sendPublic(ctx: Context, status: number, body: Buffer | string, cacheControl = 'no-store'): void {
  const headers = ['X-Request-Id', ctx.state.id, 'Cache-Control', cacheControl, ...guarded]
  send(ctx, status, { type: json, body }, headers)
}

/** A whole response as text, for requests that never became one; the connection ends with it. */
export function rawProblem(problem: Problem, id: string, now: number): string {
  const body = problemBody(problem, id)
  const fields = [...privateHeaders({ id, usage: null }, now), ...Object.entries(problem.headers).flat()]
  fields.push('Content-Type', problemJson, 'Content-Length', `${Buffer.byteLength(body)}`, 'Connection', 'close')
  const lines = fields.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${fields[i + 1]}`] : []))
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
