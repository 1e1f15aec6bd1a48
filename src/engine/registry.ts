// Prepares plugins: validates every contract, option and weight before the first check and reports all errors together.

import { didYouMean, type Fault } from '../base/fault.ts'
import type { EvidenceName } from '../evidence/evidence.ts'
import { compositesOf } from './composites_of.ts'
import { contractFaults, type Elsewhere, evidenceSchemas, type LoadedPlugin, type Prove } from './contract.ts'
import { weightFault } from './declared_signals.ts'
import { fillDefaults, sectionValidator, type Validator } from './json_schema.ts'
import type { Analyzer, Extension, Plugin } from './plugin.ts'
import {
  checkedGroups,
  evidenceFaults,
  gatheringFaults,
  type Provision,
  providedBy,
  type ReadyExtension,
} from './references.ts'
import type { Composite } from './scoring/composites.ts'
import { type Severity, severityFault, severityOf } from './scoring/severity.ts'
import type { RatedSignal, SignalDefinition } from './scoring/signal.ts'

export type { ReadyExtension } from './references.ts'

/** The configuration of one plugin; `false` disables it. */
export type PluginSetting =
  | false
  | {
      readonly options?: Readonly<Record<string, unknown>>
      readonly weights?: Readonly<Record<string, number>>
      readonly severities?: Readonly<Record<string, Severity>>
    }

export interface Settings {
  readonly plugins: Readonly<Record<string, PluginSetting | true>>
  readonly groups: Readonly<Record<string, number>>
  /** By ID, over the defaults; `false` disables one. */
  readonly composites?: Readonly<Record<string, Composite | false>>
}

/** An analyzer with its options, and with the configured weights and severities. */
export interface ReadyAnalyzer {
  readonly analyzer: Analyzer
  readonly origin: string
  readonly enabled: boolean
  readonly options: unknown
  readonly signals: Readonly<Record<string, RatedSignal>>
  /** Validates its section. */
  readonly complaint: Validator
  /** Replaces the plugin's own functions when it runs outside this process. */
  readonly elsewhere?: Elsewhere
  readonly prove?: Prove
}

export interface Registry {
  /** In registration order, including disabled ones. */
  readonly analyzers: readonly ReadyAnalyzer[]
  /** Optional analyzers that are disabled and do not appear in results. */
  readonly offered: readonly ReadyAnalyzer[]
  /** The active extensions. */
  readonly extensions: readonly ReadyExtension[]
  /** Validates the kinds of evidence for which an extension declares a schema. */
  readonly evidence: Readonly<Record<string, Validator>>
  readonly groups: Readonly<Record<string, number>>
  readonly composites: Readonly<Record<string, Composite>>
  /** Ends the processes that plugins run in. Call it when no check needs them any more. */
  close(): void
}

/** The evidence an analyzer receives: required kinds first, then optional ones. */
export const evidenceOf = ({ needs, wants = [] }: Analyzer): readonly EvidenceName[] => [...needs, ...wants]

export const isAnalyzer = (plugin: Plugin): plugin is Analyzer => 'analyze' in plugin

/** Prepares plugins with the settings, or returns all errors. */
export function createRegistry(
  loadedPlugins: readonly LoadedPlugin[],
  settings: Settings,
): { registry: Registry; faults: Fault[] } {
  const { groups, faults: ofGroups } = checkedGroups(loadedPlugins, settings.groups)
  const faults: Fault[] = [...settingFaults(loadedPlugins, settings), ...ofGroups]
  const owners = new Map<string, string>()
  const sound = loadedPlugins.filter(entry => {
    const entryFaults = contractFaults(entry, owners, groups)
    faults.push(...entryFaults)
    return entryFaults.length === 0
  })
  const provisions = providedBy(loadedPlugins, settings.plugins)
  const analyzers: ReadyAnalyzer[] = []
  const offered: ReadyAnalyzer[] = []
  const extensions: ReadyExtension[] = []
  for (const { plugin, origin, elsewhere, prove } of sound) {
    if (isAnalyzer(plugin)) {
      const setting = settings.plugins[plugin.name] ?? !plugin.optional
      const ready = makeReady(plugin, origin, setting, groups)
      faults.push(...ready.faults)
      const list = plugin.optional && !ready.analyzer.enabled ? offered : analyzers
      list.push({ ...ready.analyzer, ...(elsewhere && { elsewhere }), ...(prove && { prove }) })
    } else {
      const ready = readyExtension(plugin, origin, settings.plugins[plugin.name] ?? true, provisions)
      faults.push(...ready.faults)
      extensions.push(...ready.extensions.map(one => ({ ...one, ...(prove && { prove }) })))
    }
  }
  faults.push(...[...analyzers, ...offered].flatMap(one => evidenceFaults(one, provisions)))
  const close = () => {
    for (const { end } of loadedPlugins) end?.()
  }
  const { composites, faults: ofComposites } = compositesOf(
    [...analyzers, ...offered],
    settings.composites ?? {},
    groups,
  )
  faults.push(...ofComposites)
  const evidence = Object.assign({}, ...extensions.map(evidenceValidators))
  return { registry: { analyzers, offered, extensions, evidence, groups, composites, close }, faults }
}

