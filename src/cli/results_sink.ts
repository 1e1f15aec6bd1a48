// Where the records of a run go: the results file or standard output, compared with a baseline, and summarised at the end.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepsText, NotResults, openJournal } from '../bulk/journal.ts'
import { type BulkRecord, type ErrorRecord, INTERNAL, isError, RECORD_MEMBERS, UNAVAILABLE } from '../bulk/record.ts'
import { artifactUri, type Rule } from '../bulk/sarif.ts'
import { writeCsv, writeSarif } from '../bulk/summaries.ts'
import { diffResults } from '../diff/diff.ts'
import { type ResultsFile, targetOf } from '../diff/results_file.ts'
import type { Registry } from '../engine/registry.ts'
import { version } from '../package_root.ts'
import type { OneOptions } from './check_one.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { Output } from './output.ts'
import { FAIL_ON, type FailOn, foundBy, selectSections } from './result_options.ts'

export interface ManyOptions extends OneOptions {
  readonly output?: string
  readonly csv?: string
  readonly sarif?: string
  readonly concurrency?: number
  readonly perDomain: number
  readonly pause: number
  /** URL; true for the store of the configuration. */
  readonly redis?: string | true
  readonly queue: string
  readonly quiet?: boolean
}

/** Counts over all results, including those of earlier runs. */
export interface Seen {
  /** Targets by the `--fail-on` values that match them. */
  readonly found: Record<FailOn, number>
  unavailable: number
  /** Targets with a check that failed with an internal error. */
  broken: number
  /** Lines that are not valid targets. */
  invalid: number
}

const newSeen = (): Seen => ({
  found: Object.fromEntries(FAIL_ON.map(name => [name, 0])) as Seen['found'],
  unavailable: 0,
  broken: 0,
  invalid: 0,
})

export interface ResultsSink {
  /** Keys of targets that an earlier run settled. */
  readonly settled: ReadonlySet<string>
  readonly seen: Seen
  /** Rejects when the record could not be written. */
  write(record: BulkRecord): Promise<void>
  /** Closes the file; writes the summaries when the run is complete. */
  close(whole: boolean): Promise<void>
  /** Releases the file, also after a failure, and removes temporary files. */
  release(): Promise<void>
}

interface SinkParts {
  readonly input: string
  readonly options: ManyOptions
  readonly baseline: ResultsFile | null
  readonly registry: Registry
  readonly output: Output
}

export async function openResultsSink(parts: SinkParts): Promise<ResultsSink> {
  const { options, baseline, registry, output } = parts
  requireFreeNames(registry)
  const seen = newSeen()
  const place = placeOf(options)
  const journal = place.file === null ? null : await opened(place.file, record => count(record, seen))
  const cannot = (error: unknown) => {
    throw new CliError(EXIT.cannot_create, `cannot write results: ${error instanceof Error ? error.message : error}`)
  }
  return {
    settled: journal?.settled ?? new Set(),
    seen,
    async write(record) {
      const selected = select(await compared(record, baseline), options, registry)
      count(selected, seen)
      await journal?.append(selected).catch(cannot)
      if (place.isShown) {
        output.out(`${JSON.stringify(selected)}\n`)
        await output.drained?.()
      }
    },
    async close(whole) {
      await journal?.close().catch(cannot)
      if (whole && place.file !== null) await summaries(place.file, parts).catch(cannot)
    },
    async release() {
      // The caller has already reported the error.
      await journal?.close().catch(() => {})
      place.release()
    },
  }
}

/** Summaries are made from a file: without a results file, a temporary one is kept until the end. */
function placeOf({ output, csv, sarif }: ManyOptions) {
  const isShown = output === undefined || output === '-'
  if (!isShown && !keepsText(output) && (csv ?? sarif) !== undefined) {
    throw new CliError(
      EXIT.usage,
      `--csv and --sarif need results that can be read again, and ${output} does not keep them`,
    )
  }
  if (!isShown) return { file: output, isShown, release: () => {} }
  if (csv === undefined && sarif === undefined) return { file: null, isShown, release: () => {} }
  const directory = mkdtempSync(join(tmpdir(), 'assay-results-'))
  const release = () => rmSync(directory, { recursive: true, force: true })
  return { file: join(directory, 'results.ndjson'), isShown, release }
}

async function opened(file: string, onRecord: (record: BulkRecord) => void) {
  try {
    return await openJournal(file, onRecord)
  } catch (error) {
    if (error instanceof NotResults) throw new CliError(EXIT.usage, `${error.message}; the file is unchanged`)
    throw new CliError(EXIT.cannot_create, `cannot write ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A section with that name would overwrite a member of the record. */
function requireFreeNames({ analyzers }: Registry): void {
  const taken = analyzers.find(({ analyzer }) => RECORD_MEMBERS.includes(analyzer.name))
  if (taken)
    throw new CliError(EXIT.config, `plugin ${taken.analyzer.name}: its name is reserved in the records of --input`)
}

/** Adds what changed since the baseline; null for a target that the baseline lacks. */
async function compared(record: BulkRecord, baseline: ResultsFile | null): Promise<BulkRecord> {
  if (baseline === null || isError(record)) return record
  const before = await baseline.read(targetOf(record))
  if (before === null) return { ...record, changes: null, not_compared: null }
  return { ...record, ...diffResults(before, record) }
}

const select = (record: BulkRecord, { section }: ManyOptions, registry: Registry): BulkRecord =>
  isError(record) ? record : (selectSections(record, section, registry) as BulkRecord)

/** Why a record has no result. */
function missingOf({ error }: ErrorRecord): 'unavailable' | 'broken' | 'invalid' {
  if (error.code === UNAVAILABLE) return 'unavailable'
  return error.code === INTERNAL ? 'broken' : 'invalid'
}

function count(record: BulkRecord, seen: Seen): void {
  if (isError(record)) {
    seen[missingOf(record)]++
    return
  }
  for (const name of foundBy(record)) seen.found[name]++
}

async function summaries(file: string, { options, registry, input }: SinkParts): Promise<void> {
  if (options.csv !== undefined) await writeCsv(options.csv, file)
  if (options.sarif === undefined) return
  await writeSarif(options.sarif, file, { rules: rulesOf(registry), version, artifact: artifactOf(input) })
}

const artifactOf = (input: string): string => (input === '-' ? 'stdin' : artifactUri(input, process.cwd()))

const rulesOf = ({ analyzers }: Registry): Rule[] =>
  analyzers
    .filter(({ enabled }) => enabled)
    .flatMap(({ analyzer, signals }) =>
      Object.entries(signals).map(([id, signal]) => ({ id, section: analyzer.name, signal })),
    )
