// `assay lookalikes`: names that imitate a domain name, found here or by a running service.
import { type Command, Option } from 'commander'
import { systemClock } from '../base/clock.ts'
import { printable } from '../base/printable.ts'
import { createGuard } from '../network/guard.ts'
import { POLITE } from '../results/bulk/politeness.ts'
import { createRetryingCheck } from '../results/bulk/run.ts'
import { MOST_CANDIDATES } from '../results/lookalikes/candidates.ts'
import { findLookalikes, MOST_LOOKALIKES } from '../results/lookalikes/run.ts'
import {
  DEFAULT_JUDGED,
  LOOKALIKE_CHECKS,
  type LookalikeLine,
  type LookalikesSummary,
  lookalikeLine,
  PROGRESS_NAMES,
  progressLine,
  type ShownLookalike,
  summaryLine,
} from '../service/lookalikes.ts'
import { openRunService } from '../service/run_service.ts'
import { parseTarget } from '../targets/target.ts'
import { count } from './arguments.ts'
import { columns } from './columns.ts'
import { defectLines, defectText } from './defects.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { printNotices } from './notices.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { asking, type Service, serverOptions, serviceOf } from './server.ts'
import { interruption, SIGNAL_CODES } from './signals.ts'

interface LookalikesOptions extends SharedOptions {
  readonly judge: number
  readonly names?: number
  readonly format: 'table' | 'ndjson'
  readonly quiet?: boolean
}

const HELP = `
Examples:
  assay lookalikes example.com
  assay lookalikes example.com --judge 0 --format ndjson > names.ndjson
  assay lookalikes example.com --server https://assay.example.com

DNS says which names exist; the likeliest of them are checked like any target. docs/lookalikes.md explains the kinds, and how to get notified of new ones.`

export function defineLookalikes(command: Command, output: Output): void {
  command
    .argument('<domain>', 'the original, such as your own name')
    .option('--judge <n>', 'check at most this many; 0 contacts no site', count(0, MOST_LOOKALIKES), DEFAULT_JUDGED)
    .option('--names <n>', 'look up at most this many names, the likeliest first', count(1, MOST_CANDIDATES))
    .addOption(
      new Option('-f, --format <format>', 'table: at the end, ranked; ndjson: lines as they are found')
        .choices(['table', 'ndjson'])
        .default('table'),
    )
    .option('-q, --quiet', 'do not show progress')
  serverOptions(configOption(command)).action((domain: string, options: LookalikesOptions) =>
    lookFor(domain, options, output),
  )
  command.addHelpText('after', pasteable(HELP))
}

type Take = (line: LookalikeLine) => Promise<void>

async function lookFor(domain: string, options: LookalikesOptions, output: Output): Promise<void> {
  const results: ShownLookalike[] = []
  let summary: LookalikesSummary | null = null
  const screen = options.quiet === true ? undefined : output.screen
  const take: Take = async line => {
    if (line.lookalike !== undefined) results.push(line.lookalike)
    if (line.summary !== undefined) summary = line.summary
    if (line.progress !== undefined && screen !== undefined)
      output.err(`assay: ${line.progress.asked} names asked, ${line.progress.existing} exist\n`)
    if (options.format !== 'ndjson') return
    output.out(`${JSON.stringify(line)}\n`)
    await output.drained?.()
  }
  const service = serviceOf(options)
  const stop = interruption()
  try {
    await (service === null
      ? lookHere(domain, options, output, take, stop.signal)
      : asking(lookThere(service, domain, options, take, stop.signal)))
  } finally {
    stop.forget()
  }
  const by = stop.by()
  if (by !== null) throw new CliError(SIGNAL_CODES[by], 'interrupted')
  finish(results, summary, options, output)
}

