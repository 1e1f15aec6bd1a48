// assay as a library: `createEngine` runs checks in your own process, with the configuration of the service.
import { releaseOnError } from './base/errors.ts'
import { faultsText } from './base/fault.ts'
import { readSettings } from './config/config.ts'
import { readEnvironment } from './config/environment.ts'
import type { Guard } from './network/guard.ts'
import { loadConfigured } from './service/configured.ts'
import { createService, type ServiceOptions } from './service/service.ts'
import { parseTarget, requestFor, type Target, type TargetRequest } from './targets/target.ts'

/** As in schemas/check-result.json; which sections exist depends on the plugins that are loaded. */
export interface Result {
  readonly domain: string | null
  readonly ip: string | null
  readonly url: string | null
  readonly final_url: string | null
  readonly host_verdict: 'safe' | 'suspicious' | 'malicious' | null
  readonly risk_score: number
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  readonly is_malicious: boolean
  /** `phishing`, `malware`, `scam`, ...; empty when none is known, and where `allow` is recommended. */
  readonly threat_types: readonly string[]
  readonly recommendation: 'allow' | 'review' | 'block'
  readonly recommendation_reason: string
  readonly confidence: 'high' | 'medium' | 'low'
  readonly signals: readonly string[]
  readonly coverage: { readonly complete: boolean; readonly ratio: number }
  readonly [field: string]: unknown
}

export interface AssayOptions extends Pick<ServiceOptions, 'dial' | 'extra_roots' | 'clock'> {
  /** The base directory of relative paths and plugin names; the current directory by default. */
  readonly base?: string
}

export interface Assay {
  /** What an operator should know at startup: missing datasets, third parties that learn the targets. */
  readonly notices: readonly string[]
  /**
   * Checks a name, an address, the page of a URL, or a name at one of its addresses. With `visit: false` the site is not
   * contacted; with `render: true` a browser opens the page, if the configuration has one. Rejects with a `TypeError` for an invalid target,
   * with `AnalysisUnavailable` when nothing could be looked up, and with `Cancelled` when `signal` aborts.
   */
  check(
    target: string | { readonly domain: string; readonly ip?: string },
    options?: { readonly signal?: AbortSignal; readonly visit?: boolean; readonly render?: boolean },
  ): Promise<Result>
  /** Ends running checks and releases timers and sockets. */
  close(): Promise<void>
}

/**
 * Opens an engine with a configuration as in schemas/config.json; settings for HTTP, keys and quota have no effect.
 * Resolves within seconds, after the blocklists have been proved. Rejects with an `Error` that lists every
 * configuration error.
 */
export async function createEngine(configuration: object = {}, options: AssayOptions = {}): Promise<Assay> {
  const { base = process.cwd(), ...parts } = options
  const environment = readEnvironment()
  const reading = readSettings(configuration, base, { variables: environment.variables ?? {} })
  const registryResult = await loadConfigured(reading, base)
  if (!registryResult.ok) throw new Error(faultsText(registryResult.faults))
  const { registry } = registryResult
  const { extra_roots } = environment
  const service = await releaseOnError(registry.close, () =>
    createService({ config: reading.config, registry, extra_roots, ...parts }),
  )
  await service.start()
  return {
    notices: service.notices,
    async check(subject, { signal, visit = true, render = false } = {}) {
      if (render === true && service.rendering === null)
        throw new TypeError('The option render requires rendering.browser in the configuration.')
      const began = performance.now()
      const { result } = await service.engine.check(
        targetOf(subject, { visit, render }, service.guard),
        signal ? { signal } : {},
      )
      const processTimeMs = Math.round(performance.now() - began)
      return { ...result, process_time_ms: processTimeMs, cached: false } as unknown as Result
    },
    close: () => service.close(),
  }
}

function targetOf(
  subject: Parameters<Assay['check']>[0],
  how: Required<Pick<TargetRequest, 'visit' | 'render'>>,
  guard: Guard,
): Target {
  const request: Partial<TargetRequest> = typeof subject === 'string' ? requestFor(subject) : (subject ?? {})
  const { domain = null, ip = null, url = null } = request
  // Callers in JavaScript may pass anything.
  if (![domain, ip, url].every(text => text === null || typeof text === 'string'))
    throw new TypeError('The target must be a string (name, address or URL) or { domain, ip } with strings.')
  for (const [name, value] of Object.entries(how))
    if (typeof value !== 'boolean') throw new TypeError(`The option ${name} must be true or false.`)
  const parsed = parseTarget({ domain, ip, url, ...how }, guard)
  if (parsed.ok) return parsed.target
  throw new TypeError(parsed.detail)
}
