// Checks that a loaded object fulfils the plugin contract, before it runs. Each error is one sentence: what is wrong, where,
// and what to do.

import { didYouMean, type Fault, misspelt } from '../base/fault.ts'
import type { EvidenceName } from '../evidence/evidence.ts'
import { optionsSchemaFaults, partSchemaFaults, sectionSchemaFaults } from './declared_schemas.ts'
import { SNAKE_CASE, signalFaults } from './declared_signals.ts'
import { isAsync } from './explained.ts'
import { hostFaults } from './hosts.ts'
import type { AnalysisContext, Analyzer, Extension, Plugin } from './plugin.ts'
import { BOUNDS } from './presentation/bounded.ts'
import { unknownFieldsRead } from './presentation/fields_read.ts'
import type { Described } from './presentation/presentation.ts'
import { HEAD, TAIL } from './result_fields.ts'

/** The origin of built-in plugins; the origin of other plugins is the specifier they were loaded by. */
export const BUILT_IN = 'built-in'

/** An analyzer outside this process. Its answers are validated like any other. */
export interface Elsewhere {
  /** Resolves within `left_ms` milliseconds; rejects with what the analyzer threw, or with `BrokenPlugin` when there was no answer. */
  analyze(evidence: object, context: AnalysisContext<unknown>, leftMs: number): Promise<unknown>
  /** Absent if the analyzer does not describe its section itself. */
  describe?(section: unknown, context: Described): Promise<unknown>
}

export type Prove = (options: unknown) => Promise<readonly string[]>

/** A plugin and its origin. */
export interface LoadedPlugin {
  readonly plugin: Plugin
  readonly origin: string
  /** Used in place of the plugin's own `analyze` and `describe`. */
  readonly elsewhere?: Elsewhere
  /** What is wrong with a plugin outside this process that only its functions show, with its options. Never rejects. */
  readonly prove?: Prove
  /** Releases the process it runs in; may be called more than once. */
  readonly end?: () => void
}

/**
 * Returns what is wrong with the plugin, an untyped object of unknown origin. `claims` maps every used name (plugins,
 * result fields, signal IDs) to its owner; the plugin's names are added.
 */
export function contractFaults(
  { plugin, origin }: LoadedPlugin,
  claims: Map<string, string>,
  groups: Readonly<Record<string, number>>,
): Fault[] {
  const name = typeof plugin?.name === 'string' ? plugin.name : ''
  const fault = (message: string): Fault => ({ path: `plugin ${name || '(unnamed)'} (${origin})`, message })
  const shapeless = shapeFault(plugin)
  if (shapeless !== null) return [fault(shapeless)]
  const messages = [
    ...(typeof plugin.description === 'string' ? [] : ['"description" must be a string']),
    ...misspelt(plugin, 'analyze' in plugin ? ANALYZER_FIELDS : EXTENSION_FIELDS, 'a plugin'),
    ...claimNames([name, ...namesOf(plugin)], `plugin ${name} (${origin})`, claims),
    ...('analyze' in plugin
      ? analyzerFaults({ plugin: plugin as Analyzer, origin }, claims, groups)
      : extensionFaults(plugin as Extension, origin)),
  ]
  return messages.map(fault)
}

/** Why nothing else can be said about it. */
function shapeFault(plugin: unknown): string | null {
  if (typeof plugin === 'function') return 'is a function: export the plugin itself, an object'
  if (typeof plugin !== 'object' || plugin === null) return `is ${nameOfType(plugin)}: a plugin is an object`
  const { name } = plugin as { readonly name?: unknown }
  if (name === undefined) return '"name" is missing: it names the section in the result, such as "long_name"'
  return typeof name === 'string' && SNAKE_CASE.test(name) ? null : '"name" must be snake_case, such as "long_name"'
}

const nameOfType = (value: unknown): string => (value === null ? 'null' : `of type ${typeof value}`)

const SHARED_FIELDS = ['name', 'description', 'options']
const ANALYZER_FIELDS = [
  ...SHARED_FIELDS,
  'targets',
  'needs',
  'wants',
  'schema',
  'signals',
  'composites',
  'presentation',
  'aliases',
  'optional',
  'analyze',
]
const EXTENSION_FIELDS = [...SHARED_FIELDS, 'provides', 'hosts', 'fields', 'apply']

function namesOf({ aliases, fields }: Partial<Analyzer> & Partial<Extension>): string[] {
  return [...(isTexts(aliases) ? aliases : []), ...Object.keys(fields ?? {})]
}

export const isTexts = (list: unknown): list is readonly string[] =>
  Array.isArray(list) && list.every(one => typeof one === 'string')

/** `keys` maps names to their subjects. */
function claim(keys: readonly string[], owner: string, claims: Map<string, string>): string[] {
  return keys.flatMap(key => {
    const other = claims.get(key)
    claims.set(key, other ?? owner)
    return other === undefined ? [] : [`${key} is taken by ${other}: choose another`]
  })
}

function claimNames(names: readonly string[], owner: string, claims: Map<string, string>): string[] {
  const isReserved = (name: string) => Object.hasOwn(HEAD, name) || Object.hasOwn(TAIL, name)
  return [
    ...names.filter(isReserved).map(name => `"${name}" is a field of every result: choose another name`),
    ...claim(
      names.filter(name => !isReserved(name)).map(name => `the name "${name}"`),
      owner,
      claims,
    ),
  ]
}

