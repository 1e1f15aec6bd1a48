// What was measured, as rows for people and for the README.

export interface Row {
  readonly what: string
  readonly measured: string
  /** What it is held against, from the same run. */
  readonly beside: string
  readonly ratio: number | null
  /** The bound the ratio is to keep, if there is one. */
  readonly target?: { readonly least: number } | { readonly most: number }
}

const bound = ({ target }: Row) => {
  if (target === undefined) return ''
  return 'least' in target ? `≥ ${target.least}` : `≤ ${target.most}`
}

function isKept({ ratio, target }: Row): boolean {
  if (target === undefined || ratio === null) return true
  return 'least' in target ? ratio >= target.least : ratio <= target.most
}

/** A Markdown table; a bound that was not kept is said so. */
export function table(rows: readonly Row[]): string {
  const head = ['', 'measured', 'beside it', 'ratio', 'target']
  const lines = rows.map(row => [
    row.what,
    row.measured,
    row.beside,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    `${bound(row)}${isKept(row) ? '' : ' (missed)'}`,
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}
