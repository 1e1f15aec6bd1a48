// One check without a server. Also records it, replays a recording without a network, and reports what changed.

import { systemClock } from '../base/clock.ts'
import { describeError } from '../base/errors.ts'
import { readTextFile } from '../base/files.ts'
import type { Config } from '../config/config.ts'
import type { Analysis } from '../engine/analysis.ts'
import { AnalysisUnavailable } from '../engine/analysis.ts'
import { parseRecording, type Recording, record, replay } from '../engine/recording.ts'
import { redact } from '../engine/redaction.ts'
import type { Registry } from '../engine/registry.ts'
import type { Report } from '../engine/report/schema.ts'
import { selectSections } from '../engine/selection.ts'
import { disposableLists } from '../knowledge/datasets/choose.ts'
import { type TargetFields, targetKey } from '../results/bulk/record.ts'
import { type Difference, diffResults } from '../results/diff/diff.ts'
import { emailFacts } from '../results/email.ts'
import { type ExchangeOptions, exchangeText } from '../results/exchange/formats.ts'
import { type CheckService, createService } from '../service/service.ts'
import { isPair, parseTarget, requestForOne, type Target } from '../targets/target.ts'
import { type Acceptance, acceptedBlock, openAccepted } from './accepted.ts'
import { NO_TARGET, type OutputFormat } from './arguments.ts'
import { changesBlock } from './diff.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { briefLine } from './formats.ts'
import { printNotices } from './notices.ts'
import {
  exchangeOptions,
  type LoadedSettings,
  requireBrowser,
  type SharedOptions,
  settle,
  settleShipped,
} from './options.ts'
import { type Output, writeText } from './output.ts'
import { type ColorChoice, type Display, displayOf } from './report/display.ts'
import { reportText } from './report/report.ts'
import { createReporter, type Reporter } from './report/reporter.ts'
import { type FailOn, failedOne, foundBy, openBaseline, requireAnswered, requireSections } from './result_options.ts'
import { asking, type Service, servedTarget, serviceOf } from './server.ts'
import { type RecordShape, type ShapeOptions, shapeOf } from './shape.ts'

