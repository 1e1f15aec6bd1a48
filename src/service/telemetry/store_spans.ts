// The spans of the store.
import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { Backend } from '../../store/backend.ts'

/** The calls of requests and checks that may wait for the database. */
const tracedMethods = {
  keys: ['find', 'create', 'createFirst', 'rotate', 'revoke', 'list', 'ofAccount', 'holder', 'usages', 'usageByDay'],
  quota: ['usage', 'charge'],
  results: ['get', 'getStale', 'put', 'meet', 'read', 'list', 'share', 'shares', 'unshare', 'shared', 'firstSeen'],
  claims: ['claim', 'advance', 'renew'],
} as const satisfies { readonly [Part in keyof Backend]?: readonly (keyof Backend[Part])[] }

type StoreCall = (...values: unknown[]) => unknown

export function traceStore(tracer: Tracer, backend: Backend): Backend {
  const timeCall =
    (name: string, call: StoreCall) =>
    async (...values: unknown[]): Promise<unknown> => {
      const span = tracer.startSpan(`store ${name}`, { kind: SpanKind.CLIENT })
      try {
        return await call(...values)
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    }

  /** What is not traced is read from the part itself, such as a number that changes. */
  function withSpans<Part extends object>(name: string, part: Part, members: readonly (keyof Part)[]): Part {
    const calls = new Map<PropertyKey, StoreCall>(
      members.map(member => [member, timeCall(`${name}.${String(member)}`, (part[member] as StoreCall).bind(part))]),
    )
    return new Proxy(part, { get: (_, member) => calls.get(member) ?? Reflect.get(part, member, part) })
  }

  const { keys, quota, results, claims } = backend
  return {
    ...backend,
    keys: withSpans('keys', keys, tracedMethods.keys),
    quota: withSpans('quota', quota, tracedMethods.quota),
    results: withSpans('results', results, tracedMethods.results),
    claims: withSpans('claims', claims, tracedMethods.claims),
  }
}
