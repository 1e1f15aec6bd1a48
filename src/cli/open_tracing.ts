// OpenTelemetry traces of a running service.

import type { Config } from '../config/config.ts'
import type { Log } from '../service/api/log.ts'
import type { Tracing } from '../service/telemetry/tracing.ts'

/** Loads OpenTelemetry only when an endpoint is configured: without one it costs neither memory nor time. */
export async function openTracing(config: Config['telemetry']['traces'], log: Log): Promise<Tracing | null> {
  const { endpoint } = config
  if (endpoint === null) return null
  const { createTracing } = await import('../service/telemetry/tracing.ts')
  return createTracing({ ...config, endpoint }, why => log.warn({ telemetry: 'traces-not-exported', why }))
}
