// The command line as a whole: every command, and how it ends.
import { Command, CommanderError } from 'commander'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { version } from '../version.ts'
import { CliError, EXIT, EXIT_HELP } from './exit_codes.ts'
import { type Output, terminal } from './output.ts'

/** Runs one command; the exit code. Never rejects. `serve` resolves when it listens, and goes on. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  try {
    const program = await createProgram(args, output)
    await program.parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    return explain(error, output)
  }
}

type AddCommand = (program: Command, output: Output) => void

/** Each is loaded when it is called: half a second of every other command would go into what that one never uses. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => {
    // Part after part: Node opens all files of a graph at once, and a process may have but 256 descriptors.
    await import('../network/create_network.ts')
    await import('../../plugins/index.ts')
    return (await import('./serve.ts')).addServe
  },
  check: async () => (await import('./check.ts')).addCheck,
  diff: async () => (await import('./diff.ts')).addDiff,
  worker: async () => (await import('./worker.ts')).addWorker,
  explain: async () => (await import('./explain.ts')).addExplain,
  keys: async () => (await import('./keys.ts')).addKeys,
  plugins: async () => (await import('./plugins.ts')).addPlugins,
  plugin: async () => (await import('./plugin/plugin.ts')).addPlugin,
  datasets: async () => (await import('./datasets.ts')).addDatasets,
  schemas: async () => (await import('./schemas.ts')).addSchemas,
}

/** With the command that is called, or with all of them when that is none. */
async function createProgram([name = '']: readonly string[], output: Output): Promise<Command> {
  const program = new Command('assay')
    .description('Checks domain names and IP addresses: an explained risk score, a verdict and the facts behind them.')
    .version(version)
    .addHelpText('after', `\n${EXIT_HELP}`)
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride()
  const called = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands)
  for (const load of called) (await load?.())?.(program, output)
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