/** Ends the command when the file is not a recording. */
export function readRecording(file: string): Recording {
  try {
    return parseRecording(readTextFile(file))
  } catch (error) {
    throw new CliError(EXIT.usage, `${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** The result of a recorded check under these settings; ends the command when the check observed nothing. */
export async function analyseAgain(
  recording: Recording,
  { config, registry }: LoadedSettings,
): Promise<Readonly<Record<string, unknown>>> {
  const service = await createService({ config, registry, ...replayParts(recording) })
  try {
    return (await service.engine.check(recording.target)).result
  } catch (error) {
    throw nothingSeen(error)
  } finally {
    await service.close()
  }
}

/** What makes a service judge recorded evidence. */
function replayParts(recording: Recording) {
  const { extension, ...then } = replay(recording)
  return { extensions: [extension], ...then, replayed: true }
}

/** The error that ends the command: without any observation there is no verdict. */
const nothingSeen = (error: unknown): unknown =>
  error instanceof AnalysisUnavailable
    ? new CliError(
        EXIT.temporary,
        `${error.detail ?? `nothing could be checked (${error.reason}).`} No verdict is given.`,
      )
    : error

export interface OneOptions extends SharedOptions, ShapeOptions {
  readonly format?: OutputFormat
  /** File of the results; standard output without one, or for `-`. */
  readonly output?: string
  readonly section?: readonly string[]
  readonly ip?: string
  /** False when the site must not be contacted. */
  readonly visit: boolean
  /** True when a browser must open the page. */
  readonly render?: boolean
  /** True when a service must check again instead of taking a cached result. */
  readonly fresh?: boolean
  readonly record?: string
  readonly redact?: boolean
  readonly replay?: string
  readonly baseline?: string
  /** File of the accepted findings. */
  readonly ignore?: string
  readonly failOn?: FailOn
  readonly color?: ColorChoice
}

type Result = Readonly<Record<string, unknown>>

export async function checkOne(text: string | undefined, options: OneOptions, output: Output): Promise<void> {
  const { err } = output
  const remoteService = serviceOf(options)
  if (remoteService !== null) return checkServed(text, options, remoteService, output)
  const recording = options.replay === undefined ? null : readRecording(options.replay)
  const { service, config, registry, exchange, lists } = await openService(options, recording)
  try {
    requireSections(options.section, registry)
    const shape = shapeOf(options, registry, err)
    const acceptance = openAccepted(options.ignore, registry, err, systemClock.now())
    const target = targetOf(text, options, recording, service)
    const before = options.baseline === undefined ? null : await earlier(options.baseline, targetKey(target))
    if (recording === null) await prepare(service, config, registry, err)
    const { result, analysis } = await run(service, target, recording)
    for (const { plugin, stage, error } of analysis.defects)
      err(`assay: ${plugin} failed at ${stage}: ${describeError(error)}\n`)
    const difference = before === null ? null : diffResults(before, result)
    const isEmail = text !== undefined && requestForOne(text).email != null
    const email = isEmail ? { email: emailFacts(result, lists) } : {}
    const exchanging = { ...exchange, is_pair: isPair(target) }
    const markedResult = acceptance.mark(result)
    await show({ ...markedResult, ...email }, difference, { options, shape, registry, exchange: exchanging, output })
    if (options.record) writeText(options.record, recordingOf(analysis, result.process_time_ms, options))
    acceptance.finish()
    failOn({ ...markedResult, changes: difference?.changes }, options.failOn, acceptance)
  } finally {
    await service.close()
  }
}

/** Asks a running service, and shows its result in the words of the plugins that assay ships. */
async function checkServed(
  text: string | undefined,
  options: OneOptions,
  { client, url }: Service,
  output: Output,
): Promise<void> {
  if (text === undefined) throw new CliError(EXIT.usage, NO_TARGET)
  const { ip, visit, render, fresh, section } = options
  const { registry, config } = await settleShipped()
  try {
    const shape = shapeOf(options, registry, output.err)
    const acceptance = openAccepted(options.ignore, registry, output.err, systemClock.now())
    const target = servedTarget(text, ip)
    const askedFor = { ...(!visit && { visit }), ...(render && { render }), ...(fresh && { fresh }) }
    const result: Result = await asking(client.check(target, askedFor))
    requireAnswered(section, result)
    const before =
      options.baseline === undefined
        ? null
        : await earlier(options.baseline, targetKey(result as unknown as TargetFields))
    const difference = before === null ? null : diffResults(before, result)
    const exchange = { ...exchangeOptions(config), public_url: url, is_pair: ip !== undefined }
    const markedResult = acceptance.mark(result)
    await show(markedResult, difference, { options, shape, registry, exchange, output })
    acceptance.finish()
    failOn({ ...markedResult, changes: difference?.changes }, options.failOn, acceptance)
  } finally {
    registry.close()
  }
}

interface ShowOptions {
  readonly options: OneOptions
  readonly shape: RecordShape | null
  readonly registry: Registry
  readonly exchange: ExchangeOptions
  readonly output: Output
}

async function show(result: Result, difference: Difference | null, { output, ...rest }: ShowOptions): Promise<void> {
  const { options } = rest
  const { color = 'auto', output: file = '-' } = options
  const display = displayOf(color, file === '-' ? output : {})
  const text = await textOf(result, difference, { ...rest, display, reporter: createReporter(rest.registry, output) })
  if (file === '-') output.out(text)
  else writeText(file, text)
}

interface TextOptions extends Omit<ShowOptions, 'output'> {
  readonly display: Display
  readonly reporter: Reporter
}

async function textOf(
  result: Result,
  difference: Difference | null,
  { options: { format, section }, shape, registry, exchange, display, reporter }: TextOptions,
): Promise<string> {
  if (format === 'json') {
    const selection = { ...selectSections(result, section, registry), ...difference }
    return `${JSON.stringify(shape === null ? selection : shape(selection))}\n`
  }
  if (format === 'template') return `${shape?.(selectSections(result, section, registry))}\n`
  if (format === 'stix' || format === 'misp') {
    return `${exchangeText(format, selectSections(result, section, registry), exchange)}\n`
  }
  if (format === 'brief') return `${briefLine({ input: '', line: 1, ...result, ...difference }, display)}\n`
  await reporter.prepare(result)
  if (format === 'html') return htmlOf(reporter.reportOf(result), result, section)
  return (
    reportText(reporter.reportOf(result), display, section) +
    (difference === null ? '' : changesBlock(difference, display)) +
    acceptedBlock(result, display)
  )
}

async function htmlOf(report: Report, result: Result, sectionNames: readonly string[] | undefined): Promise<string> {
  // Loaded here: no other format needs a document.
  const { reportPage } = await import('./report/html.ts')
  const sections = report.sections.filter(({ name }) => sectionNames?.includes(name) ?? true)
  return reportPage({ ...report, sections }, JSON.stringify(result))
}

/** The result of the target in the baseline; ends the command when there is none. */
async function earlier(file: string, target: string): Promise<Result> {
  const baseline = await openBaseline(file)
  try {
    const result = await baseline.read(target)
    if (result === null) throw new CliError(EXIT.usage, `${file}: no result for ${target}`)
    return result
  } finally {
    await baseline.close()
  }
}

function recordingOf(analysis: Analysis, processTimeMs: number, { redact: isRedacted }: OneOptions): string {
  const recording = record(analysis, processTimeMs)
  return `${JSON.stringify(isRedacted ? redact(recording) : recording)}\n`
}

/** A live check prints the notices and proves its instruments first. */
async function prepare(service: CheckService, config: Config, registry: Registry, err: Output['err']): Promise<void> {
  printNotices({ notices: service.notices, config, registry }, err)
  await service.start()
}

async function openService(
  options: OneOptions,
  recording: Recording | null,
): Promise<{
  service: CheckService
  config: Config
  registry: Registry
  exchange: ExchangeOptions
  lists: readonly string[]
}> {
  const { config, registry, environment } = await settle(options)
  const { extra_roots } = environment
  const parts = recording === null ? {} : replayParts(recording)
  const service = await createService({ config, registry, extra_roots, ...parts })
  return { service, config, registry, exchange: exchangeOptions(config), lists: disposableLists(config.datasets) }
}

function targetOf(
  text: string | undefined,
  { ip, visit, render = false }: OneOptions,
  recording: Recording | null,
  { guard, rendering }: CheckService,
): Target {
  if (recording !== null) {
    if (render) throw new CliError(EXIT.usage, '--render cannot be used with --replay: nothing is opened')
    if (text === undefined && ip === undefined) return recording.target
    throw new CliError(EXIT.usage, 'the recording contains the target; do not give one with --replay')
  }
  if (text === undefined) throw new CliError(EXIT.usage, NO_TARGET)
  if (render) requireBrowser(rendering)
  const request = requestForOne(text)
  if (ip !== undefined && request.domain === null) throw new CliError(EXIT.usage, '--ip requires a domain name')
  const parsed = parseTarget({ ...request, ...(ip !== undefined && { ip }), visit }, guard)
  // An e-mail address is not repeated.
  if (!parsed.ok) throw new CliError(EXIT.usage, request.email == null ? `${text}: ${parsed.detail}` : parsed.detail)
  return parsed.target
}

interface CheckOutcome {
  readonly result: Result & { readonly process_time_ms: number }
  readonly analysis: Analysis
}

/** Runs the check and adds the members that belong to the request. */
async function run({ engine }: CheckService, target: Target, recording: Recording | null): Promise<CheckOutcome> {
  const began = performance.now()
  const analyses: Analysis[] = []
  try {
    const { result } = await engine.check(target, { observe: analysis => analyses.push(analysis) })
    const processTimeMs = recording?.durations.check ?? Math.round(performance.now() - began)
    return { result: { ...result, process_time_ms: processTimeMs, cached: false }, analysis: analyses[0] as Analysis }
  } catch (error) {
    throw nothingSeen(error)
  }
}

function failOn(result: Result, what: FailOn | undefined, { judge }: Acceptance): void {
  const remainder = judge(result)
  if (what !== undefined && foundBy(remainder).includes(what)) {
    throw new CliError(EXIT.failed_on, failedOne(what, remainder))
  }
}
