// Checks that a loaded object fulfils the plugin contract, before it runs.
import { presentationFaults } from '../presentation/declared.ts'
import { severityFault } from '../scoring/severity.ts'
import type { SignalDefinition } from '../scoring/signal.ts'
import { isThreatTypes, THREAT_TYPES } from '../scoring/threats.ts'
import type { Fault } from './fault.ts'
import { didYouMean } from './fault.ts'
import { sectionAjv, settingsAjv } from './json_schema.ts'
import type { AnalysisContext, Analyzer, Extension, Plugin } from './plugin.ts'
import { HEAD, TAIL } from './result_fields.ts'

/** The origin of built-in plugins; that of others is the specifier they were loaded by. */
export const BUILT_IN = 'built-in'

/**
 * Runs the analyzer outside this process; its answer is validated like any other. Resolves within `left_ms`
 * milliseconds; rejects with what the analyzer threw, or with `Broken` when there was no answer.
 */
export type Elsewhere = (evidence: object, context: AnalysisContext<unknown>, left_ms: number) => Promise<unknown>

/** A plugin and its origin. */
export interface Loaded {
  readonly plugin: Plugin
  readonly origin: string
  /** Used in place of the plugin's own `analyze`. */
  readonly elsewhere?: Elsewhere
  /** Releases the process it runs in; may be called more than once. */
  readonly end?: () => void
}

/** Valid names of plugins and signals. */
export const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/**
 * Returns what is wrong with the plugin, an untyped object of unknown origin. `taken` maps every used name (plugins,
 * result fields, signal IDs) to its owner; the plugin's names are added.
 */
export function contractFaults(
  { plugin, origin }: Loaded,
  taken: Map<string, string>,
  groups: Readonly<Record<string, number>>,
): Fault[] {
  const name = typeof plugin?.name === 'string' ? plugin.name : ''
  const fault = (message: string): Fault => ({ path: `plugin ${name || '(unnamed)'} (${origin})`, message })
  if (!SNAKE_CASE.test(name)) return [fault('"name" must be snake_case')]
  const messages = [
    ...(typeof plugin.description === 'string' ? [] : ['"description" must be a string']),
    ...claim([name, ...namesOf(plugin)], `plugin ${name} (${origin})`, taken),
    ...('analyze' in plugin
      ? analyzerFaults({ plugin: plugin as Analyzer, origin }, taken, groups)
      : extensionFaults(plugin as Extension, origin)),
  ]
  return messages.map(fault)
}

function namesOf({ aliases, fields }: Partial<Analyzer> & Partial<Extension>): string[] {
  return [...(isTexts(aliases) ? aliases : []), ...Object.keys(fields ?? {})]
}

export const isTexts = (list: unknown): list is readonly string[] =>
  Array.isArray(list) && list.every(one => typeof one === 'string')

function claim(names: readonly string[], owner: string, taken: Map<string, string>): string[] {
  return names.flatMap(name => {
    if (name in HEAD || name in TAIL) return [`"${name}" is a field of every result`]
    const other = taken.get(name)
    taken.set(name, other ?? owner)
    return other === undefined ? [] : [`the name "${name}" is taken by ${other}`]
  })
}

function extensionFaults({ apply, options, fields = {}, provides = [] }: Extension, origin: string): string[] {
  if (typeof apply !== 'function') return ['must have "analyze" (an analyzer) or "apply" (an extension)']
  if (!isTexts(provides)) return ['"provides" must be an array of strings']
  if (typeof fields !== 'object' || fields === null) return ['"fields" must be an object']
  return [
    ...provides
      .filter(name => !SNAKE_CASE.test(name))
      .map(name => `"provides" names "${name}", which must be snake_case`),
    ...(origin === BUILT_IN || options === undefined ? [] : schemaFaults('options', options, settingsAjv())),
    ...Object.entries(origin === BUILT_IN ? {} : fields).flatMap(([name, schema]) =>
      SNAKE_CASE.test(name)
        ? uncompiled(`fields.${name}`, schema, sectionAjv())
        : [`field "${name}" must be snake_case`],
    ),
  ]
}

