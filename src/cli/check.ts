// `assay check`: one target, the recording of one, several targets, or all names in a file.

import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { POLITE } from '../results/bulk/politeness.ts'
import {
  CONCURRENCY,
  count,
  DEFAULT_QUEUE,
  FORMATS,
  formatOfFile,
  MAX_AGE,
  NO_TARGET,
  type OutputFormat,
  queueName,
  REMOTE_CONCURRENCY,
} from './arguments.ts'
import type { OneOptions } from './check_one.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { configOption, queryOption } from './options.ts'
import type { Output } from './output.ts'
import { COLOR_CHOICES } from './report/display.ts'
import { FAIL_ON } from './result_options.ts'
import type { ManyOptions } from './results_sink.ts'
import { serverOptions } from './server.ts'

const EXAMPLES = `
Examples:
  assay check example.com
  assay check example.com example.org 192.0.2.7
  assay check 'https://example.com/path?id=1' --no-visit
  assay check example.com --render --section rendered
  assay check example.com --section ssl_info --section cookies
  assay check example.com -j --fail-on review
  assay check jane@example.com
  assay check example.com --fields recommendation,risk_score,signals
  assay check example.com --query "signal_details[?severity=='high'].id"
  assay check example.com example.org --template '{{domain}} {{recommendation}} {{risk_score}}'
  assay check --input names.txt --format table
  assay check example.com --baseline yesterday.json --fail-on weakened
  assay check --input names.txt --output results.ndjson --csv summary.csv --sarif results.sarif
  generate-names | assay check --input - > results.ndjson
  assay check --input names.txt --output results.ndjson --store postgres://queue.internal/assay
  assay check example.com --server https://assay.example.com

Formats: \`report\` for one target (the default for one), \`brief\` with one line per target (the default for several), \`table\`
aligned and in the order of the input, \`json\` (one object, or an array of several), \`ndjson\` with one result per line (the
default for --input and --output), \`csv\` for spreadsheets, \`sarif\` for code hosts,
\`stix\` and \`misp\` for platforms that share threats: one bundle or event per line, \`html\` (one target; also for -o report.html)
a page of its own for mails and tickets.

With --server, or after \`assay login\`, a running service checks: results are in its history, and count against the quota of the key.

Many targets: --input has one name, address or URL per line; empty lines and lines that begin with # are skipped. Each line of
NDJSON is a result with "input" and "line", or {"input", "line", "domain", "ip", "url", "error"} for a line that is not a
valid target or could not be checked. An NDJSON file is also the journal: after an interruption, even kill -9, run the same
command again. It continues, checks nothing twice, and retries what could not be checked. Files of other formats are written
when all targets are checked. A repeated name is checked once.

--fail-on review matches every recommendation other than allow: block and review, including a safe target with too little
coverage. incomplete matches results with incomplete coverage; suspicious and malicious look only at the verdict.

Accepted findings: each line of .assayignore is a signal, a name or address (*.example.com: the names below it), the last day and a
reason. They are shown as accepted, and --fail-on review, suspicious and malicious judge what is left without them.

Brands: a page that poses as a brand, and a name that imitates one, are reported with the brand and what shows it. The brand's
own names are not: those in the table of brands, and those that a certificate, networks or name servers of the owner prove to be
its. Add brands of your own with \`brands\` in the configuration.

Colour is used on a terminal; FORCE_COLOR, NO_COLOR and --color override this. COLUMNS sets the width of the report. Exit codes: \`assay help exit-codes\`.`

const FILES = ['input', 'output', 'csv', 'sarif', 'baseline', 'ignore', 'record', 'replay'] as const

/** Ends the command when two options name the same file: one would overwrite the other. */
function requireApart(options: CheckCommandOptions): void {
  const optionOf = new Map<string, string>()
  for (const name of FILES) {
    const file = options[name]
    if (file === undefined || file === '-') continue
    const other = optionOf.get(resolve(file))
    if (other !== undefined) throw new CliError(EXIT.usage, `--${other} and --${name} are the same file: ${file}`)
    optionOf.set(resolve(file), name)
  }
}

const collect = (value: string, all: readonly string[] = []) => [...all, ...value.split(',')]

type CheckCommandOptions = OneOptions & ManyOptions & { readonly input?: string; readonly json?: boolean }

export function defineCheck(command: Command, output: Output): void {
  configOption(command)
    .argument('[targets...]', 'domain names, IP addresses or URLs')
    .addOption(new Option('-f, --format <name>', 'how to write the results').choices(FORMATS))
    .addOption(new Option('-j, --json', 'the same as --format json').conflicts('format'))
    .option(
      '-o, --output <file>',
      'write the results to this file; NDJSON is appended, and continues where the file ends',
    )
    .option('--section <name>', 'show only these sections (repeatable, or separated by commas)', collect)
    .option(
      '--fields <names>',
      'write only these fields of each result as JSON: recommendation,ssl_info.expires_at (repeatable)',
      collect,
    )
    .addOption(queryOption().conflicts(['fields', 'template']))
    .addOption(
      new Option(
        '--template <text>',
        "write a line of text for each result: '{{domain}} {{recommendation}} {{risk_score}}'",
      ).conflicts(['fields', 'format', 'json']),
    )
    .option('--ip <address>', 'check the domain at this address')
    .option('--no-visit', 'do not contact the site: judge by name, DNS, registration and lists')
    .option('--render', 'open the page in a browser, also if the served page shows enough')
    .option('--record <file>', 'write the evidence to a file')
    .option('--redact', 'omit the values in queries of URLs from the recorded evidence')
    .option('--replay <file>', 'analyse recorded evidence again, without a network')
    .option('--baseline <file>', 'compare with earlier results (JSON or NDJSON)')
    .addOption(
      new Option(
        '--fail-on <what>',
        'exit with 1 on this verdict or worse, on a recommendation to review or block, on incomplete coverage, or when --baseline shows a weakening',
      ).choices(FAIL_ON),
    )
    .option(
      '--ignore <file>',
      'findings that are accepted, with a reason and a last day (default: .assayignore, if there is one)',
    )
    .addOption(new Option('--color <when>', 'use colour').choices([...COLOR_CHOICES]).default('auto'))
  serverOptions(manyOptions(command).optionsGroup('A running service:'))
    .option('--fresh', 'with --server: check again instead of taking a cached result')
    .action((targets: readonly string[], { json, ...options }: CheckCommandOptions) =>
      check(targets, json ? { ...options, format: 'json' } : options, output),
    )
  command.addHelpText('after', pasteable(EXAMPLES))
}

