// An OTLP/HTTP collector on loopback: decodes what it gets (JSON encoding) and remembers it.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface Received {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  /** 2 is an error. */
  readonly status: number
}

export interface Collector {
  readonly url: string
  readonly spans: readonly Received[]
  readonly headers: readonly IncomingHttpHeaders[]
  /** Resolves with the span of that name when it arrives. */
  span(name: string): Promise<Received>
  close(): Promise<void>
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
        readonly status: { readonly code: number }
      }[]
    }[]
  }[]
}

export async function startCollector(status = 200): Promise<Collector> {
  const spans: Received[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    headers.push(request.headers)
    if (status === 200) {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Otlp
      const all = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans))
      for (const { name, traceId, spanId, parentSpanId, attributes, status: ended } of all) {
        const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]])
        spans.push({ name, traceId, spanId, parentSpanId, attributes: Object.fromEntries(values), status: ended.code })
      }
    }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    headers,
    async span(name) {
      for (;;) {
        const found = spans.find(span => span.name === name)
        if (found) return found
        await pause(20)
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
