// Options shared by several commands, and how each command reads its configuration.
import { type Command, Option } from 'commander'
import { type Fault, faultsText } from '../base/fault.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import type { Registry } from '../engine/registry.ts'
import type { ExchangeOptions } from '../results/exchange/formats.ts'
import { loadConfigured, type MoreFaults } from '../service/configured.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { ServiceAddressOptions } from './server.ts'

export interface SharedOptions extends ServiceAddressOptions {
  readonly config?: string
  readonly data?: string
  readonly host?: string
  readonly port?: string
  readonly workers?: string
}

export const configOption = (command: Command) =>
  command.option('--config <file>', 'JSON configuration file (or ASSAY_CONFIG); without it, defaults apply')

export const dataOption = (command: Command) =>
  command.option('--data <dir>', 'directory of the embedded store (or ASSAY_DATA)')

export const queryOption = () =>
  new Option('--query <expression>', 'write the answer to a query in JMESPath (jmespath.org) as JSON')

export interface KeptOptions extends SharedOptions {
  readonly account?: string
}

export const accountOption = (command: Command) => command.option('--account <id>', 'only kept results of this account')

export interface LoadedSettings {
  readonly config: Config
  /** Base directory of the plugins that the configuration names. */
  readonly base: string
  readonly registry: Registry
  readonly environment: Environment
  /** Reads the file and the environment again. Rejects like `settle`. */
  reread(more?: MoreFaults): Promise<LoadedSettings>
}

/** How results are written in formats of other programs. */
export const exchangeOptions = ({ exchange, server }: Config): ExchangeOptions => ({
  tlp: exchange.tlp,
  public_url: server.public_url,
})

/** Reads the configuration and loads the plugins; ends the command with all faults when there are any. */
export const settle = (options: SharedOptions, more?: MoreFaults): Promise<LoadedSettings> =>
  settleIn(options, readEnvironment(), more)

/** The default settings, without any configuration. */
export const settleShipped = (): Promise<LoadedSettings> => settleIn({}, { ...readEnvironment(), config: undefined })

async function settleIn(options: SharedOptions, environment: Environment, more?: MoreFaults): Promise<LoadedSettings> {
  const reading = readConfig(options, environment)
  const { config, base } = reading
  const registryResult = await loadConfigured(reading, base, more)
  if (!registryResult.ok) throw new CliError(EXIT.config, faultsText(registryResult.faults))
  return {
    config,
    base,
    registry: registryResult.registry,
    environment,
    reread: more => settleIn(options, environment, more),
  }
}

/** Ends the command with all faults, when there are any. */
export function requireSound(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new CliError(EXIT.config, faultsText(faults))
}

/** Ends the command when pages are to be rendered here and nothing can: results without it would look like what was asked for. */
export function requireBrowser(rendering: object | null): void {
  if (rendering === null)
    throw new CliError(EXIT.usage, '--render requires rendering.browser in the configuration (docs/rendering.md)')
}
