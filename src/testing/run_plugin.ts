// Runs a plugin as the service does: includes contract, options, schema and weights. The evidence is hand-written, or gathered
// by the built-in gatherers from the lab's internet.
import type { Static, TSchema } from 'typebox'
import { describeError } from '../base/errors.ts'
import { didYouMean, faultLine } from '../base/fault.ts'
import { readSettings } from '../config/config.ts'
import type { Analysis } from '../engine/analysis.ts'
import { AnalysisUnavailable } from '../engine/analysis.ts'
import { sectionSignals } from '../engine/compose.ts'
import { BUILT_IN, kindsOf } from '../engine/contract.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { Analyzer, Description, Evidence, Extension, Plugin } from '../engine/plugin.ts'
import { createRegistry, isAnalyzer, type PluginSetting, type Registry } from '../engine/registry.ts'
import { presentationsOf } from '../engine/report/presentations.ts'
import { DEFAULT_GROUPS } from '../engine/scoring/groups.ts'
import { pointsAlone, weigh } from '../engine/scoring/score.ts'
import { builtInEvidence } from '../evidence/evidence.ts'
import { NotApplicable } from '../evidence/facts.ts'
import { createNetwork } from '../network/create_network.ts'
import { createGuard } from '../network/guard.ts'
import { createService } from '../service/service.ts'
import { parseTarget, requestFor, type Target, unvetted } from '../targets/target.ts'
import type { LabInternet } from './lab_internet.ts'
import { addressesOf } from './page_of.ts'

export interface RunPluginOptions {
  /** A name, an address or a URL; `example.com` by default. */
  readonly target?: string
  /**
   * Evidence by name: a value, or an error (`new Unavailable('timeout')`). Without an internet, addresses have a default, and
   * optional evidence that is not given is null.
   */
  readonly evidence?: Partial<Record<keyof Evidence, unknown>>
  /** Settings by plugin name, as in the configuration. */
  readonly plugins?: Readonly<Record<string, PluginSetting | true>>
  /** The time of the check. */
  readonly now?: Date
  /** The internet from which the built-in and the plugin's own gatherers gather what is not given; none by default. */
  readonly internet?: LabInternet
  /** Resolves although the plugin breaks the contract or throws, with what it did as `defects`. */
  readonly may_fail?: boolean
}

/**
 * The section's outcome as in `coverage`, the section as in the result, and each signal with its points before
 * ceilings: its weight times its strength.
 */
export interface PluginOutcome<Section = unknown> {
  readonly status: string
  readonly reason: string | null
  /** Null unless the status is `completed`. */
  readonly section: Section | null
  readonly signals: readonly { readonly id: string; readonly points: number; readonly detail: string | null }[]
  /** The section as people see it; null without a section. */
  readonly shown: Description | null
  /** What the service would log; empty unless `may_fail` is set. */
  readonly defects: readonly unknown[]
}

/**
 * Checks one target with one plugin, or with a source and the analyzer that reads it. Rejects with an `Error` that says what is
 * wrong: every error of contract and settings, evidence that is missing or unknown, or what the plugin broke when it ran.
 */
export function runPlugin<Section extends TSchema>(
  plugin: Plugin & { readonly schema: Section },
  options?: RunPluginOptions,
): Promise<PluginOutcome<Static<Section>>>
/** With a source, the compiler cannot tell the section: state its type, as in `runPlugin<{ present: boolean }>(plugins)`. */
export function runPlugin<Section = unknown>(
  plugin: Plugin | readonly Plugin[],
  options?: RunPluginOptions,
): Promise<PluginOutcome<Section>>
export async function runPlugin(
  plugin: Plugin | readonly Plugin[],
  options: RunPluginOptions = {},
): Promise<PluginOutcome> {
  const list = Array.isArray(plugin) ? (plugin as readonly Plugin[]) : [plugin as Plugin]
  const analyzer = list.find(isAnalyzer)
  if (!analyzer) throw new Error('none of the plugins is an analyzer: pass the source together with the analyzer')
  const { plugins = {}, internet, may_fail = false } = options
  const settings = { plugins: { [analyzer.name]: true as const, ...plugins }, groups: DEFAULT_GROUPS }
  const { registry, faults } = createRegistry(
    list.map(one => ({ plugin: one, origin: 'test' })),
    settings,
  )
  if (faults.length > 0) throw new Error(faults.map(faultLine).join('\n'))
  const evidence = internet
    ? (options.evidence ?? {})
    : { addresses: addressesOf('93.184.216.34'), ...options.evidence }
  requireEvidence(evidence, analyzer, list, internet !== undefined)
  const { engine, close } = await openEngine(registry, evidence, options)
  let observation: Analysis | undefined
  const observe = (analysis: Analysis) => {
    observation = analysis
  }
  await engine
    .check(targetOf(options.target ?? 'example.com'), { observe })
    .catch(acceptNoResult)
    .finally(close)
  return outcomeOf(registry, analyzer.name, observation, may_fail)
}