const evidenceValidators = ({ provides }: ReadyExtension): Record<string, Validator> =>
  Object.fromEntries(
    Object.entries(evidenceSchemas(provides)).map(([kind, schema]) => [kind, sectionValidator(schema as object)]),
  )

/** What is wrong with plugins outside this process that only their functions show. */
export async function provedFaults({ analyzers, offered, extensions }: Registry): Promise<Fault[]> {
  const all = [
    ...[...analyzers, ...offered].map(({ analyzer, options, ...rest }) => ({
      ...rest,
      ...analyzer,
      optionValues: options,
    })),
    ...extensions,
  ]
  const proofs = all.map(async ({ name, origin, optionValues, prove }) =>
    ((await prove?.(optionValues)) ?? []).map(message => ({ path: `plugin ${name} (${origin})`, message })),
  )
  return (await Promise.all(proofs)).flat()
}

function settingFaults(loadedPlugins: readonly LoadedPlugin[], settings: Settings): Fault[] {
  const pluginNames = new Set(loadedPlugins.map(({ plugin }) => plugin?.name))
  return Object.keys(settings.plugins)
    .filter(name => !pluginNames.has(name))
    .map(name => {
      const hint = didYouMean(name, pluginNames) || ': add its module to "load", or remove this setting'
      return { path: `plugins.${name}`, message: `unknown plugin${hint}` }
    })
}

function readyExtension(
  plugin: Extension,
  origin: string,
  setting: PluginSetting | true,
  provisions: readonly Provision[],
) {
  if (setting === false) return { extensions: [], faults: [] }
  const { value, faults } = fillOptions(plugin, typeof setting === 'object' ? setting.options : {})
  const apply: Extension['apply'] = (hooks, options) => plugin.apply(hooks, options)
  const ready: ReadyExtension = { ...plugin, apply, origin, optionValues: value }
  return { extensions: [ready], faults: faults.length > 0 ? faults : gatheringFaults(ready, provisions) }
}

function makeReady(analyzer: Analyzer, origin: string, setting: PluginSetting | boolean, groups: Settings['groups']) {
  const pluginSettings = typeof setting === 'object' ? setting : {}
  const options = fillOptions(analyzer, pluginSettings.options)
  const tuning = tuneSignals(analyzer, pluginSettings, groups)
  const ready: ReadyAnalyzer = {
    analyzer,
    origin,
    enabled: setting !== false,
    options: options.value,
    signals: tuning.signals,
    complaint: sectionValidator(analyzer.schema),
  }
  return { analyzer: ready, faults: [...options.faults, ...tuning.faults] }
}

function fillOptions({ name, options }: Plugin, configuredOptions: Readonly<Record<string, unknown>> = {}) {
  const path = `plugins.${name}.options`
  if (!options) {
    const faults = Object.keys(configuredOptions).map(key => ({
      path: `${path}.${key}`,
      message: 'the plugin has no options',
    }))
    return { value: {}, faults }
  }
  return fillDefaults(options, configuredOptions, path)
}

type Tuning = Exclude<PluginSetting, false>

/**
 * The signals with the configured weights and severities. An undeclared severity follows from the plugin's own weight.
 */
function tuneSignals(analyzer: Analyzer, { weights = {}, severities = {} }: Tuning, groups: Settings['groups']) {
  const declaredSignals: Readonly<Record<string, SignalDefinition>> = analyzer.signals
  const faultsOf = <Value>(
    key: 'weights' | 'severities',
    overrides: Readonly<Record<string, Value>>,
    faultOf: (signal: SignalDefinition, value: Value) => string | null,
  ) =>
    Object.entries(overrides).flatMap(([id, value]) => {
      const signal = own(declaredSignals, id)
      const message = signal
        ? faultOf(signal, value)
        : `${analyzer.name} has no signal with this name${didYouMean(id, Object.keys(declaredSignals))}`
      return message ? [{ path: `plugins.${analyzer.name}.${key}.${id}`, message }] : []
    })
  const faults = [
    ...faultsOf('weights', weights, (signal, weight) => weightFault({ ...signal, weight }, groups)),
    ...faultsOf('severities', severities, (signal, severity) => severityFault({ ...signal, severity })),
  ]
  const signals = Object.fromEntries(
    Object.entries(analyzer.signals).map(([id, { when: _, ...signal }]) => {
      const weight = own(weights, id) ?? signal.weight
      return [id, { ...signal, weight, severity: own(severities, id) ?? severityOf(signal) }]
    }),
  )
  return { signals, faults }
}

const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
