// Summaries of all results as CSV and SARIF, made from the results file, so that they include earlier runs.

import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { visible } from '../../base/visible.js'
import { keepsText, readRecords } from './journal.ts'
import { type BulkRecord, isError } from './record.ts'
import { type Rule, sarifFrame, sarifNotification, sarifResults, sarifRules } from './sarif.ts'

type Cell = string | number | boolean | null | undefined

interface Column {
  readonly name: string
  /** Path to the value. */
  readonly path: string
  /** Path to a word shown when there is no value: `missing`, `unknown`. */
  readonly state?: string
}

/** The columns in order. An unknown or inapplicable value is an empty cell. */
const COLUMNS: readonly Column[] = [
  { name: 'line', path: 'line' },
  { name: 'input', path: 'input' },
  { name: 'domain', path: 'domain' },
  { name: 'ip', path: 'ip' },
  { name: 'recommendation', path: 'recommendation' },
  { name: 'recommendation_reason', path: 'recommendation_reason' },
  { name: 'confidence', path: 'confidence' },
  { name: 'verdict', path: 'verdict' },
  { name: 'risk_score', path: 'risk_score' },
  { name: 'signals', path: 'signals' },
  { name: 'coverage_complete', path: 'coverage.complete' },
  { name: 'coverage_ratio', path: 'coverage.ratio' },
  { name: 'blacklist_hits', path: 'threat_summary.blacklist_hits' },
  { name: 'age_days', path: 'threat_summary.age_days' },
  { name: 'registrar', path: 'reputation.registrar' },
  { name: 'country', path: 'geo_location.country' },
  { name: 'asn', path: 'geo_location.asn' },
  { name: 'isp', path: 'geo_location.isp' },
  { name: 'certificate_valid', path: 'ssl_info.valid' },
  { name: 'certificate_issuer', path: 'ssl_info.issuer' },
  { name: 'certificate_expires_at', path: 'ssl_info.expires_at' },
  { name: 'has_mx', path: 'dns_security.has_mx' },
  { name: 'spf', path: 'dns_security.spf.status' },
  { name: 'dmarc', path: 'dns_security.dmarc.effective_policy', state: 'dns_security.dmarc.status' },
  { name: 'headers_grade', path: 'security_headers.grade' },
  { name: 'checked_at', path: 'checked_at' },
  { name: 'error', path: 'error.code' },
  { name: 'error_detail', path: 'error.detail' },
  { name: 'threat_types', path: 'threat_types' },
  { name: 'url', path: 'url' },
  { name: 'final_url', path: 'final_url' },
  { name: 'host_verdict', path: 'host_verdict' },
]

/** Some values come from third parties: text that a spreadsheet would run as a formula is escaped (CWE-1236). */
const options = { escape_formulas: true, record_delimiter: 'unix', cast: { boolean: String } } as const

export const csvHeading = (): string => stringify([COLUMNS.map(({ name }) => name)], options)

export const csvLine = (record: BulkRecord): string =>
  stringify(
    [COLUMNS.map(({ path, state }) => cell(valueAt(record, path) ?? (state && valueAt(record, state))))],
    options,
  )

/** Replaces characters that would break the line, reverse it or control a terminal. */
function cell(value: unknown): Cell {
  if (Array.isArray(value)) return visible(value.join(' '))
  return typeof value === 'string' ? visible(value) : (value as Cell)
}

function valueAt(record: BulkRecord, path: string): unknown {
  if (isError(record) && path === 'verdict') return undefined
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], record)
}

/** Writes the file completely or not at all, unless it is a device or a pipe. Rejects when it cannot be written. */
export async function writeWhole(file: string, parts: AsyncIterable<string>): Promise<void> {
  if (!keepsText(file)) return pipeline(parts, createWriteStream(file))
  const part = `${file}.part`
  await pipeline(parts, createWriteStream(part))
  await rename(part, file)
}

export const writeCsv = (file: string, results: string): Promise<void> => writeWhole(file, csvParts(results))

async function* csvParts(results: string): AsyncGenerator<string> {
  yield csvHeading()
  for await (const { record } of readRecords(results)) yield csvLine(record)
}

export interface SarifOptions {
  readonly rules: readonly Rule[]
  readonly version: string
  /** The input as a URI reference: the file that line numbers refer to. */
  readonly artifact: string
}

export const writeSarif = (file: string, results: string, options: SarifOptions): Promise<void> =>
  writeWhole(file, sarifParts(results, options))

/** Reads the results twice, so that neither list is kept in memory: results come before notifications. */
export async function* sarifParts(results: string, { rules, version, artifact }: SarifOptions): AsyncGenerator<string> {
  const frame = sarifFrame(rules, version)
  const places = new Map(sarifRules(rules).map(({ id }, i) => [id, i]))
  yield frame.head
  let separator = ''
  for await (const { record } of readRecords(results)) {
    for (const result of sarifResults(record, places, artifact)) {
      yield `${separator}${JSON.stringify(result)}`
      separator = ',\n'
    }
  }
  yield frame.between
  separator = ''
  for await (const { record } of readRecords(results)) {
    if (!isError(record)) continue
    yield `${separator}${JSON.stringify(sarifNotification(record, artifact))}`
    separator = ',\n'
  }
  yield frame.tail
}
