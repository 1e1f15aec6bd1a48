// The command line as a whole: every command, and how it ends.
import { Command, CommanderError } from 'commander'
import { version } from '../base/package_root.ts'
import { CliError, EXIT, EXIT_HELP } from './exit_codes.ts'
import { reportFailure } from './failure.ts'
import { invocation, pasteable } from './invocation.ts'
import { type Output, terminal } from './output.ts'
import { wrapProse } from './report/display.ts'

/** Runs one command and resolves with the exit code. Never rejects. With `serve` it resolves only when the start fails. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  try {
    await execute(args, output)
    await output.drained?.()
    return EXIT.ok
  } catch (error) {
    return reportFailure(error, output)
  }
}

/** For somebody who calls the command for the first time. */
const FIRST_STEPS = `assay checks domain names, IP addresses and links: a recommendation, and the facts behind it.

  assay check example.com   check a name from here; needs no server
  assay init                answer five questions, and write a configuration
  assay serve               run the service, and a page for the browser
  assay help                list all commands
`

async function execute(args: readonly string[], output: Output): Promise<void> {
  // Without a terminal, a missing command is a mistake in a script.
  if (args.length === 0 && output.columns !== undefined) return output.out(wrapText(pasteable(FIRST_STEPS), output))
  if (args[0] === 'help' && args[1] === 'exit-codes') return output.out(EXIT_HELP)
  const program = await createProgram(args, output)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // `--help` has printed its help.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  }
}

/** Columns without a terminal, as commander has them for options. */
const COLUMNS = 80

const wrapText = (text: string, { columns = COLUMNS }: Output): string => wrapProse(text, columns)

type Define = (command: Command, output: Output) => void

interface CommandEntry {
  readonly description: string
  /** Not for people: shown nowhere. */
  readonly hidden?: boolean
  /** Loads the options, the arguments and the action. */
  readonly load: () => Promise<Define>
}

/** Each command is loaded only when it is called: most commands need a small part of assay. */
const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    description: 'run the service',
    async load() {
      // One part after another: from sources, Node opens all files of a module graph at once, and a process may have only 256 descriptors.
      await import('../network/create_network.ts')
      await import('../../plugins/index.ts')
      return (await import('./serve.ts')).defineServe
    },
  },
  'serve-worker': {
    description: 'one of the processes of `serve --workers`, which starts it',
    hidden: true,
    async load() {
      await import('../network/create_network.ts')
      return (await import('./serve_worker.ts')).defineServeWorker
    },
  },
  check: {
    description: 'check a domain name, an IP address or a URL, or many of them',
    load: async () => (await import('./check.ts')).defineCheck,
  },
  lookalikes: {
    description: 'find names that imitate a domain name, and check those that exist',
    load: async () => (await import('./lookalikes.ts')).defineLookalikes,
  },
  diff: {
    description: 'show what changed between earlier and later results',
    load: async () => (await import('./diff.ts')).defineDiff,
  },
  history: {
    description: 'list the kept results of a target, or of all',
    load: async () => (await import('./history.ts')).defineHistory,
  },
  result: {
    description: 'show a kept result by its ID',
    load: async () => (await import('./history.ts')).defineResult,
  },
  search: {
    description: 'find kept results by what was seen: addresses, certificates, icons, titles and more',
    load: async () => (await import('./search.ts')).defineSearch,
  },
  shares: {
    description: 'list the links that share kept results, and end them',
    load: async () => (await import('./shares.ts')).defineShares,
  },
  jobs: {
    description: 'let a running service check many targets, and fetch what it found',
    load: async () => (await import('./jobs.ts')).defineJobs,
  },
  login: {
    description: 'keep the URL and the key of a running service for later commands',
    load: async () => (await import('./login.ts')).defineLogin,
  },
  logout: {
    description: 'forget the service and the key that `login` kept',
    load: async () => (await import('./login.ts')).defineLogout,
  },
  worker: {
    description: 'run the checks that `assay check --store` queues',
    load: async () => (await import('./worker.ts')).defineWorker,
  },
  explain: {
    description: 'score a recorded check under another configuration, and show the difference',
    load: async () => (await import('./explain.ts')).defineExplain,
  },
  mcp: {
    description: 'offer checks to an agent by the Model Context Protocol',
    load: async () => (await import('./mcp.ts')).defineMcp,
  },
  keys: {
    description: 'create, list, rotate and revoke API keys; change the plan of an account',
    load: async () => (await import('./keys.ts')).defineKeys,
  },
  watch: {
    description: 'watch targets, and send webhooks when something changes',
    load: async () => (await import('./watch.ts')).defineWatch,
  },
  plugins: {
    description: 'list plugins with state, evidence, signals and weights',
    load: async () => (await import('./plugins.ts')).definePlugins,
  },
  plugin: {
    description: 'create a plugin, and test it',
    load: async () => (await import('./plugin/plugin.ts')).definePlugin,
  },
  datasets: {
    description: 'list the datasets with state, age and terms, or fetch them',
    load: async () => (await import('./datasets.ts')).defineDatasets,
  },
  doctor: {
    description: 'say what is wrong with this installation, and what to do',
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
  backup: {
    description: 'copy the embedded store, also while the service runs',
    load: async () => (await import('./backup.ts')).defineBackup,
  },
  restore: {
    description: 'put a backup into an empty data directory',
    load: async () => (await import('./backup.ts')).defineRestore,
  },
  init: {
    description: 'answer five questions, and write a configuration',
    load: async () => (await import('./init.ts')).defineInit,
  },
  completion: {
    description: 'print the completion script of a shell',
    async load() {
      const { defineCompletion } = await import('./completion.ts')
      return (command, output) => defineCompletion(command, output, completeProgram)
    },
  },
  schemas: {
    description: 'write the JSON Schemas of result, config and problem, and openapi.json',
    load: async () => (await import('./schemas.ts')).defineSchemas,
  },
}

/**
 * Only the called command, or the one with requested help, gets its options; the others get a name and a description.
 */
async function createProgram([first = '', second = '']: readonly string[], output: Output): Promise<Command> {
  const commandName = first === 'help' ? second : first
  return programOf(output, name => name === commandName)
}

/** The program with the options of every command, to be described: for completion and the manual page. */
export const completeProgram = (): Promise<Command> =>
  programOf({ out: () => {}, err: () => {} }, name => commands[name]?.hidden !== true)

async function programOf(output: Output, isNeeded: (command: string) => boolean): Promise<Command> {
  const program = new Command(invocation())
    .description('Checks domain names and IP addresses: an explained risk score, a verdict and the facts behind them.')
    .version(version)
    .addHelpText('after', pasteable('\nExit codes: `assay help exit-codes`.'))
    .configureOutput({ writeOut: text => output.out(wrapText(text, output)), writeErr: output.err })
    .exitOverride()
    .hook('preAction', (_program, command) => requireNames(command))
  for (const [name, { description, load, hidden = false }] of Object.entries(commands)) {
    if (hidden && !isNeeded(name)) continue
    const command = program.command(name, { hidden }).description(description)
    if (isNeeded(name)) (await load())(command, output)
  }
  return program
}

/** Flags of options that name a file or a directory. */
const FILE = /<(?:file|dir)>/

/** Ends the command at an empty file name, which an unset variable causes: it would mean the working directory, or no option at all. */
function requireNames(command: Command | null): void {
  if (command === null) return
  const nameless = command.options.find(
    option => FILE.test(option.flags) && command.getOptionValue(option.attributeName()) === '',
  )
  if (nameless) throw new CliError(EXIT.usage, `${nameless.long} has an empty name`)
  requireNames(command.parent)
}
