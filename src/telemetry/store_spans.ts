// The spans of the store. Calls that are answered at once, as most of the embedded store's, have none.
import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { Backend } from '../store/backend.ts'

type Call = (...values: unknown[]) => unknown

export function traceStore(tracer: Tracer, backend: Backend): Backend {
  const now = () => performance.timeOrigin + performance.now()

  /** Starts the span afterwards, when it is known that there is something to wait for. */
  function timed<T>(name: string, call: () => T): T {
    const startTime = now()
    const value = call()
    if (!(value instanceof Promise)) return value
    const span = tracer.startSpan(`store ${name}`, { kind: SpanKind.CLIENT, startTime })
    const failed = () => {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
    value.then(() => span.end(), failed)
    return value
  }

  function traced<Part extends object>(name: string, part: Part): Part {
    const methods = new Map<PropertyKey, Call>(
      Object.entries(part).flatMap(([member, value]) =>
        typeof value === 'function'
          ? [[member, (...values: unknown[]) => timed(`${name}.${member}`, () => (value as Call).apply(part, values))]]
          : [],
      ),
    )
    return new Proxy({} as Part, {
      get: (_, member) => methods.get(member) ?? Reflect.get(part, member, part),
    })
  }

  const { keys, quota, results, claims } = backend
  return {
    ...backend,
    keys: traced('keys', keys),
    quota: traced('quota', quota),
    results: traced('results', results),
    claims: traced('claims', claims),
  }
}
