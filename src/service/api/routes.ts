// A route as data: the method, the path, and what answers. The table of routes also decides which methods a path allows.
import type { Context } from './request_state.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As @koa/router reads it: `/api/v1/results/:id`. */
  readonly path: string
  /** Most bytes of a request body, which must state its length; bodies are refused when absent. */
  readonly body_octets?: number
  handle(ctx: Context): void | Promise<void>
}

/** Its handler, which first notes the route. */
export const handlerOf =
  ({ path, handle }: Route) =>
  (ctx: Context): void | Promise<void> => {
    ctx.state.route = path
    return handle(ctx)
  }

const patternOf = ({ path }: Route): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)

export interface Allowed {
  /** Names of methods, as in the header Allow. */
  readonly methods: readonly string[]
  /** Most bytes of a body, by method; 0 when bodies are refused. */
  bodyOctets(method: string): number
}

/** Answers what requests to a path may be. A path without a route allows GET and HEAD. */
export function allowedRequests(routes: readonly Route[]): (path: string) => Allowed {
  const patterns = routes.map(route => ({ pattern: patternOf(route), route }))
  return path => {
    const found = patterns.flatMap(({ pattern, route }) => (pattern.test(path) ? [route] : []))
    const methods = found.map(({ method }) => method)
    const reading = methods.length === 0 || methods.includes('GET') ? ['GET', 'HEAD'] : []
    return {
      methods: [...reading, ...methods.filter(method => method !== 'GET')],
      bodyOctets: asked => found.find(({ method }) => method === asked)?.body_octets ?? 0,
    }
  }
}
