// Runs a plugin as the service does, with hand-written evidence: includes contract, options, schema and weights.
import type { Analysis } from '../engine/analysis.ts'
import { AnalysisUnavailable } from '../engine/analysis.ts'
import { sectionSignals } from '../engine/compose.ts'
import { createEngine } from '../engine/engine.ts'
import { faultLine } from '../engine/fault.ts'
import type { Description, Evidence, EvidenceName, Extension, Plugin } from '../engine/plugin.ts'
import { createRegistry, isAnalyzer, type PluginSetting, type Registry } from '../engine/registry.ts'
import { createNetwork } from '../network/create_network.ts'
import { createFetch } from '../network/fetch.ts'
import { createGuard } from '../network/guard.ts'
import type { Network } from '../network/network.ts'
import { presentationsOf } from '../report/presentations.ts'
import { DEFAULT_GROUPS } from '../scoring/groups.ts'
import { pointsAlone, weigh } from '../scoring/score.ts'
import { parseTarget, requestFor, type Target, unvetted } from '../targets/target.ts'
import type { LabInternet } from './lab_internet.ts'
import { addressesOf } from './page_of.ts'

export interface RunPluginOptions {
  /** A name or an address; `example.com` by default. */
  readonly target?: string
  /** Evidence by name: a value, or an error (`new Unavailable('timeout')`). Addresses have a default. */
  readonly evidence?: Partial<Record<keyof Evidence, unknown>>
  /** Settings by plugin name, as in the configuration. */
  readonly plugins?: Readonly<Record<string, PluginSetting | true>>
  /** The time of the check. */
  readonly now?: Date
  /** The internet for the plugin's own gatherers; none by default. */
  readonly internet?: LabInternet
}

/**
 * The section's outcome as in `coverage`, the section as in the result, and each signal with its points before
 * ceilings: its weight times its strength.
 */
export interface PluginOutcome {
  readonly status: string
  readonly reason: string | null
  readonly section: unknown
  readonly signals: readonly { readonly id: string; readonly points: number; readonly detail: string | null }[]
  /** The section as people see it; null without a section. */
  readonly shown: Description | null
  /** The plugin's defects, which the service would log; those of `describe` included. */
  readonly defects: readonly unknown[]
}

/**
 * Checks one target with one plugin, or with a source and the analyzer that reads it. Rejects with an `Error` that
 * lists all errors of contract and settings, or when there is no analyzer.
 */
export async function runPlugin(
  plugin: Plugin | readonly Plugin[],
  options: RunPluginOptions = {},
): Promise<PluginOutcome> {
  const given = Array.isArray(plugin) ? (plugin as readonly Plugin[]) : [plugin as Plugin]
  const analyzer = given.find(isAnalyzer)
  if (!analyzer) throw new Error('none of the plugins is an analyzer')
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

/** The service refuses to answer when no section has a result; a test may still need the outcome. */
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
  const defects = seen?.defects.map(({ error }) => error) ?? []
  const presentations = presentationsOf(registry, (_, error) => defects.push(error))
  const described = { isWhole: reason === null, domain: seen?.target.domain ?? null }
  const shown = section === null ? null : presentations.section(name).describe(section, described)
  return { status, reason, section, signals, shown, defects }
}

const fixed = (evidence: Readonly<Record<string, unknown>>): Extension => ({
  name: 'given_evidence',
  description: 'Provides the evidence of the test.',
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

/** A resolver address without a listener, for tests without an internet. */
const NOWHERE = '127.0.0.1:9'

const networkOf = (internet: LabInternet | undefined): Network =>
  createNetwork({
    resolvers: [internet?.dns.address ?? NOWHERE],
    guard: createGuard({ own: () => [] }),
    ...(internet ? { dial: internet.dial, fetch: createFetch({ extra_roots: internet.root }) } : {}),
  })

function targetOf(text: string): Target {
  const parsed = parseTarget(requestFor(text), unvetted)
  if (parsed.ok) return parsed.target
  throw new Error(parsed.detail)
}
