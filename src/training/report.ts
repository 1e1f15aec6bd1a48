// The evaluation as text for people.
import { type Evaluation, rates } from './evaluate.ts'

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

/** Two tables: malicious names found, and benign names flagged, at each false positive rate. */
export function reportOf({ positives, negatives, precision }: Evaluation): string {
  const columns = rates.map(rate => `at ${percent(rate)}`)
  const found = positives.map(row => [row.slice, String(row.names), row.auc.toFixed(3), ...row.found.map(percent)])
  const flagged = negatives.map(row => [row.slice, String(row.names), ...row.flagged.map(percent)])
  return [
    'Malicious names found',
    table([['slice', 'names', 'AUC', ...columns], ...found]),
    '',
    'Benign names flagged',
    table([['slice', 'names', ...columns], ...flagged]),
    '',
    `Of as many malicious as benign names, ${percent(precision)} of those scored 90 or more are malicious.`,
  ].join('\n')
}