/** Prints the table, and ends the command with an error when the search did not end. */
function finish(
  results: readonly ShownLookalike[],
  summary: LookalikesSummary | null,
  { format }: LookalikesOptions,
  { out, err }: Output,
): void {
  if (summary === null) throw new CliError(EXIT.temporary, 'the service ended before the search did')
  const { asked, existing, judged, unanswered, unproved, ended, ranking } = summary
  if (format === 'table') {
    const byName = new Map(results.map(one => [one.name, one]))
    const rows = ranking.flatMap(name => byName.get(name) ?? []).map(rowOf)
    out(rows.length === 0 ? 'No look-alikes exist.\n' : `${columns(rows)}\n`)
  }
  const notes = [
    ...(unanswered > 0 ? [`${unanswered} without an answer`] : []),
    ...(unproved > 0 ? [`${unproved} in zones that answer for every name`] : []),
  ]
  err(`assay: ${[`${asked} names asked, ${existing} exist, ${judged} judged`, ...notes].join('; ')}\n`)
  if (ended === 'unavailable')
    throw new CliError(EXIT.temporary, 'the search ended early: the resolver or the network does not work')
}

const SHARED_TRAITS: Readonly<Record<keyof NonNullable<ShownLookalike['shared']>, string>> = {
  title: 'same title',
  icon: 'same icon',
  form_target: 'form target in common',
  redirects_to: 'leads to the original',
  redirected_from: 'the original leads to it',
  name_servers: 'name server in common',
}
/** Characters of a title in a row. */
const TITLE = 40

function rowOf({ name, unicode, kind, mail, result, error, shared }: ShownLookalike): readonly string[] {
  const judgement = result === null ? (error?.code ?? 'not judged') : `${result.recommendation} ${result.risk_score}`
  const names = Object.entries(SHARED_TRAITS).flatMap(([what, text]) =>
    shared?.[what as keyof typeof SHARED_TRAITS] === true ? [text] : [],
  )
  const title = result?.title == null ? '' : `“${printable(result.title, TITLE)}”`
  const label = unicode === name ? name : `${name} (${printable(unicode, TITLE)})`
  return [
    label,
    kind,
    judgement,
    [...names, ...(mail === true ? ['receives mail'] : []), title].filter(Boolean).join(', '),
  ]
}

async function lookHere(
  domain: string,
  options: LookalikesOptions,
  { err }: Output,
  take: Take,
  signal: AbortSignal,
): Promise<void> {
  const { config, registry, environment } = await settle(options)
  const { deny, unsafe_allow, url_ports } = config.network
  const vetting = createGuard({ allow: unsafe_allow, deny, url_ports })
  const parsed = parseTarget({ domain, ip: null }, vetting)
  if (!parsed.ok) throw new CliError(EXIT.usage, parsed.detail)
  const most = config.lookalikes.names || MOST_CANDIDATES
  const { service, close } = await openRunService(config.store, {
    config,
    registry,
    extra_roots: environment.extra_roots,
    extensions: [defectLines(err)],
  })
  try {
    printNotices({ notices: service.notices, config, registry }, err)
    await service.start()
    const name = parsed.target.domain ?? domain
    const summary = await findLookalikes(
      {
        scanner: service.scanner,
        vetting,
        politeness: POLITE,
        concurrency: LOOKALIKE_CHECKS,
        monotonic: systemClock.monotonic,
        judge: createRetryingCheck(service.engine, (error, target) => err(`assay: ${defectText(error, target)}\n`)),
      },
      {
        name,
        names: options.names ?? most,
        judged: options.judge,
        client: 'the command',
        signal,
        write: lookalike => take(lookalikeLine(lookalike)),
        progressed(tally) {
          if (tally.asked % PROGRESS_NAMES === 0) void take(progressLine(tally))
        },
      },
    )
    await take(summaryLine(name, summary))
  } finally {
    await close()
  }
}

async function lookThere(
  { client }: Service,
  domain: string,
  { judge, names }: LookalikesOptions,
  take: Take,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of client.lookalikes(domain, { judge, ...(names !== undefined && { names }), signal }))
    await take(line as LookalikeLine)
}
