// assay as a library: `createEngine`, in one's own process, with the configuration that the service takes.
import { isIP } from 'node:net'
import { builtInPlugins } from '../plugins/index.ts'
import { type ReadConfig, readSettings } from './config/config.ts'
import { readEnvironment } from './config/environment.ts'
import { loadRegistry } from './config/plugins.ts'
import { exposedSecrets } from './config/settings_file.ts'
import { faultsText } from './engine/fault.ts'
import { releaseOnError } from './errors.ts'
import type { Guard } from './network/guard.ts'
import { createService, type ServiceOptions } from './service.ts'
import { parseTarget, type Target } from './targets/target.ts'

/** As in schemas/check-result.json; sections of plugins that are loaded or switched off differ accordingly. */
export interface Result {
  readonly domain: string | null
  readonly ip: string | null
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
  /** Directory that relative paths and names of plugins start from; the current one when absent. */
  readonly base?: string
}

export interface Assay {
  /** What an operator should know at the start: absent datasets, third parties that learn the targets. */
  readonly notices: readonly string[]
  /**
   * Checks a name, an address, or a name at one of its addresses. Rejects with a `TypeError` that says why a target is
   * none, with `AnalysisUnavailable` when nothing could be looked at, with `Cancelled` when `signal` aborts.
   */
  check(
    target: string | { readonly domain: string; readonly ip?: string },
    options?: { readonly signal?: AbortSignal },
  ): Promise<Result>
  /** Ends what is under way, and lets go of timers and sockets. */
  close(): Promise<void>
}

/**
 * Opens an engine under a configuration as in schemas/config.json; what concerns HTTP, keys and quota has no effect.
 * Blocklists are proven before it resolves, within some seconds. Rejects with an `Error` that lists every fault.
 */
export async function createEngine(configuration: object = {}, options: AssayOptions = {}): Promise<Assay> {
  const { base = process.cwd(), ...parts } = options
  const environment = readEnvironment()
  const read = readSettings(configuration, base, { variables: environment.variables ?? {} })
  const { registry, faults } = await loadRegistry(builtInPlugins, read.config, base)
  const all = [...read.faults, ...faults, ...read.exposed.flatMap(file => exposedSecrets(file, registry))]
  if (all.length > 0) registry.close()
  requireSound(all)
  const { extra_roots } = environment
  const service = await releaseOnError(registry.close, () =>
    createService({ config: read.config, registry, extra_roots, ...parts }),
  )
  await service.start()
  return {
    notices: service.notices,
    async check(asked, { signal } = {}) {
      const began = performance.now()
      const { result } = await service.engine.check(targetOf(asked, service.guard), signal ? { signal } : {})
      const process_time_ms = Math.round(performance.now() - began)
      return { ...result, process_time_ms, cached: false } as unknown as Result
    },
    close: () => service.close(),
  }
}

function requireSound(faults: ReadConfig['faults']): void {
  if (faults.length > 0) throw new Error(faultsText(faults))
}

function targetOf(asked: Parameters<Assay['check']>[0], guard: Guard): Target {
  const { domain = null, ip = null } = typeof asked === 'string' ? nameOrAddress(asked) : (asked ?? {})
  // The compiler holds only callers in TypeScript to it.
  if (![domain, ip].every(text => text === null || typeof text === 'string'))
    throw new TypeError('A target is a name, an address, or { domain, ip } of texts.')
  const parsed = parseTarget({ domain, ip }, guard)
  if (parsed.ok) return parsed.target
  throw new TypeError(parsed.detail)
}

const nameOrAddress = (text: string): { domain: string | null; ip: string | null } =>
  isIP(text) === 0 ? { domain: text, ip: null } : { domain: null, ip: text }
