// A route as data: the method, the path, and what answers. The operations of the interface are declared with their schemas,
// which validate requests, type the answers and make the OpenAPI document. The table of routes also decides which methods a path
// allows.
import type { TObject, TSchema } from 'typebox'
import type { ProblemCode } from './problem.ts'
import type { Context } from './request_state.ts'

export type Handle = (ctx: Context) => void | Promise<void>

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As @koa/router reads it: `/api/v1/results/:id`. */
  readonly path: string
  /** Most bytes of a request body, which must state its length; bodies are refused when absent. */
  readonly body_octets?: number
}

export interface Route extends Endpoint {
  readonly handle: Handle
}

/** In place of a schema: lines of JSON, and a picture. */
export const LINES = 'lines'
export const PICTURE = 'picture'

/** The answer to a request that is not refused. */
export interface DeclaredAnswer {
  readonly status: 200 | 201 | 202
  readonly description: string
  readonly schema: TSchema | typeof LINES | typeof PICTURE
  /** Besides those of every answer. */
  readonly headers?: TObject
}

/** An operation of the interface. Its name in the table is its `operationId`. */
export interface Operation extends Endpoint {
  readonly summary: string
  readonly description: string
  /** The parameters of the path, all strings. */
  readonly params?: TObject
  readonly query?: TObject
  /** Request headers that matter to this operation. */
  readonly headers?: TObject
  readonly body?: TSchema
  readonly answer: DeclaredAnswer
  /** Instead of `answer`, with a job. */
  readonly later?: DeclaredAnswer
  /** Refusals besides those that any operation may have. */
  readonly problems: readonly ProblemCode[]
  /** Needs no key. */
  readonly is_public?: true
  /** Specification extensions of the OpenAPI document, named `x-…`. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>
}

/** By `operationId`. */
export type Operations = Readonly<Record<string, Operation>>

/** What answers each operation of a table. */
export type Handlers<Table extends Operations> = Readonly<Record<keyof Table, Handle>>

export const routesOf = <Table extends Operations>(table: Table, handlers: Handlers<Table>): readonly Route[] =>
  Object.entries(table).map(([name, { method, path, body_octets }]) => ({
    method,
    path,
    handle: handlers[name as keyof Table],
    ...(body_octets !== undefined && { body_octets }),
  }))

/** Its handler, which first notes the route. */
export const handlerOf =
  ({ path, handle }: Route): Handle =>
  ctx => {
    ctx.state.route = path
    return handle(ctx)
  }

const patternOf = ({ path }: Route): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)

export interface AllowedRequests {
  /** Names of methods, as in the header Allow. */
  readonly methods: readonly string[]
  /** Most bytes of a body, by method; 0 when bodies are refused. */
  bodyOctets(method: string): number
}

/** Answers what requests to a path may be. A path without a route allows GET and HEAD. */
export function allowedRequests(routes: readonly Route[]): (path: string) => AllowedRequests {
  const patterns = routes.map(route => ({ pattern: patternOf(route), route }))
  return path => {
    const matches = patterns.flatMap(({ pattern, route }) => (pattern.test(path) ? [route] : []))
    const methods = matches.map(({ method }) => method)
    const reading = methods.length === 0 || methods.includes('GET') ? ['GET', 'HEAD'] : []
    return {
      methods: [...reading, ...methods.filter(method => method !== 'GET')],
      bodyOctets: name => matches.find(({ method }) => method === name)?.body_octets ?? 0,
    }
  }
}