const manyOptions = (command: Command) =>
  command
    .optionsGroup('Many targets:')
    .option('--input <file>', 'check every name in the file; - reads standard input')
    .option('--csv <file>', 'also write a summary for spreadsheets')
    .option('--sarif <file>', 'also write SARIF 2.1.0, for code hosts and dashboards')
    .option(
      '--concurrency <n>',
      `concurrent checks (default: ${CONCURRENCY}; ${REMOTE_CONCURRENCY} with --store)`,
      count(1, 1_000),
    )
    .option('--per-domain <n>', 'concurrent checks of one registrable domain', count(1, 100), POLITE.at_once)
    .option(
      '--pause <ms>',
      'milliseconds between the starts of two checks of a registrable domain',
      count(0, 600_000),
      POLITE.pause_ms,
    )
    .option(
      '--store [url]',
      'let worker processes run the checks (command `worker`); without a URL, through the store of --config',
    )
    .option('--queue <name>', 'name of the queue', queueName, DEFAULT_QUEUE)
    .option(
      '--max-age <seconds>',
      'with --store: use answers that another run got at most so long ago',
      count(0, MAX_AGE.most),
      MAX_AGE.usual,
    )
    .option('-q, --quiet', 'do not show progress')

/** Options for one target only, and what implies many targets. */
const ONE_ONLY = ['ip', 'record', 'redact', 'replay'] as const
const MANY = ['csv', 'sarif', 'store'] as const

/** Formats that one check writes by itself. */
const ONE_FORMATS: readonly (OutputFormat | undefined)[] = [
  'report',
  'brief',
  'json',
  'stix',
  'misp',
  'html',
  'template',
]

/** What makes this a check of many targets, as a part of a sentence; null for one target or a recording. */
function manyBecause(targets: readonly string[], options: CheckCommandOptions): string | null {
  if (options.input !== undefined) return '--input'
  if (targets.length > 1) return 'several targets'
  const manyOption = MANY.find(name => options[name] !== undefined)
  if (manyOption !== undefined) return `--${manyOption}`
  const isJournal = options.output !== undefined && ONE_ONLY.every(name => options[name] === undefined)
  const { format = isJournal ? 'ndjson' : 'report' } = options
  return ONE_FORMATS.includes(format) ? null : `--format ${format}`
}

/** Fields and answers to queries are JSON: one for one target, a line each for several. */
function formatOfShape({ fields, query, template, input }: CheckCommandOptions): OutputFormat | undefined {
  if (template !== undefined) return 'template'
  if (fields === undefined && query === undefined) return undefined
  return input === undefined ? 'json' : 'ndjson'
}

/** Ends the command when --fields or --query would have no effect, or would leave out what a run needs to continue. */
function requireJson({ fields, query, format, output = '-' }: CheckCommandOptions): void {
  if (fields === undefined && query === undefined) return
  const option = fields === undefined ? '--query' : '--fields'
  if (format !== 'json' && format !== 'ndjson')
    throw new CliError(EXIT.usage, `${option} is for --format json and ndjson, not ${format}`)
  if (format === 'ndjson' && output !== '-')
    throw new CliError(
      EXIT.usage,
      `${option} cannot be used with an NDJSON file, which is also the journal; use --format json`,
    )
}

async function check(targets: readonly string[], commandLine: CheckCommandOptions, output: Output): Promise<void> {
  const format = commandLine.format ?? formatOfFile(commandLine.output) ?? formatOfShape(commandLine)
  const options = format === undefined ? commandLine : { ...commandLine, format }
  const { input } = options
  const many = manyBecause(targets, options)
  const misplacedOption = many === null ? undefined : ONE_ONLY.find(name => options[name] !== undefined)
  if (misplacedOption) throw new CliError(EXIT.usage, `--${misplacedOption} cannot be used with ${many}`)
  if (options.redact && options.record === undefined) throw new CliError(EXIT.usage, '--redact requires --record')
  if (options.failOn === 'weakened' && options.baseline === undefined) {
    throw new CliError(EXIT.usage, '--fail-on weakened requires --baseline')
  }
  if (options.render && !options.visit) throw new CliError(EXIT.usage, '--render cannot be used with --no-visit')
  requireApart(options)
  requireJson(options)
  // Loaded here, so that neither --help nor a usage error loads what only checks need.
  if (many === null) return (await import('./check_one.ts')).checkOne(targets[0], options, output)
  if (input !== undefined && targets.length > 0) throw new CliError(EXIT.usage, 'give targets or --input, not both')
  if (input === undefined && targets.length === 0) throw new CliError(EXIT.usage, NO_TARGET)
  return (await import('./check_many.ts')).checkMany(input ?? targets, options, output)
}
