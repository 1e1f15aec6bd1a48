// Plugins made ready: every contract, option and weight checked before the first check, all faults together.
import type { EvidenceName } from '../evidence/evidence.ts'
import type { SignalDefinition } from '../scoring/signal.ts'
import { contractFaults, type Elsewhere, type Loaded, weightFault } from './contract.ts'
import { didYouMean, type Fault } from './fault.ts'
import { fillDefaults, sectionValidator, type Validator } from './json_schema.ts'
import type { Analyzer, Extension, Plugin } from './plugin.ts'

/** What the configuration says of one plugin; `false` switches it off. */
export type PluginSetting =
  | false
  | { readonly options?: Readonly<Record<string, unknown>>; readonly weights?: Readonly<Record<string, number>> }

export interface Settings {
  readonly plugins: Readonly<Record<string, PluginSetting | true>>
  readonly groups: Readonly<Record<string, number>>
}

/** An analyzer with its options filled in and its weights as configured. */
export interface ReadyAnalyzer {
  readonly analyzer: Analyzer
  readonly origin: string
  readonly enabled: boolean
  readonly options: unknown
  readonly signals: Readonly<Record<string, SignalDefinition>>
  /** Of its section. */
  readonly complaint: Validator
  /** In place of its own `analyze`, when it does not run in this process. */
  readonly elsewhere?: Elsewhere
}

export interface ReadyExtension extends Extension {
  readonly origin: string
  /** Its options with their defaults; none when absent. */
  readonly given?: unknown
}

export interface Registry {
  /** In registration order, disabled ones included. */
  readonly analyzers: readonly ReadyAnalyzer[]
  /** Optional ones that are off: they have no part in results. */
  readonly offered: readonly ReadyAnalyzer[]
  /** Those in force. */
  readonly extensions: readonly ReadyExtension[]
  readonly groups: Readonly<Record<string, number>>
  /** Ends what plugins run in beside this process. To be called when no check needs them any more. */
  close(): void
}

/** What an analyzer is shown: first what it cannot do without, then what it would like. */
export const evidenceOf = ({ needs, wants = [] }: Analyzer): readonly EvidenceName[] => [...needs, ...wants]

export const isAnalyzer = (plugin: Plugin): plugin is Analyzer => 'analyze' in plugin

/** Makes plugins ready under the settings, or says everything that is wrong with them. */
export function createRegistry(loaded: readonly Loaded[], settings: Settings): { registry: Registry; faults: Fault[] } {
  const faults: Fault[] = [...settingFaults(loaded, settings)]
  const taken = new Map<string, string>()
  const sound = loaded.filter(entry => {
    const found = contractFaults(entry, taken, settings.groups)
    faults.push(...found)
    return found.length === 0
  })
  const analyzers: ReadyAnalyzer[] = []
  const offered: ReadyAnalyzer[] = []
  const extensions: ReadyExtension[] = []
  for (const { plugin, origin, elsewhere } of sound) {
    if (isAnalyzer(plugin)) {
      const setting = settings.plugins[plugin.name] ?? !plugin.optional
      const ready = makeReady(plugin, origin, setting, settings.groups)
      faults.push(...ready.faults)
      const list = plugin.optional && !ready.analyzer.enabled ? offered : analyzers
      list.push({ ...ready.analyzer, ...(elsewhere && { elsewhere }) })
    } else {
      const ready = readyExtension(plugin, origin, settings.plugins[plugin.name] ?? true)
      faults.push(...ready.faults)
      extensions.push(...ready.extensions)
    }
  }
  const close = () => {
    for (const { end } of loaded) end?.()
  }
  return { registry: { analyzers, offered, extensions, groups: settings.groups, close }, faults }
}

function settingFaults(loaded: readonly Loaded[], settings: Settings): Fault[] {
  const known = new Set(loaded.map(({ plugin }) => plugin?.name))
  return Object.keys(settings.plugins)
    .filter(name => !known.has(name))
    .map(name => ({ path: `plugins.${name}`, message: `no plugin has this name${didYouMean(name, known)}` }))
}

function readyExtension(plugin: Extension, origin: string, setting: PluginSetting | true) {
  if (setting === false) return { extensions: [], faults: [] }
  const { value, faults } = fillOptions(plugin, typeof setting === 'object' ? setting.options : {})
  const apply: Extension['apply'] = (hooks, options) => plugin.apply(hooks, options)
  return { extensions: [{ ...plugin, apply, origin, given: value }], faults }
}

function makeReady(analyzer: Analyzer, origin: string, setting: PluginSetting | boolean, groups: Settings['groups']) {
  const given = typeof setting === 'object' ? setting : {}
  const options = fillOptions(analyzer, given.options)
  const weights = overrideWeights(analyzer, given.weights ?? {}, groups)
  const ready: ReadyAnalyzer = {
    analyzer,
    origin,
    enabled: setting !== false,
    options: options.value,
    signals: weights.signals,
    complaint: sectionValidator(analyzer.schema),
  }
  return { analyzer: ready, faults: [...options.faults, ...weights.faults] }
}

function fillOptions({ name, options }: Plugin, given: Readonly<Record<string, unknown>> = {}) {
  const path = `plugins.${name}.options`
  if (!options) {
    const faults = Object.keys(given).map(key => ({ path: `${path}.${key}`, message: 'this plugin has no options' }))
    return { value: {}, faults }
  }
  return fillDefaults(options, given, path)
}

function overrideWeights(
  analyzer: Analyzer,
  weights: Readonly<Record<string, number>>,
  groups: Readonly<Record<string, number>>,
) {
  const ids = Object.keys(analyzer.signals)
  const faults = Object.entries(weights).flatMap(([id, weight]) => {
    const signal = Object.hasOwn(analyzer.signals, id) ? (analyzer.signals[id as never] as SignalDefinition) : undefined
    const message = signal
      ? weightFault({ ...signal, weight }, groups)
      : `${analyzer.name} has no such signal${didYouMean(id, ids)}`
    return message ? [{ path: `plugins.${analyzer.name}.weights.${id}`, message }] : []
  })
  const signals = Object.fromEntries(
    Object.entries(analyzer.signals).map(([id, signal]) => {
      const weight = Object.hasOwn(weights, id) ? weights[id] : undefined
      return [id, { ...signal, weight: weight ?? signal.weight }]
    }),
  )
  return { signals, faults }
}