function analyzerFaults(
  { plugin: analyzer, origin }: { readonly plugin: Analyzer; readonly origin: string },
  taken: Map<string, string>,
  groups: Readonly<Record<string, number>>,
) {
  const { targets, needs, wants = [], aliases = [] } = analyzer
  const lists = Object.entries({ targets, needs, wants, aliases }).filter(([, list]) => !isTexts(list))
  if (lists.length > 0) return lists.map(([key]) => `"${key}" must be an array of strings`)
  if (typeof analyzer.signals !== 'object' || analyzer.signals === null) return ['"signals" must be an object']
  return [
    ...targetFaults(targets),
    ...(typeof analyzer.analyze === 'function' ? [] : ['"analyze" must be a function']),
    // A test checks the schemas of built-in plugins.
    ...(origin === BUILT_IN ? [] : schemaFaults('schema', analyzer.schema, sectionAjv())),
    ...(origin === BUILT_IN || analyzer.options === undefined
      ? []
      : schemaFaults('options', analyzer.options, settingsAjv())),
    ...Object.entries(analyzer.signals).flatMap(([id, signal]) => signalFaults(id, signal, groups)),
    ...(analyzer.presentation === undefined ? [] : presentationFaults(analyzer.presentation, didYouMean)),
    ...claim(
      Object.keys(analyzer.signals).map(id => `signal ${id}`),
      analyzer.name,
      taken,
    ),
  ]
}

const KINDS: readonly string[] = ['domain', 'ip']

/** An unknown target kind would silently exclude the section, and the result would look clean. */
function targetFaults(targets: readonly string[]): string[] {
  if (targets.length === 0) return ['"targets" must name "domain", "ip" or both']
  const strange = targets.filter(kind => !KINDS.includes(kind))
  return strange.map(kind => `"targets" names "${kind}", which is neither "domain" nor "ip"`)
}

function schemaFaults(key: string, schema: unknown, ajv: ReturnType<typeof sectionAjv>): string[] {
  if ((schema as { type?: unknown } | null)?.type !== 'object') return [`"${key}" must be a JSON Schema of type object`]
  return uncompiled(key, schema, ajv)
}

function uncompiled(key: string, schema: unknown, ajv: ReturnType<typeof sectionAjv>): string[] {
  if (typeof schema !== 'object' || schema === null) return [`"${key}" must be a JSON Schema`]
  try {
    sectionAjv().validateSchema(schema, true)
    ajv.compile(schema)
    return []
  } catch (error) {
    return [`"${key}" is not a JSON Schema: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function signalFaults(id: string, signal: SignalDefinition, groups: Readonly<Record<string, number>>): string[] {
  if (!SNAKE_CASE.test(id)) return [`signal "${id}" must be snake_case`]
  if (typeof signal?.weight !== 'number' || !Number.isFinite(signal.weight))
    return [`signal ${id}: "weight" must be a number`]
  if (typeof signal.title !== 'string') return [`signal ${id}: "title" must be a string`]
  if (signal.floor !== undefined && !(Number.isInteger(signal.floor) && signal.floor >= 0 && signal.floor <= 100))
    return [`signal ${id}: "floor" must be an integer from 0 to 100`]
  if (signal.threat_types !== undefined && !isThreatTypes(signal.threat_types))
    return [`signal ${id}: "threat_types" must be a list of ${THREAT_TYPES.join(', ')}`]
  const { advice = null, warning = '' } = signal
  if (advice !== null && typeof advice !== 'string') return [`signal ${id}: "advice" must be a string or null`]
  if (typeof warning !== 'string') return [`signal ${id}: "warning" must be a string`]
  const message = weightFault(signal, groups) ?? severityFault(signal)
  return message ? [`signal ${id}: ${message}`] : []
}

/** Why the weight is invalid in its group, or null. */
export function weightFault(
  { weight, group }: SignalDefinition,
  groups: Readonly<Record<string, number>>,
): string | null {
  const ceiling = Object.hasOwn(groups, group) ? groups[group] : undefined
  if (ceiling === undefined) return `unknown group "${group}"${didYouMean(String(group), Object.keys(groups))}`
  return weight * ceiling < 0
    ? `weight ${weight} has the wrong sign for group ${group}, whose ceiling is ${ceiling}`
    : null
}
