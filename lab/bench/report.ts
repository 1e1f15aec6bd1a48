// Measurements as rows of a Markdown table.

export interface Row {
  readonly what: string
  readonly measured: string
  /** The reference, from the same run. */
  readonly beside: string
  readonly ratio: number | null
  /** The bound for the ratio, if any. */
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

/** A Markdown table that marks missed bounds. */
export function table(rows: readonly Row[]): string {
  const head = ['', 'measured', 'reference', 'ratio', 'target']
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
