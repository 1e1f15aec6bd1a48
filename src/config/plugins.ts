// Finds the plugins a configuration names and makes the registry, with every fault of both.
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resolve as resolveSpecifier } from 'import-meta-resolve'
import type { Loaded } from '../engine/contract.ts'
import type { Fault } from '../engine/fault.ts'
import type { Plugin } from '../engine/plugin.ts'
import { createRegistry, type PluginSetting, type Registry } from '../engine/registry.ts'
import { DEFAULT_GROUPS } from '../scoring/groups.ts'
import { vetFile } from './module_file.ts'
import { offerOwnPackage } from './own_package.ts'
import type { Config } from './schema.ts'
import { lookAtSharedObjects, type SharedObjects } from './shared_objects.ts'
import { refuseChanges, supervised } from './supervised.ts'

/** Loads what `load` names beside the built-in plugins and checks them all against the settings. */
export async function loadRegistry(
  builtIn: readonly Loaded[],
  config: Config,
  base: string,
): Promise<{ registry: Registry; faults: Fault[] }> {
  if (config.load.length > 0) offerOwnPackage()
  const objects = lookAtSharedObjects()
  const outcomes: Outcome[] = []
  // One after the other: what one of them changes is laid to its charge.
  for (const [i, named] of config.load.entries()) outcomes.push(await load(named, base, `load.${i}`, objects))
  const settings = {
    plugins: config.plugins as Readonly<Record<string, PluginSetting | true>>,
    groups: { ...DEFAULT_GROUPS, ...config.scoring.groups },
  }
  const made = createRegistry([...builtIn, ...outcomes.flatMap(({ loaded }) => loaded)], settings)
  return { registry: made.registry, faults: [...outcomes.flatMap(({ faults }) => faults), ...made.faults] }
}

type Named = Config['load'][number]

interface Outcome {
  readonly loaded: readonly Loaded[]
  readonly faults: readonly Fault[]
}

async function load(named: Named, base: string, path: string, objects: SharedObjects): Promise<Outcome> {
  const { module: specifier, integrity } = typeof named === 'string' ? { module: named, integrity: undefined } : named
  try {
    const file = vetFile(locate(specifier, base), base, integrity)
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    refuseChanges(objects)
    const plugins = Array.isArray(module.default) ? module.default : [module.default]
    if (module.default === undefined)
      throw new Error('has no default export; it must be a plugin or an array of plugins')
    return {
      loaded: plugins.map((plugin: Plugin) => ({ plugin: supervised(plugin, objects), origin: specifier })),
      faults: [],
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { loaded: [], faults: [{ path, message: `cannot load "${specifier}": ${message}` }] }
  }
}

/** A path is taken from the configuration's directory; anything else is a package seen from there. */
function locate(specifier: string, base: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return resolve(base, specifier)
  return fileURLToPath(resolveSpecifier(specifier, pathToFileURL(join(base, 'config.json')).href))
}
