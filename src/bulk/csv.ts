// A line a target for spreadsheets: what a person sorts by.
import { stringify } from 'csv-stringify/sync'
import { type BulkRecord, isError } from './record.ts'

type Cell = string | number | boolean | null | undefined

interface Column {
  readonly name: string
  /** Members on the way to the value. */
  readonly path: string
}

/** In this order; a value that is not known, or does not apply, is an empty cell. */
const columns: readonly Column[] = [
  { name: 'line', path: 'line' },
  { name: 'input', path: 'input' },
  { name: 'domain', path: 'domain' },
  { name: 'ip', path: 'ip' },
  { name: 'verdict', path: 'verdict' },
  { name: 'risk_score', path: 'risk_score' },
  { name: 'signals', path: 'signals' },
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
  { name: 'dmarc', path: 'dns_security.dmarc.effective_policy' },
  { name: 'headers_grade', path: 'security_headers.grade' },
  { name: 'checked_at', path: 'checked_at' },
  { name: 'error', path: 'error.code' },
  { name: 'error_detail', path: 'error.detail' },
]

/** Values come from strangers: what a spreadsheet would take for a formula is made text (CWE-1236). */
const options = { escape_formulas: true, record_delimiter: 'unix', cast: { boolean: String } } as const

export const csvHeading = (): string => stringify([columns.map(({ name }) => name)], options)

export const csvLine = (record: BulkRecord): string =>
  stringify([columns.map(({ path }) => cell(valueAt(record, path)))], options)

const cell = (value: unknown): Cell => (Array.isArray(value) ? value.join(' ') : (value as Cell))

function valueAt(record: BulkRecord, path: string): unknown {
  if (isError(record) && path === 'verdict') return undefined
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], record)
}
