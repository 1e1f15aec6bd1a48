// The command line as a whole: every command, and how it ends.
import { Command, CommanderError } from 'commander'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { version } from '../version.ts'
import { addCheck } from './check.ts'
import { addDatasets } from './datasets.ts'
import { addDiff } from './diff.ts'
import { CliError, EXIT, EXIT_HELP } from './exit_codes.ts'
import { addExplain } from './explain.ts'
import { addKeys } from './keys.ts'
import { type Output, terminal } from './output.ts'
import { addPlugin } from './plugin/plugin.ts'
import { addPlugins } from './plugins.ts'
import { addSchemas } from './schemas.ts'
import { addServe } from './serve.ts'
import { addWorker } from './worker.ts'

/** Runs one command; the exit code. Never rejects. `serve` resolves when it listens, and goes on. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  try {
    await createProgram(output).parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    return explain(error, output)
  }
}

function createProgram(output: Output): Command {
  const program = new Command('assay')
    .description('Checks domain names and IP addresses: an explained risk score, a verdict and the facts behind them.')
    .version(version)
    .addHelpText('after', `\n${EXIT_HELP}`)
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride()
  for (const add of [
    addServe,
    addCheck,
    addDiff,
    addWorker,
    addExplain,
    addKeys,
    addPlugins,
    addPlugin,
    addDatasets,
    addSchemas,
  ])
    add(program, output)
  for (const command of program.commands) command.addHelpText('after', `\n${EXIT_HELP}`)
  return program
}

/** What the store refuses because the command asked for it. */
const mistakes: ReadonlySet<StoreErrorCode> = new Set(['account_not_found', 'key_not_found', 'key_not_active'])

/** Tells what went wrong, without a stack, and picks the exit code. */
function explain(error: unknown, { err }: Output): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  err(`assay: ${error instanceof Error ? error.message : error}\n`)
  if (error instanceof CliError) return error.code
  if (!(error instanceof StoreError)) return EXIT.internal
  return mistakes.has(error.code) ? EXIT.usage : EXIT.unavailable
}
