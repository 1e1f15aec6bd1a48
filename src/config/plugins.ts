// Finds the plugins a configuration names and makes the registry, with every fault of both.
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolve as resolveSpecifier } from 'import-meta-resolve'
import type { Loaded } from '../engine/contract.ts'
import type { Fault } from '../engine/fault.ts'
import type { Plugin } from '../engine/plugin.ts'
import { createRegistry, type PluginSetting, type Registry } from '../engine/registry.ts'
import { DEFAULT_GROUPS } from '../scoring/groups.ts'
import { offerOwnPackage } from './own_package.ts'
import type { Config } from './schema.ts'

/** Loads what `load` names beside the built-in plugins and checks them all against the settings. */
export async function loadRegistry(
  builtIn: readonly Loaded[],
  config: Config,
  base: string,
): Promise<{ registry: Registry; faults: Fault[] }> {
  if (config.load.length > 0) offerOwnPackage()
  const outcomes = await Promise.all(config.load.map((specifier, i) => load(specifier, base, `load.${i}`)))
  const settings = {
    plugins: config.plugins as Readonly<Record<string, PluginSetting | true>>,
    groups: { ...DEFAULT_GROUPS, ...config.scoring.groups },
  }
  const made = createRegistry([...builtIn, ...outcomes.flatMap(({ loaded }) => loaded)], settings)
  return { registry: made.registry, faults: [...outcomes.flatMap(({ faults }) => faults), ...made.faults] }
}

async function load(specifier: string, base: string, path: string): Promise<{ loaded: Loaded[]; faults: Fault[] }> {
  try {
    const module = (await import(locate(specifier, base))) as { default?: unknown }
    const plugins = Array.isArray(module.default) ? module.default : [module.default]
    if (module.default === undefined)
      throw new Error('has no default export; it must be a plugin or an array of plugins')
    return { loaded: plugins.map((plugin: Plugin) => ({ plugin, origin: specifier })), faults: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { loaded: [], faults: [{ path, message: `cannot load "${specifier}": ${message}` }] }
  }
}

/** A path is taken from the configuration's directory; anything else is a package seen from there. */
function locate(specifier: string, base: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return pathToFileURL(resolve(base, specifier)).href
  return resolveSpecifier(specifier, pathToFileURL(join(base, 'config.json')).href)
}
