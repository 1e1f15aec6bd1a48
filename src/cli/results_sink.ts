// Where the records of a run go: the results file or standard output, compared with a baseline, summed up at the end.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepsText, NotResults, openJournal } from '../bulk/journal.ts'
import { type BulkRecord, type ErrorRecord, isError, RECORD_MEMBERS } from '../bulk/record.ts'
import { artifactUri, type Rule } from '../bulk/sarif.ts'
import { writeCsv, writeSarif } from '../bulk/summaries.ts'
import { INTERNAL, UNAVAILABLE } from '../bulk/task.ts'
import { diffResults } from '../diff/diff.ts'
import { type ResultsFile, targetOf } from '../diff/results_file.ts'
import type { Registry } from '../engine/registry.ts'
import { version } from '../version.ts'
import { newSeen, type Seen } from './check_ending.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { ManyOptions } from './many_options.ts'
import type { Output } from './output.ts'
import { selectSections } from './sections.ts'

export interface ResultsSink {
  /** Keys of what an earlier run settled. */
  readonly settled: ReadonlySet<string>
  readonly seen: Seen
  /** Rejects when the record could not be written. */
  write(record: BulkRecord): Promise<void>
  /** Ends the file; writes the summaries when the run is whole. */
  close(whole: boolean): Promise<void>
  /** Lets go of the file, also after a failure, and removes what was only kept for a while. */
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
      const told = select(await compared(record, baseline), options, registry)
      count(told, seen)
      await journal?.append(told).catch(cannot)
      if (place.isShown) {
        output.out(`${JSON.stringify(told)}\n`)
        await output.drained?.()
      }
    },
    async close(whole) {
      await journal?.close().catch(cannot)
      if (whole && place.file !== null) await summaries(place.file, parts).catch(cannot)
    },
    async release() {
      // What went wrong was told by whoever it happened to.
      await journal?.close().catch(() => {})
      place.release()
    },
  }
}

/** Summaries are made of a file: without one for the results, they are kept beside until the end. */
function placeOf({ output, csv, sarif }: ManyOptions) {
  const isShown = output === undefined || output === '-'
  if (!isShown && !keepsText(output) && (csv ?? sarif) !== undefined) {
    throw new CliError(EXIT.usage, `--csv and --sarif are made of the results, which ${output} does not keep`)
  }
  if (!isShown) return { file: output, isShown, release: () => {} }
  if (csv === undefined && sarif === undefined) return { file: null, isShown, release: () => {} }
  const directory = mkdtempSync(join(tmpdir(), 'assay-results-'))
  const release = () => rmSync(directory, { recursive: true, force: true })
  return { file: join(directory, 'results.ndjson'), isShown, release }
}

async function opened(file: string, told: (record: BulkRecord) => void) {
  try {
    return await openJournal(file, told)
  } catch (error) {
    if (error instanceof NotResults) throw new CliError(EXIT.usage, `${error.message}; it is left as it is`)
    throw new CliError(EXIT.cannot_create, `cannot write ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** A section of that name would hide what the record itself says. */
function requireFreeNames({ analyzers }: Registry): void {
  const taken = analyzers.find(({ analyzer }) => RECORD_MEMBERS.includes(analyzer.name))
  if (taken)
    throw new CliError(EXIT.config, `plugin ${taken.analyzer.name}: records of many names have that member already`)
}

/** With what changed since the baseline; null for a target that it has not. */
async function compared(record: BulkRecord, baseline: ResultsFile | null): Promise<BulkRecord> {
  if (baseline === null || isError(record)) return record
  const before = await baseline.read(targetOf(record))
  if (before === null) return { ...record, changes: null, not_compared: null }
  return { ...record, ...diffResults(before, record) }
}

const select = (record: BulkRecord, { section }: ManyOptions, registry: Registry): BulkRecord =>
  isError(record) ? record : (selectSections(record, section, registry) as BulkRecord)

/** Why there is no result. */
function missingOf({ error }: ErrorRecord): 'unavailable' | 'broken' | 'invalid' {
  if (error.code === UNAVAILABLE) return 'unavailable'
  return error.code === INTERNAL ? 'broken' : 'invalid'
}

function count(record: BulkRecord, seen: Seen): void {
  if (isError(record)) {
    seen[missingOf(record)]++
    return
  }
  if (record['verdict'] === 'suspicious') seen.suspicious++
  if (record['verdict'] === 'malicious') seen.malicious++
  const changes = (record['changes'] ?? []) as readonly { readonly severity: string }[]
  if (changes.some(({ severity }) => severity === 'weakened')) seen.weakened++
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
