// `assay check`: one target, a recording of one, or all the names of a file.
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { POLITE } from '../bulk/politeness.ts'
import type { OneOptions } from './check_one.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { CONCURRENCY, type ManyOptions, REMOTE_CONCURRENCY } from './many_options.ts'
import { configOption } from './options.ts'
import type { Output } from './output.ts'
import { queueName } from './queue_name.ts'
import { COLOR_CHOICES } from './report/display.ts'
import { count } from './whole_number.ts'

const EXAMPLES = `
Examples:
  assay check example.com
  assay check example.com --section ssl_info --section cookies
  assay check example.com --json --fail-on suspicious
  assay check example.com --baseline yesterday.json --fail-on weakened
  assay check --input names.txt --output results.ndjson --csv summary.csv --sarif results.sarif
  generate-names | assay check --input - > results.ndjson
  assay check --input names.txt --output results.ndjson --redis redis://queue.internal:6379

Many names (--input): a name or an address a line; empty lines and lines that begin with # are passed over. Each line of
the results is a result with "input" and "line", or {"input", "line", "domain", "ip", "error"} for a line that names no
target or could not be checked. The results file is the journal: the same command goes on after an interruption,
kill -9 included, checks nothing twice, and tries again what could not be looked at. A name said twice is checked once.

Colour is used on a terminal; FORCE_COLOR, NO_COLOR and --color have a say. COLUMNS sets the width of the report.`

const FILES = ['input', 'output', 'csv', 'sarif', 'baseline'] as const

/** What is written would take the place of what is read, or was written. */
function requireApart(options: CheckOptions): void {
  const named = new Map<string, string>()
  for (const name of FILES) {
    const file = options[name]
    if (file === undefined || file === '-') continue
    const other = named.get(resolve(file))
    if (other !== undefined) throw new CliError(EXIT.usage, `--${other} and --${name} are the same file: ${file}`)
    named.set(resolve(file), name)
  }
}

const collect = (value: string, all: readonly string[] = []) => [...all, ...value.split(',')]

export type CheckOptions = OneOptions & ManyOptions & { readonly input?: string }

export function defineCheck(command: Command, output: Output): void {
  configOption(command)
    .argument('[target]', 'a domain name or an IP address')
    .option('--json', 'print the result as JSON')
    .option('--section <name>', 'show these sections only (repeat it, or separate by commas)', collect)
    .option('--ip <address>', 'check the domain at this address')
    .option('--record <file>', 'keep the evidence in a file')
    .option('--replay <file>', 'analyse the evidence of such a file again, without a network')
    .option('--baseline <file>', 'earlier results (JSON or NDJSON); tells what changed since')
    .addOption(
      new Option(
        '--fail-on <what>',
        'exit with 1 on this verdict or worse, or when --baseline shows a weakening',
      ).choices(['suspicious', 'malicious', 'weakened']),
    )
    .addOption(new Option('--color <when>', 'use colour').choices([...COLOR_CHOICES]).default('auto'))
  manyOptions(command).action((target: string | undefined, options: CheckOptions) => check(target, options, output))
  command.addHelpText('after', EXAMPLES)
}

const manyOptions = (command: Command) =>
  command
    .optionsGroup('Many names:')
    .option('--input <file>', 'check every name in the file; - reads standard input')
    .option('--output <file>', 'append results to this file and go on where it ends; standard output without it')
    .option('--csv <file>', 'also write a summary for spreadsheets')
    .option('--sarif <file>', 'also write SARIF 2.1.0, for code hosts and dashboards')
    .option(
      '--concurrency <n>',
      `checks at once (default: ${CONCURRENCY}; ${REMOTE_CONCURRENCY} with --redis)`,
      count(1, 1_000),
    )
    .option('--per-domain <n>', 'checks at once of one registrable domain', count(1, 100), POLITE.at_once)
    .option(
      '--pause <ms>',
      'from one start to the next within a registrable domain',
      count(0, 600_000),
      POLITE.pause_ms,
    )
    .option('--redis [url]', 'let `assay worker` processes do the checks; without URL through the store of --config')
    .option('--queue <name>', 'name of the queue there', queueName, 'assay')
    .option('--quiet', 'show no progress')

/** Options that say nothing for many names, and those that say nothing for one. */
const ONE_ONLY = ['ip', 'record', 'replay'] as const
const MANY_ONLY = ['output', 'csv', 'sarif', 'redis'] as const

async function check(target: string | undefined, options: CheckOptions, output: Output): Promise<void> {
  const { input } = options
  const misplaced = (input === undefined ? MANY_ONLY : ONE_ONLY).find(name => options[name] !== undefined)
  if (misplaced) {
    throw new CliError(EXIT.usage, `--${misplaced} goes ${input === undefined ? 'with' : 'without'} --input`)
  }
  if (options.failOn === 'weakened' && options.baseline === undefined) {
    throw new CliError(EXIT.usage, '--fail-on weakened needs --baseline')
  }
  // Loaded here, so that neither --help nor a mistake waits for all there is to check with.
  if (input === undefined) return (await import('./check_one.ts')).checkOne(target, options, output)
  if (target !== undefined) throw new CliError(EXIT.usage, 'give a target or --input, not both')
  requireApart(options)
  return (await import('./check_many.ts')).checkMany(input, options, output)
}
