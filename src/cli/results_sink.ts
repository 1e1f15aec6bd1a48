// Where the records of a run go: the results file or standard output, compared with a baseline, and summarised at the end.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../base/package_root.ts'
import type { Registry } from '../engine/registry.ts'
import { selectSections } from '../engine/selection.ts'
import { keepsText, NotResults, openJournal, readRecords } from '../results/bulk/journal.ts'
import {
  type BulkRecord,
  type ErrorRecord,
  INTERNAL,
  isError,
  RECORD_MEMBERS,
  UNAVAILABLE,
} from '../results/bulk/record.ts'
import { artifactUri, type Rule } from '../results/bulk/sarif.ts'
import { type SarifOptions, sarifParts, writeCsv, writeSarif, writeWhole } from '../results/bulk/summaries.ts'
import { diffResults } from '../results/diff/diff.ts'
import { type ResultsFile, targetOf } from '../results/diff/results_file.ts'
import type { ExchangeOptions } from '../results/exchange/formats.ts'
import type { Acceptance } from './accepted.ts'
import type { ManyFormat } from './arguments.ts'
import type { OneOptions } from './check_one.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { createRendering, type RenderingOptions } from './formats.ts'
import type { Output } from './output.ts'
import { displayOf } from './report/display.ts'
import { createReporter } from './report/reporter.ts'
import { FAIL_ON, type FailOn, foundBy } from './result_options.ts'
import type { RecordShape } from './shape.ts'

export interface ManyOptions extends OneOptions {
  readonly csv?: string
  readonly sarif?: string
  readonly concurrency?: number
  readonly perDomain: number
  readonly pause: number
  /** URL; true for the store of the configuration. */
  readonly store?: string | true
  readonly queue: string
  readonly maxAge: number
  readonly quiet?: boolean
}

/** Counts over all results, including results of earlier runs. */
export interface OutcomeCounts {
  /** Targets by the `--fail-on` values that match them. */
  readonly matches: Record<FailOn, number>
  unavailable: number
  /** Targets with a check that failed with an internal error. */
  broken: number
  /** Lines that are not valid targets. */
  invalid: number
}

const newSeen = (): OutcomeCounts => ({
  matches: Object.fromEntries(FAIL_ON.map(name => [name, 0])) as OutcomeCounts['matches'],
  unavailable: 0,
  broken: 0,
  invalid: 0,
})

export type ResultsSink = Awaited<ReturnType<typeof openResultsSink>>

interface SinkParts {
  readonly input: string | readonly string[]
  readonly options: ManyOptions
  readonly format: ManyFormat
  readonly baseline: ResultsFile | null
  readonly shape: RecordShape | null
  readonly acceptance: Acceptance
  readonly registry: Registry
  readonly exchange: ExchangeOptions
  readonly output: Output
}

export async function openResultsSink(parts: SinkParts) {
  const { options, format, baseline, registry, acceptance, output } = parts
  requireFreeNames(registry)
  const counts = newSeen()
  const place = placeOf(options, format)
  const journal =
    place.file === null
      ? null
      : await journalFor(place.file, record => count(withAcceptance(record, acceptance), counts, acceptance))
  const rendering = place.isShown && format !== 'sarif' ? createRendering(format, renderingOptions(parts)) : null
  const cannot = (error: unknown) => {
    throw new CliError(EXIT.cannot_create, `cannot write results: ${error instanceof Error ? error.message : error}`)
  }
  return {
    /** Keys of targets that an earlier run settled. */
    settled: journal?.settled ?? new Set(),
    counts,
    /** Rejects when the record could not be written. */
    async write(record: BulkRecord) {
      const whole = withAcceptance(await withChanges(record, baseline), acceptance)
      count(whole, counts, acceptance)
      const selection = select(whole, options, registry)
      // A report chooses the sections itself: its points are those of the whole score.
      const shownRecord = format === 'report' ? whole : selection
      await journal?.append(shownRecord).catch(cannot)
      await rendering?.prepare?.(shownRecord)
      const text = rendering?.record(shownRecord) ?? ''
      if (text === '') return
      output.out(text)
      await output.drained?.()
    },
    /** Closes the file; writes the summaries when the run is complete. */
    async close(whole: boolean) {
      await journal?.close().catch(cannot)
      if (rendering !== null) output.out(rendering.end())
      if (!whole || place.file === null) return
      await summaries(place.file, parts).catch(cannot)
      if (place.isShown && format === 'sarif') {
        for await (const part of sarifParts(place.file, sarifOptions(parts))) output.out(part)
      }
      if (place.rendered !== null) await writeWhole(place.rendered, renderedFile(place.file, parts)).catch(cannot)
    },
    /** Releases the file, also after a failure, and removes temporary files. */
    async release() {
      // The caller has already reported the error.
      await journal?.close().catch(() => {})
      place.release()
    },
  }
}

