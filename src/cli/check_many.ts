// `assay check` for many targets, of the command line or of a file: checked here or by workers, into a results file that an
// interrupted run continues.

import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { AssayError } from '../../clients/typescript/src/index.ts'
import { systemClock } from '../base/clock.ts'
import { unreadable } from '../base/files.ts'
import { visible } from '../base/visible.js'
import { createGuard } from '../network/guard.ts'
import { countLines, readInput } from '../results/bulk/lines.ts'
import { createOverflow } from '../results/bulk/overflow.ts'
import { createRunQueue } from '../results/bulk/politeness.ts'
import { createProgress, doneCount, duration, newTally, type Tally } from '../results/bulk/progress.ts'
import { type InputLine, type Task, UNAVAILABLE } from '../results/bulk/record.ts'
import { type BulkAnswer, createRetryingCheck, type Ran, runBulk, UNAVAILABLE_AFTER } from '../results/bulk/run.ts'
import { openRunService } from '../service/run_service.ts'
import { parseTarget, requestFor, type Target, unvetted } from '../targets/target.ts'
import { openAccepted } from './accepted.ts'
import { CONCURRENCY, type ManyFormat, REMOTE_CONCURRENCY, SERVED_CONCURRENCY } from './arguments.ts'
import { defectLines, defectText } from './defects.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { isStreamed } from './formats.ts'
import { pasteable } from './invocation.ts'
import { printNotices } from './notices.ts'
import { exchangeOptions, type LoadedSettings, requireBrowser, settle, settleShipped } from './options.ts'
import type { Output } from './output.ts'
import { failedMany, openBaseline, requireSections } from './result_options.ts'
import { type ManyOptions, type OutcomeCounts, openResultsSink, type ResultsSink } from './results_sink.ts'
import { refusalOf, type Service, serviceOf } from './server.ts'
import { shapeOf } from './shape.ts'
import { interruption, SIGNAL_CODES } from './signals.ts'

function settledText(tally: Tally): string {
  const { written, recommendations, incomplete, unsure, settled, duplicates, invalid, unavailable, broken } = tally
  const { block, review, allow } = recommendations
  const parts = [
    `${written} of ${tally.lines} written (${block} block, ${review} review, ${allow} allow)`,
    ...(incomplete > 0 ? [`${incomplete} incomplete`] : []),
    ...(unsure > 0 ? [`${unsure} with low confidence`] : []),
    ...(settled > 0 ? [`${settled} done before`] : []),
    ...(duplicates > 0 ? [`${duplicates} repeated`] : []),
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(unavailable > 0 ? [`${unavailable} could not be checked`] : []),
    ...(broken > 0 ? [`${broken} failed with an internal error`] : []),
  ]
  return parts.join(', ')
}

interface Finish {
  readonly ran: Ran
  readonly counts: OutcomeCounts
  readonly by: keyof typeof SIGNAL_CODES | null
  readonly options: ManyOptions
}

/** Throws the error that ends the command, the most serious first; returns when there is none. */
function throwFailure({ ran, counts, by, options }: Finish): void {
  const again = options.output === undefined ? '' : '; run the same command to continue'
  if (by !== null) {
    throw new CliError(
      SIGNAL_CODES[by],
      `interrupted after ${doneCount(ran.tally)} of ${ran.tally.lines} lines read${again}`,
    )
  }
  if (ran.ended === 'unavailable') {
    const why = ran.because === null ? '' : ` (${visible(ran.because).replace(/\.$/, '')})`
    const rest = `stopped after ${doneCount(ran.tally)} lines: ${UNAVAILABLE_AFTER} targets in a row could not be checked${why}`
    const how = options.output === undefined ? '; with --output, the same command continues where it stopped' : again
    throw new CliError(EXIT.temporary, pasteable(`${rest}; \`assay doctor\` says what is down${how}`))
  }
  const { failOn } = options
  if (failOn !== undefined && counts.matches[failOn] > 0) {
    throw new CliError(EXIT.failed_on, failedMany(failOn, counts.matches[failOn]))
  }
  if (counts.broken > 0) {
    const checks = counts.broken === 1 ? 'check' : 'checks'
    throw new CliError(
      EXIT.internal,
      `${counts.broken} ${checks} failed with an internal error; run the same command to retry`,
    )
  }
  if (counts.unavailable > 0) {
    throw new CliError(EXIT.temporary, `${counts.unavailable} could not be checked; run the same command to retry`)
  }
  if (counts.invalid > 0) {
    throw new CliError(
      EXIT.input,
      `${counts.invalid} ${counts.invalid === 1 ? 'line is not a valid target' : 'lines are not valid targets'}`,
    )
  }
}

