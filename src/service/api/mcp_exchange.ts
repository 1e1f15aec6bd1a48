// The Model Context Protocol over HTTP (streamable, stateless): the same tools as `assay mcp`, with keys and quotas.

import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Clock } from '../../base/clock.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import { diffResults } from '../../results/diff/diff.ts'
import type { Result as Kept } from '../../results/diff/known.ts'
import { type Key, StoreError } from '../../store/store.ts'
import type { TargetRequest } from '../../targets/target.ts'
import { createTools, type Desk, type SignalInfo, ToolError, type ToolSchemas } from '../mcp/tools.ts'
import { type Answers, resultOf } from './answers.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { privateHeaders } from './respond.ts'

export interface McpOptions {
  readonly answers: Answers
  /** The kept result of an account, as JSON. Rejects with a `Problem`. */
  readonly resultOf: (account: string, id: string) => Promise<Buffer>
  /** A picture of a kept result. Rejects with a `Problem`. Absent where no page is rendered. */
  readonly pictureOf?: ((account: string, id: string, kind: string) => Promise<Buffer>) | undefined
  readonly schemas: ToolSchemas
  readonly signals: ReadonlyMap<string, SignalInfo>
  readonly clock: Clock
}

/** Answers one message of an agent with a valid key. */
export async function answerAgent(options: McpOptions, ctx: Context, key: Key): Promise<void> {
  const { schemas, clock } = options
  const handler = createMcpHandler(() => createTools(deskOf(options, ctx, key), schemas))
  const response = await handler.fetch(requestOf(ctx, await text(ctx.req)))
  await send(ctx, response, clock.now())
}

/** Headers of the protocol; others are not passed on. */
const PASSED_HEADERS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const

function requestOf({ req, res }: Context, body: string): Request {
  const headers = PASSED_HEADERS.flatMap(name => {
    const value = req.headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  const closing = new AbortController()
  res.once('close', () => closing.abort())
  // The host plays no part: one server has one endpoint.
  return new Request('http://localhost/mcp', { method: 'POST', headers, body, signal: closing.signal })
}

async function send(ctx: Context, response: Response, now: number): Promise<void> {
  const { res } = ctx
  if (res.destroyed) return
  const type = response.headers.get('content-type')
  res.writeHead(response.status, [...privateHeaders(ctx.state, now), ...(type === null ? [] : ['Content-Type', type])])
  if (response.body === null) res.end()
  else Readable.fromWeb(response.body as ReadableStream).pipe(res)
}

/** The query string of a check. */
function queryOf({ domain, ip, url, visit, render }: TargetRequest): string {
  const query = new URLSearchParams({ visit: String(visit), ...(render && { render: 'true' }) })
  for (const [name, value] of Object.entries({ domain, ip, url })) if (value != null) query.set(name, value)
  return query.toString()
}

/** A refused check is an answer to the agent; a defect is not. */
function toldTo(error: unknown): unknown {
  if (error instanceof Problem) return new ToolError(`${error.message} (${error.code})`)
  if (error instanceof AnalysisUnavailable)
    return new ToolError(error.detail ?? 'Nothing could be looked up, so there is no verdict. Try again later.')
  return error instanceof StoreError
    ? new ToolError('The request cannot be counted at present. Try again later.')
    : error
}

function deskOf(
  { answers, resultOf: storedResult, pictureOf, signals, clock }: McpOptions,
  ctx: Context,
  key: Key,
): Desk {
  const picture = async (id: string, kind: string) => {
    try {
      return (await pictureOf?.(key.account, id, kind)) ?? Buffer.alloc(0)
    } catch (error) {
      throw toldTo(error)
    }
  }
  return {
    ...(pictureOf && { picture }),
    signals,
    async check(request, signal) {
      try {
        const began = clock.monotonic()
        const checkAnswer = await answers.answer({
          key,
          requested: answers.read(queryOf(request)),
          began,
          listener: null,
          until: work => work(signal),
          isAbandoned: () => signal.aborted,
        })
        ctx.state.usage = checkAnswer.usage
        return resultOf(checkAnswer, Math.round(clock.monotonic() - began))
      } catch (error) {
        throw toldTo(error)
      }
    },
    async compare(from, to) {
      try {
        const [before, after] = await Promise.all([from, to].map(id => storedResult(key.account, id)))
        return diffResults(JSON.parse(String(before)) as Kept, JSON.parse(String(after)) as Kept)
      } catch (error) {
        throw toldTo(error)
      }
    },
  }
}
