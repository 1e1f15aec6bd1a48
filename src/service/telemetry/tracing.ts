// OpenTelemetry traces, exported by OTLP over HTTP. Loaded only when they are switched on: the SDK costs memory and time at
// the start. The collector is the operator's, like PostgreSQL: it is contacted directly, also on private addresses, and its address
// comes from the configuration alone. Nothing that is sent to targets tells of a trace.
import { context, DiagLogLevel, diag } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { version } from '../../base/package_root.ts'
import { withTimeout } from '../../base/timeout.ts'
import type { Config } from '../../config/config.ts'
import type { Backend } from '../../store/backend.ts'
import { traceChecks, traceNetwork, traceRequests } from './spans.ts'
import { traceStore } from './store_spans.ts'

export type Tracing = ReturnType<typeof createTracing>

/** Spans that wait for the collector, about 4 MB; later ones are dropped while it does not answer. */
const QUEUE = 4_096
const BATCH = 512
/** Milliseconds between exports, for one export with its retries, and for the last one. */
const EVERY_MS = 2_000
const EXPORT_MS = 5_000
const LAST_MS = 2_000
/** Exports at once; a slow collector must not collect connections. */
const EXPORTS = 2
/** Characters of an attribute, and attributes of a span. */
const ATTRIBUTE = { length: 253, count: 16 }

export type TracingConfig = Config['telemetry']['traces'] & { readonly endpoint: string }

/** `onFailure` gets a word for why spans could not be exported. */
export function createTracing(config: TracingConfig, onFailure: (why: string) => void) {
  const { endpoint, headers, sample, targets, accept_context, service_name } = config
  diag.setLogger(quietly(onFailure), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: EXPORTS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service_name, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanLimits: { attributeValueLengthLimit: ATTRIBUTE.length, attributeCountLimit: ATTRIBUTE.count },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('assay', version)
  return {
    /** Must be applied before the gatherers. */
    extension: traceChecks({ tracer, targets }),
    request: traceRequests(tracer, accept_context),
    network: traceNetwork({ tracer, targets }),
    store: (backend: Backend) => traceStore(tracer, backend),
    /** Exports what is left, for at most two seconds. Never rejects. */
    async close() {
      await withTimeout(
        provider.shutdown().catch(() => {}),
        LAST_MS,
      )
      context.disable()
      diag.disable()
    },
  }
}

/** A system error, a status or a time limit: the whole message may hold the collector's address or its answer. */
const WHY = /\b(?:E[A-Z]{4,}|status(?: code)? \d{3}|[45]\d\d|[Tt]imed? ?out|dropped)\b/

function quietly(onFailure: (why: string) => void) {
  const tell = (message: string, ...more: unknown[]) =>
    onFailure(WHY.exec(`${message} ${more.map(describe).join(' ')}`)?.[0] ?? 'unknown')
  const ignore = () => {}
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore }
}

const describe = (value: unknown): string =>
  value instanceof Error ? `${value.message} ${Reflect.get(value, 'code')}` : String(value)
