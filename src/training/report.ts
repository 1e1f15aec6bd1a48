// The evaluation as text for people.
import { baseRate, type Evaluation, rates } from './evaluate.ts'

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

/** Three tables: malicious names found, benign names flagged, and names found by class, at each false positive rate. */
export function reportOf({ positives, negatives, classes, precision }: Evaluation): string {
  const columns = rates.map(rate => `at ${percent(rate)}`)
  const found = positives.map(row => [row.slice, String(row.names), row.auc.toFixed(3), ...row.found.map(percent)])
  const flagged = negatives.map(row => [row.slice, String(row.names), ...row.flagged.map(percent)])
  const byClass = classes.map(row => [
    row.suffixClass,
    ...[String(row.benign), String(row.malicious)],
    ...row.found.map(percent),
  ])
  const [at97, at90] = precision.map(percent)
  return [
    'Malicious names found',
    table([['slice', 'names', 'AUC', ...columns], ...found]),
    '',
    'Benign names flagged',
    table([['slice', 'names', ...columns], ...flagged]),
    '',
    'Malicious names found, by thresholds over the benign names of each class of suffix',
    table([['class', 'benign', 'malicious', ...columns], ...byClass]),
    '',
    `Where ${percent(baseRate)} of the names is malicious, ${at90} of those scored 90 or more are, and ${at97} of those scored 97 or more.`,
  ].join('\n')
}
