// `assay history` lists kept results, `assay result` shows one of them.
import { type Command, Option } from 'commander'
import { visible } from '../base/visible.js'
import type { Result } from '../results/diff/known.ts'
import { historyTarget } from '../store/history.ts'
import { parseTarget, requestFor, unvetted } from '../targets/target.ts'
import { columns } from './columns.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { type OwnedEntry, withKept } from './kept_results.ts'
import {
  accountOption,
  configOption,
  dataOption,
  type KeptOptions,
  queryOption,
  settle,
  settleShipped,
} from './options.ts'
import type { Output } from './output.ts'
import { COLOR_CHOICES, type ColorChoice, displayOf } from './report/display.ts'
import { reportText } from './report/report.ts'
import { createReporter } from './report/reporter.ts'
import { serverOptions, serviceOf } from './server.ts'
import { queryShape, shapeOf } from './shape.ts'

const HELP = `
Examples:
  assay history example.com
  assay history example.com --query 'results[].recommendation'
  assay result Z443GSEZ-uCVpbXX0RxRuw
  assay diff Z443GSEZ-uCVpbXX0RxRuw kPz2mBv1TkyG4nQ0xYt7Wg

Asks the service of --server; without one, reads the store of the configuration, also while a service uses it. docs/history.md says what is kept.`

/** Entries of a list by default, and at most. */
export const ENTRIES = { usual: 100, most: 10_000 }

interface HistoryOptions extends KeptOptions {
  readonly limit: string
  readonly json?: boolean
  readonly query?: string
}

/** Members of the JSON of a history. */
const HISTORY = ['target', 'first_seen_at', 'results']

export function defineHistory(command: Command, { out, err }: Output): void {
  serverOptions(accountOption(dataOption(configOption(command))))
    .argument('[target]', 'a domain name or an IP address; all by default')
    .option('--limit <number>', 'list at most this many', `${ENTRIES.usual}`)
    .option('-j, --json', 'print JSON')
    .addOption(queryOption())
    .addHelpText('after', pasteable(HELP))
    .action(async (name: string | undefined, options: HistoryOptions) => {
      const limit = readLimit(options.limit)
      const shape = options.query === undefined ? null : queryShape(options.query, HISTORY, err)
      const target = name === undefined ? null : targetOf(name)
      const listing = await withKept(options, async results => ({
        target,
        first_seen_at: target === null ? null : await results.firstSeen(target),
        results: await results.list(target, limit),
      }))
      if (shape !== null) return out(`${JSON.stringify(shape(listing))}\n`)
      out(options.json ? `${JSON.stringify(listing)}\n` : historyText(listing.results, target))
    })
}

interface ResultOptions extends KeptOptions {
  readonly json?: boolean
  readonly query?: string
  readonly template?: string
  readonly html?: boolean
  readonly color: ColorChoice
}

export function defineResult(command: Command, output: Output): void {
  serverOptions(accountOption(dataOption(configOption(command))))
    .argument('<id>', 'the `result_id` of an answer, as `assay history` lists it')
    .option('-j, --json', 'print JSON')
    .addOption(queryOption().conflicts(['html', 'template']))
    .addOption(
      new Option('--template <text>', "print a line of text: '{{domain}} {{risk_score}}'").conflicts(['html', 'json']),
    )
    .option('--html', 'print the report as a single HTML page, for mails and tickets')
    .addOption(new Option('--color <when>', 'use colour').choices([...COLOR_CHOICES]).default('auto'))
    .addHelpText('after', pasteable(HELP))
    .action(async (id: string, options: ResultOptions) => {
      const isPlain = options.json && options.query === undefined
      output.out(isPlain ? `${JSON.stringify(await read(id, options))}\n` : await textOf(id, options, output))
    })
}

const read = (id: string, options: ResultOptions): Promise<Result> => withKept(options, results => results.result(id))

/** The same report as `assay check`, in the words of the plugins that are loaded now. */
async function textOf(id: string, options: ResultOptions, output: Output): Promise<string> {
  // The configuration of this machine says nothing about a service.
  const { registry } = await (serviceOf(options) === null ? settle(options) : settleShipped())
  try {
    const shape = shapeOf(options, registry, output.err)
    const result = await read(id, options)
    if (shape !== null) {
      const value = shape(result)
      return `${options.template === undefined ? JSON.stringify(value) : value}\n`
    }
    const { prepare, reportOf } = createReporter(registry, output)
    await prepare(result)
    if (options.html) return (await import('./report/html.ts')).reportPage(reportOf(result), JSON.stringify(result))
    return reportText(reportOf(result), displayOf(options.color, output))
  } finally {
    registry.close()
  }
}

export function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= ENTRIES.most) return limit
  throw new CliError(EXIT.usage, `--limit must be a number from 1 to ${ENTRIES.most}`)
}

/** Which targets may be checked can change, and does not matter here. */
function targetOf(text: string): string {
  const parsed = parseTarget(requestFor(text), unvetted)
  if (!parsed.ok) throw new CliError(EXIT.usage, parsed.detail)
  if (parsed.target.url) throw new CliError(EXIT.usage, 'results of URLs are not kept; name the domain')
  return historyTarget(parsed.target)
}

export function historyText(entries: readonly OwnedEntry[], target: string | null): string {
  if (entries.length === 0) return target === null ? 'No kept results.\n' : `No kept results of ${target}.\n`
  const rows = entries.map(({ checked_at, result_id, risk_score, verdict, recommendation, complete, kept, ...one }) => [
    checked_at,
    result_id,
    `${risk_score}`.padStart(3),
    verdict,
    recommendation,
    ...(target === null ? [visible(historyTarget(one))] : []),
    [complete ? '' : 'incomplete', kept ? '' : 'no longer kept'].filter(note => note !== '').join(', '),
  ])
  return `${columns(rows)}\n`
}
