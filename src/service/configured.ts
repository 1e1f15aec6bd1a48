// The plugins of a configuration, for every process that checks: what `assay` and the library start with.
import type { Fault } from '../base/fault.ts'
import type { Config, ReadConfig } from '../config/config.ts'
import { exposedSecrets } from '../config/settings_file.ts'
import { loadRegistry } from '../engine/plugins.ts'
import type { Registry } from '../engine/registry.ts'

/** The plugins of a configuration, or all faults of both. */
export type RegistryResult =
  | { readonly ok: true; readonly registry: Registry }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Further faults of a configuration with the given faults, which only one command can find. */
export type MoreFaults = (config: Config, faults: readonly Fault[]) => Promise<readonly Fault[]>

/** Loads the plugins that come with assay and those that a configuration names, relative to the directory `base`. */
export async function loadConfigured(
  { config, faults, exposed }: Pick<ReadConfig, 'config' | 'faults' | 'exposed'>,
  base: string,
  more?: MoreFaults,
): Promise<RegistryResult> {
  // Not needed for help and usage errors.
  const { builtInPlugins } = await import('../../plugins/index.ts')
  // Plugins are checked even when the rest has faults, so that one start reports all of them.
  const registryResult = await loadRegistry(builtInPlugins, config, base).catch((error: unknown) => {
    if (faults.length === 0) throw error
    return null
  })
  // When the settings are too broken to find plugins, their own faults are enough.
  if (registryResult === null) return { ok: false, faults }
  const { registry } = registryResult
  const ownFaults = [...faults, ...registryResult.faults, ...exposed.flatMap(file => exposedSecrets(file, registry))]
  const all = [...ownFaults, ...((await more?.(config, ownFaults)) ?? [])]
  if (all.length === 0) return { ok: true, registry }
  registry.close()
  return { ok: false, faults: all }
}
