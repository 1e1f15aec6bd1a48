// A route as data: the method, the path, and what answers. The table of routes also decides which methods a path allows.
import type { Context } from './request_state.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As @koa/router reads it: `/api/v1/results/:id`. */
  readonly path: string
  handle(ctx: Context): void | Promise<void>
}

const patternOf = ({ path }: Route): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)

/** Answers which methods a path allows besides GET and HEAD. A path without a route allows these two. */
export function methodsAllowed(routes: readonly Route[]): (path: string) => readonly string[] {
  const patterns = routes.map(route => ({ pattern: patternOf(route), method: route.method }))
  return path => {
    const methods = patterns.flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : []))
    const reading = methods.length === 0 || methods.includes('GET') ? ['GET', 'HEAD'] : []
    return [...reading, ...methods.filter(method => method !== 'GET')]
  }
}
