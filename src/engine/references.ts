// Checks references in plugins and settings: to evidence that must have a gatherer, and to groups that signals use.

import { describeError } from '../base/errors.ts'
import { didYouMean, type Fault } from '../base/fault.ts'
import { builtInEvidence } from '../evidence/evidence.ts'
import { kindsOf, type LoadedPlugin, type Prove } from './contract.ts'
import { createHooks, gatheredKinds } from './hooks.ts'
import type { Analyzer, Extension } from './plugin.ts'
import { DEFAULT_GROUPS } from './scoring/groups.ts'

type Groups = Readonly<Record<string, number>>

export interface ReadyExtension extends Extension {
  readonly origin: string
  /** Its options with defaults filled in, if any. */
  readonly optionValues?: unknown
  readonly prove?: Prove
}

interface EnabledAnalyzer {
  readonly analyzer: Analyzer
  readonly origin: string
  readonly enabled: boolean
}

/**
 * Returns errors in the configured ceilings, and the ceilings to use. A default replaces one with the wrong sign, which
 * would otherwise cause an error for every signal in its group.
 */
export function checkedGroups(
  loadedPlugins: readonly LoadedPlugin[],
  groups: Groups,
): { groups: Groups; faults: Fault[] } {
  const usedGroups = new Set([...Object.keys(DEFAULT_GROUPS), ...loadedPlugins.flatMap(groupsUsed)])
  const faults: Fault[] = []
  const sound = Object.entries(groups).map(([name, ceiling]) => {
    const fault = (message: string) => faults.push({ path: `scoring.groups.${name}`, message })
    const usual = Object.hasOwn(DEFAULT_GROUPS, name) ? DEFAULT_GROUPS[name] : undefined
    if (!usedGroups.has(name)) fault(`unknown group: no signal uses it${didYouMean(name, usedGroups)}`)
    if (usual === undefined || usual * ceiling >= 0) return [name, ceiling]
    fault(`must be ${usual > 0 ? '0 or more' : '0 or less'}, like the weights in this group`)
    return [name, usual]
  })
  return { groups: Object.fromEntries(sound), faults }
}

/** The argument is an untyped object of unknown origin. */
function groupsUsed({ plugin }: LoadedPlugin): string[] {
  const signals = (plugin as { readonly signals?: unknown } | null | undefined)?.signals
  if (typeof signals !== 'object' || signals === null) return []
  return Object.values(signals).flatMap(signal => (typeof signal?.group === 'string' ? [signal.group] : []))
}

/** Evidence by the extension that declares it, including disabled and faulty extensions. */
export interface Provision {
  readonly evidence: string
  readonly by: string
  /** The configuration disables that extension. */
  readonly off: boolean
}

export function providedBy(
  loadedPlugins: readonly LoadedPlugin[],
  plugins: Readonly<Record<string, unknown>>,
): Provision[] {
  return loadedPlugins.flatMap(({ plugin }) => {
    const { name, provides } = (plugin ?? {}) as { readonly name?: unknown; readonly provides?: unknown }
    return kindsOf(provides).map(evidence => ({ evidence, by: String(name), off: plugins[String(name)] === false }))
  })
}

const knownWith = (provisions: readonly Provision[]): readonly string[] => [
  ...builtInEvidence,
  ...provisions.map(({ evidence }) => evidence),
]

/** Errors in the evidence that an active extension gathers, compared with what it declares. */
export function gatheringFaults(extension: ReadyExtension, provisions: readonly Provision[]): Fault[] {
  const fault = (message: string): Fault => ({ path: `plugin ${extension.name} (${extension.origin})`, message })
  const provides = kindsOf(extension.provides)
  try {
    const gatheredNames = gatheredKinds(createHooks(), hooks => extension.apply(hooks, extension.optionValues as never))
    const knownEvidence = knownWith(provisions)
    const strange = gatheredNames.filter(name => !knownEvidence.includes(name))
    const idle = provides.filter(name => !gatheredNames.includes(name))
    return [
      ...strange.map(name =>
        fault(
          `gathers "${name}", which is neither built-in evidence nor in "provides"${didYouMean(name, knownEvidence)}`,
        ),
      ),
      ...idle.map(name => fault(`"provides" names "${name}", but "apply" registers no gatherer for it`)),
    ]
  } catch (error) {
    return [fault(`cannot be applied: ${describeError(error)}`)]
  }
}

const NO_PROVIDER = ': no loaded plugin provides it, and it is not built in'

/** Errors for evidence that an analyzer reads and nothing gathers. */
export function evidenceFaults(
  { analyzer, origin, enabled }: EnabledAnalyzer,
  provisions: readonly Provision[],
): Fault[] {
  const path = `plugin ${analyzer.name} (${origin})`
  const knownEvidence = knownWith(provisions)
  const unknownNames = (['needs', 'wants'] as const).flatMap(key =>
    (analyzer[key] ?? [])
      .filter(name => !knownEvidence.includes(name))
      .map(name => `"${key}": unknown evidence "${name}"${didYouMean(name, knownEvidence) || NO_PROVIDER}`),
  )
  const absent = analyzer.needs.flatMap(name => {
    const sources = provisions.filter(({ evidence }) => evidence === name)
    if (!enabled || builtInEvidence.includes(name) || sources.some(({ off }) => !off)) return []
    return sources.slice(0, 1).map(({ by }) => `needs "${name}", but ${by}, which provides it, is disabled`)
  })
  return [...unknownNames, ...absent].map(message => ({ path, message }))
}
