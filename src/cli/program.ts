// The command line as a whole: every command, and how it ends.
import { Command, CommanderError } from 'commander'
import { UnusableDataset } from '../datasets/unusable.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { version } from '../version.ts'
import { CliError, EXIT, EXIT_HELP } from './exit_codes.ts'
import { type Output, terminal } from './output.ts'

/** Runs one command; the exit code. Never rejects. Of `serve` it resolves only when that could not begin. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  try {
    await execute(args, output)
    await output.drained?.()
    return EXIT.ok
  } catch (error) {
    return explain(error, output)
  }
}

async function execute(args: readonly string[], output: Output): Promise<void> {
  const program = await createProgram(args, output)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Help that was asked for has been given.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  }
}

type Define = (command: Command, output: Output) => void

interface Entry {
  readonly description: string
  /** Its options, arguments and action. */
  readonly load: () => Promise<Define>
}

/** Each is loaded when it is called: the whole of assay takes a second to load, of which most commands use little. */
const commands: Readonly<Record<string, Entry>> = {
  serve: {
    description: 'run the service',
    async load() {
      // Part after part: Node opens all files of a graph at once, and a process may have but 256 descriptors.
      await import('../network/create_network.ts')
      await import('../../plugins/index.ts')
      return (await import('./serve.ts')).defineServe
    },
  },
  check: {
    description: 'check a domain name or an address, or many of them',
    load: async () => (await import('./check.ts')).defineCheck,
  },
  diff: {
    description: 'tell what changed between earlier and later results',
    load: async () => (await import('./diff.ts')).defineDiff,
  },
  worker: {
    description: 'check what `assay check --redis` puts into a queue',
    load: async () => (await import('./worker.ts')).defineWorker,
  },
  explain: {
    description: 'score a recorded check under another configuration, and show the difference',
    load: async () => (await import('./explain.ts')).defineExplain,
  },
  keys: {
    description: 'create, list, rotate and revoke API keys',
    load: async () => (await import('./keys.ts')).defineKeys,
  },
  plugins: {
    description: 'list plugins with state, evidence, signals and weights',
    load: async () => (await import('./plugins.ts')).definePlugins,
  },
  plugin: {
    description: 'write a plugin, and test it',
    load: async () => (await import('./plugin/plugin.ts')).definePlugin,
  },
  datasets: {
    description: 'list the datasets with state, age and terms, or fetch them',
    load: async () => (await import('./datasets.ts')).defineDatasets,
  },
  schemas: {
    description: 'write the JSON Schemas of result, config and problem, and openapi.json',
    load: async () => (await import('./schemas.ts')).defineSchemas,
  },
}

/** Of the commands only the one that is called, or asked about, is more than its name and description. */
async function createProgram([first = '', second = '']: readonly string[], output: Output): Promise<Command> {
  const program = new Command('assay')
    .description('Checks domain names and IP addresses: an explained risk score, a verdict and the facts behind them.')
    .version(version)
    .addHelpText('after', `\n${EXIT_HELP}`)
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride()
    .hook('preAction', (_program, command) => requireNames(command))
  const called = first === 'help' ? second : first
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = program.command(name).description(description)
    if (name === called) (await load())(command, output)
    command.addHelpText('after', `\n${EXIT_HELP}`)
  }
  return program
}

/** Options that name a file or a directory, by how they are described. */
const FILE = /<(?:file|dir)>/

/** Ends the command at a file without a name, as an unset variable leaves it: it would be the working directory, or pass for an option that was not given. */
function requireNames(command: Command | null): void {
  if (command === null) return
  const nameless = command.options.find(
    option => FILE.test(option.flags) && command.getOptionValue(option.attributeName()) === '',
  )
  if (nameless) throw new CliError(EXIT.usage, `${nameless.long} has an empty name`)
  requireNames(command.parent)
}

/** What the store refuses because the command asked for it. */
const mistakes: ReadonlySet<StoreErrorCode> = new Set(['account_not_found', 'key_not_found', 'key_not_active'])

/** A disk that is full or not to be written, and a directory for temporary files that is none, are no defects of ours. */
function isUnwritable(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === 'mkdtemp' || code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS'
}

/** Tells what went wrong, without a stack, and picks the exit code. */
function explain(error: unknown, { err }: Output): number {
  if (error instanceof CommanderError) return EXIT.usage
  // As quiet as others whose reader has had enough, such as head.
  if (error instanceof CliError && error.code === EXIT.unread) return error.code
  err(`assay: ${error instanceof Error ? error.message : error}\n`)
  if (error instanceof CliError) return error.code
  if (error instanceof UnusableDataset) return EXIT.config
  if (isUnwritable(error)) return EXIT.cannot_create
  if (!(error instanceof StoreError)) return EXIT.internal
  return mistakes.has(error.code) ? EXIT.usage : EXIT.unavailable
}
