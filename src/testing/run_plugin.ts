// Runs a plugin as the service does, on evidence that a test writes out: contract, options, schema and weights included.
import type { Analysis } from '../engine/analysis.ts'
import { sectionSignals } from '../engine/compose.ts'
import { createEngine } from '../engine/engine.ts'
import { faultLine } from '../engine/fault.ts'
import { AnalysisUnavailable } from '../engine/outcome.ts'
import type { Evidence, EvidenceName, Extension, Plugin } from '../engine/plugin.ts'
import { createRegistry, isAnalyzer, type PluginSetting, type Registry } from '../engine/registry.ts'
import { createNetwork } from '../network/create_network.ts'
import { createFetch } from '../network/fetch.ts'
import { createGuard } from '../network/guard.ts'
import type { Network } from '../network/network.ts'
import { DEFAULT_GROUPS } from '../scoring/groups.ts'
import { pointsAlone, weigh } from '../scoring/score.ts'
import { parseTarget, type Target, unvetted } from '../targets/target.ts'
import type { LabInternet } from './lab_internet.ts'
import { addressesOf } from './page_of.ts'

export interface RunPluginOptions {
  /** A name or an address; `example.com` when absent. */
  readonly target?: string
  /** By kind: what was gathered, or an error (`new Unavailable('timeout')`) for what was not. Addresses are there unless given. */
  readonly evidence?: Partial<Record<keyof Evidence, unknown>>
  /** As in the configuration, by plugin name. */
  readonly plugins?: Readonly<Record<string, PluginSetting | true>>
  /** The moment of the check. */
  readonly now?: Date
  /** What gatherers of the plugin's own may reach; nothing when absent. */
  readonly internet?: LabInternet
}

/** How the section came out: as in `coverage`, as in the result, and each signal with what it is worth by itself: its weight times its strength. */
export interface PluginOutcome {
  readonly status: string
  readonly reason: string | null
  readonly section: unknown
  readonly signals: readonly { readonly id: string; readonly points: number; readonly detail: string | null }[]
  /** What the log would say of the plugin. */
  readonly defects: readonly unknown[]
}

/**
 * Checks one target with one plugin, or with a source and the analyzer that reads it. Rejects with an `Error` that lists
 * every fault of contract and settings, and when there is no analyzer.
 */
export async function runPlugin(
  plugin: Plugin | readonly Plugin[],
  options: RunPluginOptions = {},
): Promise<PluginOutcome> {
  const given = Array.isArray(plugin) ? (plugin as readonly Plugin[]) : [plugin as Plugin]
  const analyzer = given.find(isAnalyzer)
  if (!analyzer) throw new Error('no analyzer among the plugins')
  const { evidence = {}, plugins = {}, now = new Date(), internet } = options
  const loaded = [fixed({ addresses: addressesOf('93.184.216.34'), ...evidence }), ...given]
  const settings = { plugins: { [analyzer.name]: true as const, ...plugins }, groups: DEFAULT_GROUPS }
  const { registry, faults } = createRegistry(
    loaded.map(one => ({ plugin: one, origin: 'test' })),
    settings,
  )
  if (faults.length > 0) throw new Error(faults.map(faultLine).join('\n'))
  const network = networkOf(internet)
  const engine = createEngine({
    registry,
    open: scope => network.open(scope),
    deadline_ms: 8_000,
    policy: 'test',
    clock: { now: () => now.getTime(), monotonic: () => performance.now() },
  })
  let seen: Analysis | undefined
  const observe = (analysis: Analysis) => {
    seen = analysis
  }
  await engine.check(targetOf(options.target ?? 'example.com'), { observe }).catch(acceptNoResult)
  await network.close()
  return outcomeOf(registry, analyzer.name, seen)
}

/** The service has no answer when no section has one; a test may want to see that. */
function acceptNoResult(error: unknown): void {
  if (!(error instanceof AnalysisUnavailable)) throw error
}

function outcomeOf(registry: Registry, name: string, seen: Analysis | undefined): PluginOutcome {
  const { status, reason, section } = seen?.outcomes.get(name) ?? { status: 'failed', reason: null, section: null }
  const signals = weigh(seen === undefined ? [] : sectionSignals(registry, seen.outcomes)).map(weighed => ({
    id: weighed.found.id,
    points: pointsAlone(weighed),
    detail: weighed.found.detail ?? null,
  }))
  return { status, reason, section, signals, defects: seen?.defects.map(({ error }) => error) ?? [] }
}

const fixed = (evidence: Readonly<Record<string, unknown>>): Extension => ({
  name: 'given_evidence',
  description: 'Answers with what the test wrote out.',
  provides: Object.keys(evidence) as EvidenceName[],
  apply(hooks) {
    for (const [name, value] of Object.entries(evidence)) {
      hooks.gather.for(name).tapPromise({ name: 'given_evidence', stage: -1 }, async () => {
        if (value instanceof Error) throw value
        return value
      })
    }
  },
})

/** A resolver that nobody listens at, where there is no internet. */
const NOWHERE = '127.0.0.1:9'

const networkOf = (internet: LabInternet | undefined): Network =>
  createNetwork({
    resolvers: [internet?.dns.address ?? NOWHERE],
    guard: createGuard({ own: () => [] }),
    ...(internet ? { dial: internet.dial, fetch: createFetch({ extra_roots: internet.root }) } : {}),
  })

function targetOf(text: string): Target {
  const asIp = parseTarget({ domain: null, ip: text }, unvetted)
  const parsed = asIp.ok ? asIp : parseTarget({ domain: text, ip: null }, unvetted)
  if (parsed.ok) return parsed.target
  throw new Error(parsed.detail)
}