interface Checks {
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

async function openChecks(options: ManyOptions, setting: LoadedSettings, { err }: Output): Promise<Checks> {
  if (options.store !== undefined) {
    // Loaded only when needed: the client of PostgreSQL takes a tenth of a second.
    const { openRemoteChecks, storeUrl } = await import('./remote.ts')
    const { store, queue, maxAge } = options
    return openRemoteChecks(storeUrl(store, setting.config), { queue, age_ms: maxAge * 1_000, err })
  }
  const { config, registry, environment } = setting
  const extensions = [defectLines(err)]
  const { extra_roots } = environment
  const { service, close } = await openRunService(config.store, { config, registry, extra_roots, extensions })
  if (options.render) requireBrowser(service.rendering)
  printNotices({ notices: service.notices, config, registry }, err)
  await service.start()
  const check = createRetryingCheck(service.engine, (error, target) => err(`assay: ${defectText(error, target)}\n`))
  return {
    check,
    close,
  }
}

/** A run can wait for a service that is busy. */
const SERVED_PATIENCE = { retries: 6, wait_ms: 60_000 }

/** Checks by a running service. A refusal of the key or of the quota ends the run, which can be continued. */
function servedChecks({ client }: Service, { fresh }: ManyOptions): Checks {
  return {
    async check({ domain, ip, url, visit, render }, over) {
      const target =
        url !== null ? { url: url.href } : domain !== null ? { domain, ...(ip !== null && { ip }) } : { ip }
      const options = { signal: over, ...(!visit && { visit }), ...(render && { render }), ...(fresh && { fresh }) }
      try {
        return { ok: true, result: await client.check(target, options) }
      } catch (error) {
        if (over.aborted) return null
        if (!(error instanceof AssayError)) throw error
        const { code, status, message: detail } = error
        if (ENDING.has(code)) throw refusalOf(error)
        return { ok: false, error: { code: REFUSAL_STATUSES.includes(status ?? 0) ? code : UNAVAILABLE, detail } }
      }
    },
    close: async () => {},
  }
}

/** Statuses by which a service refuses a target. */
const REFUSAL_STATUSES = [400, 422]
/** Problems that every further check would have, too. */
const ENDING = new Set(['missing-api-key', 'invalid-api-key', 'quota-exceeded', 'unreadable'])

function defaultConcurrency(service: Service | null, { store }: ManyOptions): number {
  if (service !== null) return SERVED_CONCURRENCY
  return store === undefined ? CONCURRENCY : REMOTE_CONCURRENCY
}

/** A file of targets, `-` for standard input, or the targets themselves. */
export type Input = string | readonly string[]

export async function checkMany(input: Input, options: ManyOptions, output: Output): Promise<void> {
  if (isFile(input)) requireReadable(input)
  const service = serviceOf(options, SERVED_PATIENCE)
  const setting = await (service === null ? settle(options) : settleShipped())
  const format = formatOf(input, options)
  if (service === null) requireSections(options.section, setting.registry)
  const shape = shapeOf(options, setting.registry, output.err)
  const acceptance = openAccepted(options.ignore, setting.registry, output.err, systemClock.now())
  const baseline = options.baseline === undefined ? null : await openBaseline(options.baseline)
  const { registry, config } = setting
  const exchange = exchangeOptions(config)
  const sink = await openResultsSink({
    input,
    options,
    format,
    baseline,
    shape,
    acceptance,
    registry,
    exchange,
    output,
  })
  const stop = interruption()
  try {
    const began = performance.now()
    const ran = await runAll(input, options, { setting, service, format, sink, output, stop: stop.signal })
    await sink.close(ran.ended === 'whole')
    acceptance.finish()
    output.err(`assay: ${settledText(ran.tally)}; ${duration((performance.now() - began) / 1_000)}\n`)
    throwFailure({ ran, counts: sink.counts, by: stop.by(), options })
  } finally {
    stop.forget()
    await sink.release()
    await baseline?.close()
  }
}

/** A results file is a journal, which is NDJSON; targets of the command line are read by a person. */
function formatOf(input: Input, { format, output }: ManyOptions): ManyFormat {
  if (format === 'html') throw new CliError(EXIT.usage, 'an HTML report is of one target')
  if (format !== undefined) return format
  if (output !== undefined || typeof input === 'string') return 'ndjson'
  return input.length === 1 ? 'report' : 'brief'
}

const isFile = (input: Input): input is string => typeof input === 'string' && input !== '-'

/** The targets of the command line as lines, numbered by their position. */
async function* linesOf(targets: readonly string[]): AsyncGenerator<InputLine> {
  for (const [i, text] of targets.entries()) yield { line: i + 1, text: text.trim() }
}

const openInput =
  (input: Input) =>
  (over: AbortSignal): AsyncIterable<InputLine> => {
    if (typeof input !== 'string') return linesOf(input)
    return readInput(input === '-' ? process.stdin : createReadStream(input), over)
  }

/** Null when it is not known before the end. */
async function countOf(input: Input, stop: AbortSignal): Promise<number | null> {
  if (typeof input !== 'string') return input.length
  return isFile(input) && statSync(input).isFile() ? countLines(input, stop) : null
}

/** Ends the command when the input cannot be read. Does not open a pipe, because reading would consume it. */
function requireReadable(input: string): void {
  try {
    accessSync(input, constants.R_OK)
    if (statSync(input).isDirectory()) throw new Error('is a directory')
  } catch (error) {
    throw new CliError(EXIT.usage, `${input}: ${unreadable(error)}`)
  }
}

interface ManyParts {
  readonly setting: LoadedSettings
  /** Null when this machine checks. */
  readonly service: Service | null
  readonly format: ManyFormat
  readonly sink: ResultsSink
  readonly output: Output
  readonly stop: AbortSignal
}

async function runAll(
  input: Input,
  options: ManyOptions,
  { setting, service, format, sink, output, stop }: ManyParts,
): Promise<Ran> {
  const { deny, unsafe_allow, url_ports } = setting.config.network
  const { test_targets } = setting.config.check
  // A service knows itself what it may check.
  const vetting = service === null ? createGuard({ allow: unsafe_allow, deny, url_ports, test_targets }) : unvetted
  const checks = service === null ? await openChecks(options, setting, output) : servedChecks(service, options)
  const overflow = createOverflow<Task>()
  const tally = newTally()
  const total = await countOf(input, stop)
  const progress = createProgress({ tally, total, screen: output.screen ?? null, write: output.err })
  // Records on the same terminal show enough progress.
  const isShowing = options.output === undefined && output.columns !== undefined && isStreamed(format)
  const isQuiet = options.quiet === true || isShowing
  const concurrency = options.concurrency ?? defaultConcurrency(service, options)
  const politeness = { at_once: options.perDomain, pause_ms: options.pause }
  if (!isQuiet) progress.start()
  try {
    return await runBulk({
      input: openInput(input),
      parse: text =>
        parseTarget({ ...requestFor(text), visit: options.visit, render: options.render ?? false }, vetting),
      settled: sink.settled,
      queue: createRunQueue(politeness, concurrency, systemClock.monotonic),
      overflow,
      check: (target, over) => checks.check(target, over),
      write: sink.write,
      stop,
      tally,
    })
  } finally {
    if (!isQuiet) progress.stop()
    overflow.close()
    await checks.close()
  }
}