/** The kinds of evidence that an extension of unknown origin declares. */
export const kindsOf = (provides: unknown): readonly EvidenceName[] =>
  (isTexts(provides) ? provides : Object.keys(evidenceSchemas(provides))) as readonly EvidenceName[]

/** The schemas that it declares for them. */
export const evidenceSchemas = (provides: unknown): Readonly<Record<string, unknown>> =>
  typeof provides === 'object' && provides !== null && !Array.isArray(provides) ? { ...provides } : {}

function extensionFaults(
  { apply, options, fields = {}, provides = [], hosts = [] }: Extension,
  origin: string,
): string[] {
  if (typeof apply !== 'function') return ['must have "analyze" (an analyzer) or "apply" (an extension)']
  if (!isTexts(provides) && (typeof provides !== 'object' || provides === null || Array.isArray(provides)))
    return ['"provides" must be an array of strings, or an object with the schema of each kind of evidence']
  if (typeof fields !== 'object' || fields === null) return ['"fields" must be an object']
  return [
    ...kindsOf(provides)
      .filter(name => !SNAKE_CASE.test(name))
      .map(name => `"provides" names "${name}", which must be snake_case`),
    ...Object.entries(evidenceSchemas(provides)).flatMap(([name, schema]) =>
      partSchemaFaults(`provides.${name}`, schema),
    ),
    ...hostFaults(hosts, options),
    ...(origin === BUILT_IN || options === undefined ? [] : optionsSchemaFaults(options)),
    ...Object.entries(origin === BUILT_IN ? {} : fields).flatMap(([name, schema]) =>
      SNAKE_CASE.test(name) ? partSchemaFaults(`fields.${name}`, schema) : [`field "${name}" must be snake_case`],
    ),
  ]
}

function analyzerFaults(
  { plugin: analyzer, origin }: { readonly plugin: Analyzer; readonly origin: string },
  claims: Map<string, string>,
  groups: Readonly<Record<string, number>>,
) {
  const { targets, needs, wants = [], aliases = [], presentation, options } = analyzer
  const lists = Object.entries({ targets, needs, wants, aliases }).filter(([, list]) => !isTexts(list))
  if (lists.length > 0) return lists.map(([key]) => `"${key}" must be an array of strings`)
  if (typeof analyzer.signals !== 'object' || analyzer.signals === null) return ['"signals" must be an object']
  // A test checks the schemas and presentations of built-in plugins.
  const isOurs = origin === BUILT_IN
  const ofSchema = isOurs ? [] : sectionSchemaFaults(analyzer.schema)
  const ofPresentation = presentation === undefined ? [] : presentationFaults(presentation, didYouMean)
  const readable = isOurs || ofSchema.length + ofPresentation.length > 0 ? undefined : presentation
  return [
    ...targetFaults(targets),
    ...analyzeFaults(analyzer.analyze),
    ...ofSchema,
    ...(isOurs || options === undefined ? [] : optionsSchemaFaults(options)),
    ...Object.entries(analyzer.signals).flatMap(([id, signal]) => signalFaults(id, signal, groups)),
    ...ofPresentation,
    ...unknownFieldsRead(readable, analyzer.schema, didYouMean),
    ...claim(
      Object.keys(analyzer.signals).map(id => `the signal "${id}"`),
      analyzer.name,
      claims,
    ),
  ]
}

function analyzeFaults(analyze: unknown): string[] {
  if (typeof analyze !== 'function') return ['"analyze" must be a function']
  if (!isAsync(analyze)) return []
  return ['"analyze" is an async function: return the finding at once, and do I/O in the gatherer of an extension']
}

const KINDS: readonly string[] = ['domain', 'ip']

/** An unknown target kind would silently exclude the section, and the result would look clean. */
function targetFaults(targets: readonly string[]): string[] {
  if (targets.length === 0) return ['"targets" must name "domain", "ip" or both']
  const strange = targets.filter(kind => !KINDS.includes(kind))
  return strange.map(kind => `"targets" names "${kind}", which is neither "domain" nor "ip"`)
}

/** Maximum length of `looks`, in characters: one line. */
const LOOKS = 200

const PRESENTATION_FIELDS = ['title', 'looks', 'order', 'informs', 'describe'] as const

type Suggest = (name: string, knownNames: readonly string[]) => string

/** What is wrong, in words; `suggest` names a known word that is near. */
function presentationFaults(presentation: unknown, suggest: Suggest): string[] {
  if (typeof presentation !== 'object' || presentation === null || Array.isArray(presentation))
    return ['"presentation" must be an object']
  const { title, looks, order, informs, describe } = presentation as Readonly<Record<string, unknown>>
  return [
    ...Object.keys(presentation)
      .filter(name => !PRESENTATION_FIELDS.some(one => one === name))
      .map(name => `"presentation" has an unknown field "${name}"${suggest(name, PRESENTATION_FIELDS)}`),
    ...text('title', title, BOUNDS.label),
    ...text('looks', looks, LOOKS),
    ...(order === undefined || Number.isFinite(order) ? [] : ['"presentation.order" must be a number']),
    ...(informs === undefined || typeof informs === 'boolean' ? [] : ['"presentation.informs" must be true or false']),
    ...(describe === undefined || typeof describe === 'function' ? [] : ['"presentation.describe" must be a function']),
  ]
}

const text = (name: string, value: unknown, most: number): string[] =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most
    ? []
    : [`"presentation.${name}" must be a string of 1 to ${most} characters`]
