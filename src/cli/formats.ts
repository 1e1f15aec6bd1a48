// The formats in which `assay check` writes results: each takes one record at a time and returns the text to write.

import { visible } from '../base/visible.js'
import { type BulkRecord, isError, recommendationOf } from '../results/bulk/record.ts'
import { csvHeading, csvLine } from '../results/bulk/summaries.ts'
import type { Change } from '../results/diff/known.ts'
import { type ExchangeFormat, type ExchangeOptions, exchangeText } from '../results/exchange/formats.ts'
import { acceptedBlock, acceptedIn } from './accepted.ts'
import type { ManyFormat, OutputFormat } from './arguments.ts'
import { changesBlock, changesCount } from './diff.ts'
import { cutTo, type Display, padTo, type Tone, widthOf } from './report/display.ts'
import { reportText } from './report/report.ts'
import type { Reporter } from './report/reporter.ts'
import type { RecordShape } from './shape.ts'

/** Formats that are written while the checks run. SARIF lists failures after all results, so it is made from the results file; HTML is of one target. */
export type StreamedFormat = Exclude<ManyFormat, 'sarif'>

/** Whether text appears while the checks run; a table needs all rows for the widths of its columns. */
export const isStreamed = (format: OutputFormat): boolean => format !== 'sarif' && format !== 'table'

export interface Rendering {
  /** Must have resolved before the record is rendered, if present. */
  prepare?(record: BulkRecord): Promise<void>
  /** The text of one record, including what precedes the first one. */
  record(record: BulkRecord): string
  /** The text after the last record. */
  end(): string
}

export interface RenderingOptions {
  readonly display: Display
  /** Whether lines are cut to the width of the display. */
  readonly isCut: boolean
  readonly sections?: readonly string[] | undefined
  /** What JSON, NDJSON and a template have of each result; null for all of it. */
  readonly shape: RecordShape | null
  readonly reporter: Reporter
  /** For formats in which other programs take results. */
  readonly exchange: ExchangeOptions
}

export const createRendering = (format: StreamedFormat, options: RenderingOptions): Rendering =>
  renderings[format](options)

const renderings: Readonly<Record<StreamedFormat, (options: RenderingOptions) => Rendering>> = {
  report: options => ({
    prepare: async record => (isError(record) ? undefined : options.reporter.prepare(record)),
    ...separatedBy('\n', record => reportOf(record, options)),
  }),
  brief: options => ({ record: record => `${briefLine(record, options.display, options.isCut)}\n`, end: () => '' }),
  table: createTable,
  json: ({ shape }) => {
    const { record } = separatedBy(',\n', one => JSON.stringify(shapeRecord(one, shape)))
    let isEmpty = true
    return {
      record(one) {
        const start = isEmpty ? '[' : ''
        isEmpty = false
        return start + record(one)
      },
      end: () => (isEmpty ? '[]\n' : ']\n'),
    }
  },
  ndjson: ({ shape }) => ({ record: record => `${JSON.stringify(shapeRecord(record, shape))}\n`, end: () => '' }),
  template: ({ shape }) => ({ record: record => `${shapeRecord(record, shape)}\n`, end: () => '' }),
  stix: options => exchangedLines('stix', options),
  misp: options => exchangedLines('misp', options),
  csv: () => {
    let heading = csvHeading()
    const takeHeading = () => {
      const text = heading
      heading = ''
      return text
    }
    return { record: record => takeHeading() + csvLine(record), end: takeHeading }
  },
}

const shapeRecord = (record: BulkRecord, shape: RecordShape | null): unknown =>
  shape === null ? record : shape(record as unknown as Readonly<Record<string, unknown>>)

/** A bundle or event for each result. What could not be checked is neither, and is counted at the end of the run. */
const exchangedLines = (format: ExchangeFormat, { exchange }: RenderingOptions): Rendering => ({
  record: record => (isError(record) ? '' : `${exchangeText(format, record, exchange)}\n`),
  end: () => '',
})

function separatedBy(separator: string, text: (record: BulkRecord) => string): Rendering {
  let before = ''
  return {
    record(record) {
      const part = before + text(record)
      before = separator
      return part
    },
    end: () => '',
  }
}

