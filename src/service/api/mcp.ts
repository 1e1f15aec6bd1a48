// The route of the Model Context Protocol over HTTP. The protocol is loaded with its first request, because most
// services never get one.
import type { TSchema } from 'typebox'
import type { Registry } from '../../engine/registry.ts'
import type { Callers } from './callers.ts'
import type { McpOptions } from './mcp_exchange.ts'
import type { Route } from './routes.ts'

export interface McpRouteOptions extends Pick<McpOptions, 'answers' | 'resultOf' | 'pictureOf' | 'clock'> {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly registry: Registry
  readonly result_schema: TSchema
}

/** Bytes of a request: a call with the longest URL takes 8 KB. */
const BODY_OCTETS = 64 * 1024

export function mcpRoute({ callers, registry, result_schema, ...rest }: McpRouteOptions): Route {
  let loadedRoute: Promise<(...call: Parameters<Route['handle']>) => Promise<void>> | undefined

  const load = async () => {
    const [{ answerAgent }, { createToolSchemas }, { signalsOf }] = await Promise.all([
      import('./mcp_exchange.ts'),
      import('../mcp/tools.ts'),
      import('../mcp/signals.ts'),
    ])
    const options = { ...rest, schemas: createToolSchemas(result_schema), signals: signalsOf(registry) }
    return async (ctx: Parameters<Route['handle']>[0]) => {
      const key = await callers.authenticate(ctx)
      await callers.account(ctx)
      await answerAgent(options, ctx, key)
    }
  }

  return {
    method: 'POST',
    path: '/mcp',
    body_octets: BODY_OCTETS,
    async handle(ctx) {
      loadedRoute ??= load()
      await (await loadedRoute)(ctx)
    },
  }
}
