#!/usr/bin/env node
// The `assay` command.
import { Command, CommanderError } from 'commander'
import { StoreError } from '../store/store.ts'
import { version } from '../version.ts'
import { addCheck } from './check.ts'
import { CliError, EXIT, EXIT_HELP } from './exit_codes.ts'
import { addKeys } from './keys.ts'
import { addPlugins } from './plugins.ts'
import { addSchemas } from './schemas.ts'
import { addServe } from './serve.ts'

const program = new Command('assay')
  .description('Checks domain names and IP addresses: an explained risk score, a verdict and the facts behind them.')
  .version(version)
  .addHelpText('after', `\n${EXIT_HELP}`)
  .exitOverride()
for (const add of [addServe, addCheck, addKeys, addPlugins, addSchemas]) add(program)
for (const command of program.commands) command.addHelpText('after', `\n${EXIT_HELP}`)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

/** Tells what went wrong on standard error, without a stack, and picks the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  process.stderr.write(`assay: ${error instanceof Error ? error.message : error}\n`)
  if (error instanceof CliError) return error.code
  return error instanceof StoreError ? EXIT.unavailable : EXIT.internal
}
