// Finds the plugins a configuration names and makes the registry, with every fault of both.
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resolve as resolveSpecifier } from 'import-meta-resolve'
import type { Loaded } from '../engine/contract.ts'
import type { Fault } from '../engine/fault.ts'
import type { Plugin } from '../engine/plugin.ts'
import { createRegistry, type PluginSetting, type Registry } from '../engine/registry.ts'
import { exported, kindOf, standIn } from '../isolation/exported.ts'
import { isolate } from '../isolation/isolated_module.ts'
import { DEFAULT_GROUPS } from '../scoring/groups.ts'
import { vetFile } from './module_file.ts'
import { offerOwnPackage } from './own_package.ts'
import type { Config } from './schema.ts'
import { lookAtSharedObjects, type SharedObjects } from './shared_objects.ts'
import { refuseChanges, supervised } from './supervised.ts'

/**
 * Loads what `load` names beside the built-in plugins and checks them all against the settings. What isolated ones run in
 * ends with the registry's `close`, and at once when there are faults.
 */
export async function loadRegistry(
  builtIn: readonly Loaded[],
  config: Config,
  base: string,
): Promise<{ registry: Registry; faults: Fault[] }> {
  const { load, settings } = shaped(config)
  if (load.length > 0) offerOwnPackage()
  const objects = lookAtSharedObjects()
  const entries = load.flatMap((named, i) => (isNamed(named) ? [entryOf(named, base, `load.${i}`)] : []))
  const isolated = entries.map(entry => (entry.isolated ? outcomeOf(entry, loadIsolated) : null))
  const outcomes: Outcome[] = []
  // One after the other: what one of them changes is laid to its charge.
  for (const [i, entry] of entries.entries()) {
    outcomes.push(await (isolated[i] ?? outcomeOf(entry, one => loadHere(one, objects))))
  }
  const made = createRegistry([...builtIn, ...outcomes.flatMap(({ loaded }) => loaded)], settings)
  const faults = [...outcomes.flatMap(({ faults }) => faults), ...made.faults]
  if (faults.length > 0) made.registry.close()
  return { registry: made.registry, faults }
}

/** What is of another shape altogether has a fault already, and is as good as left out. */
function shaped({ load, plugins, scoring }: Config) {
  const settings = {
    plugins: (plugins ?? {}) as Readonly<Record<string, PluginSetting | true>>,
    groups: { ...DEFAULT_GROUPS, ...scoring?.groups },
  }
  return { load: Array.isArray(load) ? load : [], settings }
}

interface Entry {
  readonly specifier: string
  readonly isolated: boolean
  /** Where it stands in the configuration. */
  readonly path: string
  /** The module's URL. Throws when there is no such file, or it is not to be run. */
  vetted(): string
}

function entryOf(named: Config['load'][number], base: string, path: string): Entry {
  const { module: specifier, integrity, isolated = false } = typeof named === 'string' ? { module: named } : named
  const vetted = () => pathToFileURL(vetFile(locate(specifier, base), base, integrity)).href
  return { specifier, isolated, path, vetted }
}

/** What names no module has a fault by its shape already. */
function isNamed(named: unknown): boolean {
  const module = typeof named === 'object' ? (named as { module?: unknown } | null)?.module : named
  return typeof module === 'string' && module !== ''
}

interface Outcome {
  readonly loaded: readonly Loaded[]
  readonly faults: readonly Fault[]
}

/** Never rejects. */
async function outcomeOf(entry: Entry, load: (entry: Entry) => Promise<readonly Loaded[]>): Promise<Outcome> {
  const { specifier, path } = entry
  try {
    return { loaded: await load(entry), faults: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { loaded: [], faults: [{ path, message: `cannot load "${specifier}": ${message}` }] }
  }
}

async function loadHere({ specifier, vetted }: Entry, objects: SharedObjects): Promise<readonly Loaded[]> {
  const module = (await import(vetted())) as { default?: unknown }
  refuseChanges(objects)
  return exported(module).map(plugin => ({ plugin: supervised(plugin as Plugin, objects), origin: specifier }))
}

async function loadIsolated({ specifier, vetted }: Entry): Promise<readonly Loaded[]> {
  const { plugins, analyzer, end } = await isolate(vetted(), vetted)
  const inside = plugins.find(plugin => kindOf(plugin) === 'extension')
  if (inside !== undefined || plugins.length === 0) end()
  if (inside !== undefined) {
    const { name } = inside as { readonly name?: unknown }
    throw new Error(`"${name}" is an extension, which reaches into the service: it cannot be isolated`)
  }
  return plugins.map((plugin, at) => ({ plugin: standIn(plugin), origin: specifier, elsewhere: analyzer(at), end }))
}

/** A path is taken from the configuration's directory; anything else is a package seen from there. */
function locate(specifier: string, base: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return resolve(base, specifier)
  return fileURLToPath(resolveSpecifier(specifier, pathToFileURL(join(base, 'config.json')).href))
}