/** A misspelt or forgotten kind of evidence would only show as a section that is unavailable. */
function requireEvidence(evidence: object, analyzer: Analyzer, plugins: readonly Plugin[], isGathered: boolean): void {
  const providedNames = plugins.flatMap(plugin => ('provides' in plugin ? kindsOf(plugin.provides) : []))
  const kinds: readonly string[] = [...builtInEvidence, ...providedNames]
  for (const name of Object.keys(evidence)) {
    if (!kinds.includes(name))
      throw new Error(`"evidence" has "${name}", which is not a kind of evidence${didYouMean(name, kinds)}`)
  }
  for (const name of analyzer.needs) {
    if (!isGathered && !(name in evidence) && !providedNames.includes(name))
      throw new Error(
        `${analyzer.name} needs "${name}": give it in "evidence", or pass an "internet" to gather it from`,
      )
  }
}

async function openEngine(
  registry: Registry,
  evidence: Readonly<Record<string, unknown>>,
  { now = new Date(), internet }: RunPluginOptions,
): Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }> {
  const clock = { now: () => now.getTime(), monotonic: () => performance.now() }
  if (internet) {
    const { config } = readSettings(settingsFor(internet), process.cwd(), { variables: {} })
    const options = { dial: internet.dial, extra_roots: internet.root, extensions: [fixedEvidence(evidence)] }
    const { engine, close } = await createService({ config, registry, clock, ...options })
    return { engine, close }
  }
  const network = createNetwork({ resolvers: [NOWHERE], guard: createGuard({ own: () => [] }) })
  const engine = createEngine({
    registry: {
      ...registry,
      extensions: [withOrigin(fixedEvidence(evidence)), ...registry.extensions, withOrigin(absent)],
    },
    open: scope => network.open(scope),
    deadline_ms: 8_000,
    policy: 'test',
    clock,
  })
  return { engine, close: () => network.close() }
}

/** Nothing outside the lab is contacted, and nothing is kept. */
const settingsFor = ({ dns }: LabInternet) => ({
  network: { resolvers: [dns.address] },
  downloads: { enabled: false },
  green_hosting: { enabled: false },
})

const withOrigin = (extension: Extension) => ({ ...extension, origin: BUILT_IN })

/** The service refuses to answer when no section has a result; a test may still need the outcome. */
function acceptNoResult(error: unknown): void {
  if (!(error instanceof AnalysisUnavailable)) throw error
}

function outcomeOf(registry: Registry, name: string, analysis: Analysis | undefined, mayFail: boolean): PluginOutcome {
  const { status, reason, section } = analysis?.outcomes.get(name) ?? { status: 'failed', reason: null, section: null }
  const signals = weigh(analysis === undefined ? [] : sectionSignals(registry, analysis.outcomes)).map(one => ({
    id: one.signal.id,
    points: pointsAlone(one),
    detail: one.signal.detail ?? null,
  }))
  const defects = [...(analysis?.defects ?? [])]
  const presentations = presentationsOf(registry, (plugin, error) =>
    defects.push({ plugin, stage: 'presentation.describe', error }),
  )
  const context = { isWhole: reason === null, domain: analysis?.target.domain ?? null }
  const description = section === null ? null : presentations.section(name).describe(section, context)
  const [defect] = defects
  if (defect && !mayFail)
    throw new Error(`${defect.plugin} failed at ${defect.stage}: ${describeError(defect.error)}`, {
      cause: defect.error,
    })
  return { status, reason, section, signals, shown: description, defects: defects.map(({ error }) => error) }
}

const fixedEvidence = (evidence: Readonly<Record<string, unknown>>): Extension => ({
  name: 'given_evidence',
  description: 'Provides the evidence of the test.',
  apply(hooks) {
    for (const [name, value] of Object.entries(evidence)) {
      hooks.gather.for(name).tapPromise({ name: 'given_evidence', stage: -1 }, async () => {
        if (value instanceof Error) throw value
        return value
      })
    }
  },
})

const absent: Extension = {
  name: 'absent_evidence',
  description: 'Stands in for evidence that the test does not give.',
  apply(hooks) {
    for (const name of builtInEvidence) {
      hooks.gather.for(name).tapPromise('absent_evidence', async () => {
        throw new NotApplicable('not_given')
      })
    }
  },
}

/** A resolver address without a listener, for tests without an internet. */
const NOWHERE = '127.0.0.1:9'

function targetOf(text: string): Target {
  const parsed = parseTarget(requestFor(text), unvetted)
  if (parsed.ok) return parsed.target
  throw new Error(parsed.detail)
}