const tones: Readonly<Record<string, Tone>> = { block: 'red', review: 'yellow', allow: 'green', error: 'red' }

/** What the record is about, in the form in which it was checked. */
function targetText(record: BulkRecord): string {
  const { url, domain, ip } = record as { url?: string | null; domain: string | null; ip: string | null }
  return visible(url ?? domain ?? ip ?? record.input)
}

function reportOf(record: BulkRecord, { display, sections, reporter }: RenderingOptions): string {
  if (isError(record)) return `${display.paint('bold', targetText(record))}: ${visible(record.error.detail)}\n`
  const { changes, not_compared } = record as Partial<Parameters<typeof changesBlock>[0]>
  const changesText = changes && not_compared ? changesBlock({ changes, not_compared }, display) : ''
  return reportText(reporter.reportOf(record), display, sections) + changesText + acceptedBlock(record, display)
}

/** Columns of the recommendation and of the score. */
const DECISION = 6
const SCORE = 3

/** `block   81  example.com: The name imitates PayPal.` */
export function briefLine(record: BulkRecord, display: Display, isCut = false): string {
  const decision = isError(record) ? 'error' : recommendationOf(record)
  const score = isError(record) ? '-' : String(record['risk_score'])
  const reason = isError(record) ? record.error.detail : String(record['recommendation_reason'] ?? '')
  const rest = `  ${score.padStart(SCORE)}  ${targetText(record)}: ${visible(reason)}${changesOf(record)}${acceptedOf(record)}`
  const line = isCut ? cutTo(rest, display.width - DECISION) : rest
  return display.paint(tones[decision] ?? 'bold', padTo(decision, DECISION)) + line
}

function acceptedOf(record: BulkRecord): string {
  const { length } = isError(record) ? [] : acceptedIn(record)
  return length === 0 ? '' : ` (${length} accepted)`
}

function changesOf(record: BulkRecord): string {
  const { changes } = record as { changes?: readonly Change[] | null }
  return changes && changes.length > 0 ? ` (${changesCount(changes)})` : ''
}

/** More rows are no reading for a person, and all of them are in memory until the widths of the columns are known. */
const TABLE_ROWS = 10_000

const HEADINGS = ['TARGET', 'RECOMMENDATION', 'RISK', 'VERDICT', 'CONFIDENCE', 'SIGNALS'] as const
/** The widest a target is shown. */
const TARGET = 40

type CsvRow = { readonly line: number; readonly cells: readonly string[] }

function createTable({ display, isCut }: RenderingOptions): Rendering {
  const rows: CsvRow[] = []
  let more = 0
  return {
    record(record) {
      if (rows.length < TABLE_ROWS) rows.push({ line: record.line, cells: cellsOf(record) })
      else more++
      return ''
    },
    end() {
      const orderedRows = rows.sort((one, other) => one.line - other.line).map(({ cells }) => cells)
      const widths = HEADINGS.map((heading, i) =>
        Math.max(heading.length, ...orderedRows.map(row => widthOf(row[i] ?? ''))),
      )
      const lineOf = (cells: readonly string[]) => {
        const line = cells
          .map((cell, i) => padTo(cell, widths[i] ?? 0))
          .join('  ')
          .trimEnd()
        return isCut ? cutTo(line, display.width) : line
      }
      const lines = orderedRows.map(row => colorDecision(lineOf(row), row[1] ?? '', display))
      const rest = more === 0 ? [] : [`and ${more} more; use --format csv for all of them`]
      return `${[display.paint('bold', lineOf(HEADINGS)), ...lines, ...rest].join('\n')}\n`
    },
  }
}

const colorDecision = (line: string, decision: string, { paint }: Display): string =>
  line.replace(`  ${decision} `, `  ${paint(tones[decision] ?? 'bold', decision)} `)

function cellsOf(record: BulkRecord): readonly string[] {
  const target = cutTo(targetText(record), TARGET)
  if (isError(record)) return [target, 'error', '-', '-', '-', record.error.code]
  const signals = (record['signals'] as readonly string[]).join(' ')
  const words = ['risk_score', 'verdict', 'confidence'].map(name => String(record[name] ?? '-'))
  return [target, recommendationOf(record), ...words, signals]
}