interface ResultsPlace {
  /** Where each record is appended; null when nothing reads the records again. */
  readonly file: string | null
  /** Whether standard output gets the results. */
  readonly isShown: boolean
  /** The file that is written in another format when all records are there. */
  readonly rendered: string | null
  release(): void
}

/** What is made from all records needs a file to read them from: without a results file, a temporary one is kept until the end. */
function placeOf({ output, csv, sarif }: ManyOptions, format: ManyFormat): ResultsPlace {
  const isShown = output === undefined || output === '-'
  if (!isShown && format === 'ndjson') {
    if (!keepsText(output) && (csv ?? sarif) !== undefined) {
      throw new CliError(
        EXIT.usage,
        `--csv and --sarif need results that can be read again, and ${output} does not keep them`,
      )
    }
    return { file: output, isShown, rendered: null, release: () => {} }
  }
  const rendered = isShown ? null : output
  if (isShown && csv === undefined && sarif === undefined && format !== 'sarif')
    return { file: null, isShown, rendered, release: () => {} }
  const directory = mkdtempSync(join(tmpdir(), 'assay-results-'))
  const release = () => rmSync(directory, { recursive: true, force: true })
  return { file: join(directory, 'results.ndjson'), isShown, rendered, release }
}

/** A file has no width, so nothing in it is cut, and colour only on request. */
function renderingOptions({ options, registry, exchange, shape, output }: SinkParts, isFile = false): RenderingOptions {
  const display = displayOf(options.color ?? 'auto', isFile ? {} : output)
  const reporter = createReporter(registry, output)
  const isCut = !isFile && output.columns !== undefined
  return { display, isCut, sections: options.section, shape, exchange, reporter }
}

async function* renderedFile(file: string, parts: SinkParts): AsyncGenerator<string> {
  if (parts.format === 'sarif') return yield* sarifParts(file, sarifOptions(parts))
  const rendering = createRendering(parts.format, renderingOptions(parts, true))
  for await (const { record } of readRecords(file)) {
    await rendering.prepare?.(record)
    yield rendering.record(record)
  }
  yield rendering.end()
}

async function journalFor(file: string, onRecord: (record: BulkRecord) => void) {
  try {
    return await openJournal(file, onRecord)
  } catch (error) {
    if (error instanceof NotResults) throw new CliError(EXIT.usage, `${error.message}; the file is unchanged`)
    throw new CliError(EXIT.cannot_create, `cannot write ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A section with that name would overwrite a member of the record. */
function requireFreeNames({ analyzers }: Registry): void {
  const clash = analyzers.find(({ analyzer }) => RECORD_MEMBERS.includes(analyzer.name))
  if (clash)
    throw new CliError(
      EXIT.config,
      `plugin ${clash.analyzer.name}: its name is reserved in the records of many targets`,
    )
}

/** Adds what changed since the baseline; null for a target that the baseline lacks. */
async function withChanges(record: BulkRecord, baseline: ResultsFile | null): Promise<BulkRecord> {
  if (baseline === null || isError(record)) return record
  const before = await baseline.read(targetOf(record))
  if (before === null) return { ...record, changes: null, not_compared: null }
  return { ...record, ...diffResults(before, record) }
}

const withAcceptance = (record: BulkRecord, { mark }: Acceptance): BulkRecord =>
  isError(record) ? record : (mark(record) as BulkRecord)

const select = (record: BulkRecord, { section }: ManyOptions, registry: Registry): BulkRecord =>
  isError(record) ? record : (selectSections(record, section, registry) as BulkRecord)

/** Why a record has no result. */
function missingOf({ error }: ErrorRecord): 'unavailable' | 'broken' | 'invalid' {
  if (error.code === UNAVAILABLE) return 'unavailable'
  return error.code === INTERNAL ? 'broken' : 'invalid'
}

function count(record: BulkRecord, counts: OutcomeCounts, { judge }: Acceptance): void {
  if (isError(record)) {
    counts[missingOf(record)]++
    return
  }
  for (const name of foundBy(judge(record))) counts.matches[name]++
}

async function summaries(file: string, parts: SinkParts): Promise<void> {
  const { csv, sarif } = parts.options
  if (csv !== undefined) await writeCsv(csv, file)
  if (sarif !== undefined) await writeSarif(sarif, file, sarifOptions(parts))
}

const sarifOptions = ({ registry, input }: SinkParts): SarifOptions => ({
  rules: rulesOf(registry),
  version,
  artifact: artifactOf(input),
})

function artifactOf(input: SinkParts['input']): string {
  if (typeof input !== 'string') return 'arguments'
  return input === '-' ? 'stdin' : artifactUri(input, process.cwd())
}

const rulesOf = ({ analyzers }: Registry): Rule[] =>
  analyzers
    .filter(({ enabled }) => enabled)
    .flatMap(({ analyzer, signals }) =>
      Object.entries(signals).map(([id, signal]) => ({ id, section: analyzer.name, signal })),
    )
