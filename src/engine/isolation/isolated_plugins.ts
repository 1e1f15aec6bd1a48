// The plugins of an isolated module as the service loads them: their data, and stand-ins for their functions.

import { didYouMean } from '../../base/fault.ts'
import { builtInEvidence } from '../../evidence/evidence.ts'
import { kindsOf, type LoadedPlugin } from '../contract.ts'
import type { Extension, Plugin } from '../plugin.ts'
import { type DescribedPlugin, readDescribed } from './described.ts'
import { type IsolatedModule, isolate, type Source } from './isolated_module.ts'

/**
 * Starts the module's process. `vet` is called before each start and throws if the module must not be run. Rejects with the
 * reason why it cannot be loaded.
 */
export async function loadIsolated(vet: () => Source, origin: string): Promise<readonly LoadedPlugin[]> {
  const module = await isolate(vet)
  if (module.plugins.length === 0) module.end()
  return module.plugins.map((description, at) => {
    const pluginDescription = readDescribed(description)
    const moduleParts =
      pluginDescription === null ? { plugin: description as Plugin } : standIn(pluginDescription, at, module)
    return { ...moduleParts, origin, end: () => module.end() }
  })
}

type StandIn = Omit<LoadedPlugin, 'origin' | 'end'>

function standIn({ fields, kind, describes, misread }: DescribedPlugin, at: number, module: IsolatedModule): StandIn {
  const refuse = () => {
    throw new Error('runs in another process')
  }
  if (kind === 'extension') return extensionIn(fields as unknown as Extension, at, module)
  const elsewhere: LoadedPlugin['elsewhere'] = {
    analyze: (evidence, context, leftMs) => module.analyze(at, evidence, context, leftMs),
    ...(describes && { describe: (section, context) => module.describe(at, section, context) }),
  }
  // The registry rejects an async function with its own message.
  const analyzes = { analyzer: { analyze: refuse }, async_analyzer: { analyze: async () => refuse() } }
  const plugin = { ...fields, ...analyzes[kind as keyof typeof analyzes] } as unknown as Plugin
  return { plugin, elsewhere, prove: async () => misread }
}

function extensionIn(fields: Extension, at: number, module: IsolatedModule): StandIn {
  const { name } = fields
  const providedNames = kindsOf(fields.provides)
  const plugin: Extension = {
    ...fields,
    apply(hooks, options) {
      const knows = (kind: string) => hooks.gather.get(kind)?.isUsed() === true
      for (const kind of providedNames) {
        hooks.gather.for(kind).tapPromise(name, context => module.gather(at, { kind, options, knows }, context))
      }
    },
  }
  return { plugin, prove: options => appliedEvidence(plugin, providedNames, () => module.apply(at, options)) }
}

/** Faults of the kinds that the extension gathers: built-in evidence must come from the service. */
async function appliedEvidence(
  { fields = {} }: Extension,
  providedNames: readonly string[],
  apply: () => Promise<unknown>,
): Promise<string[]> {
  if (Object.keys(fields).length > 0) return [`"fields" are not available to isolated plugins, which add sections`]
  try {
    const answer = await apply()
    const gatheredNames = Array.isArray(answer) ? answer.map(String) : []
    const strange = gatheredNames.filter(kind => !providedNames.includes(kind))
    return [
      ...providedNames
        .filter(kind => (builtInEvidence as readonly string[]).includes(kind))
        .map(kind => `"provides" names "${kind}", which is built in: isolated plugins only add kinds of evidence`),
      ...strange.map(kind => `gathers "${kind}", which "provides" does not list${didYouMean(kind, providedNames)}`),
      ...providedNames
        .filter(kind => !gatheredNames.includes(kind))
        .map(kind => `"provides" names "${kind}", but "apply" registers no gatherer for it`),
    ]
  } catch (error) {
    return [`cannot be applied: ${error instanceof Error ? error.message : String(error)}`]
  }
}
