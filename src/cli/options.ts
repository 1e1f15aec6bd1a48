// Options that several commands share, and how each command gets its configuration.
import type { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { exposedSecrets } from '../config/exposed.ts'
import { loadRegistry } from '../config/plugins.ts'
import { type Fault, faultsText } from '../engine/fault.ts'
import type { Registry } from '../engine/registry.ts'
import { CliError, EXIT } from './exit_codes.ts'

export interface SharedOptions {
  readonly config?: string
  readonly data?: string
  readonly port?: string
}

export const configOption = (command: Command) =>
  command.option('--config <file>', 'JSON configuration (or ASSAY_CONFIG); defaults apply without one')

export const dataOption = (command: Command) =>
  command.option('--data <dir>', 'directory of the embedded store (or ASSAY_DATA)')

export interface Setting {
  readonly config: Config
  readonly registry: Registry
  readonly environment: Environment
  /** The same again, as file and environment are by then. Rejects as `settle` does. */
  reread(): Promise<Setting>
}

/** Reads the configuration and loads the plugins; ends the command with every fault when there are any. */
export const settle = (options: SharedOptions): Promise<Setting> => settleIn(options, readEnvironment())

/** The settings there are without any configuration. */
export const settleShipped = (): Promise<Setting> => settleIn({}, { ...readEnvironment(), config: undefined })

async function settleIn(options: SharedOptions, environment: Environment): Promise<Setting> {
  const { config, base, faults, exposed } = readConfig(options, environment)
  // Help and usage errors need none of them, and they take half a second to load.
  const { builtInPlugins } = await import('../../plugins/index.ts')
  // Plugins are looked at even when the rest has faults, so that one start tells all.
  const loaded = await loadRegistry(builtInPlugins, config, base).catch(error => {
    // Settings may be too broken to look for plugins in; their own faults say so then.
    requireSound(faults)
    throw error
  })
  const secrets = exposed.flatMap(file => exposedSecrets(file, loaded.registry))
  const all = [...faults, ...loaded.faults, ...secrets]
  if (all.length > 0) loaded.registry.close()
  requireSound(all)
  return { config, registry: loaded.registry, environment, reread: () => settleIn(options, environment) }
}

/** Ends the command with all of the faults, when there are any. */
export function requireSound(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new CliError(EXIT.config, faultsText(faults))
}
