// Whether printed output has the shape of the output in a document: the same fields or lines, other numbers and times.

/** What a document leaves out. */
const LEFT_OUT = '…'

/** Where the output differs from what the document shows, as paths; none when it has its shape. */
export function differences(shown: unknown, printed: unknown, path = ''): readonly string[] {
  if (shown === LEFT_OUT) return []
  if (Array.isArray(shown)) {
    if (!Array.isArray(printed)) return [`${path}: no list`]
    const entries = shown.filter(one => !(typeof one === 'string' && one.startsWith(LEFT_OUT)))
    if (printed.length < entries.length) return [`${path}: ${printed.length} entries`]
    return entries.flatMap((one, i) => differences(one, printed[i], `${path}[${i}]`))
  }
  if (shown !== null && typeof shown === 'object') {
    if (printed === null || typeof printed !== 'object') return [`${path}: no object`]
    return Object.entries(shown)
      .filter(([name]) => name !== LEFT_OUT)
      .flatMap(([name, value]) =>
        name in printed
          ? differences(value, (printed as Record<string, unknown>)[name], `${path}.${name}`)
          : [`${path}.${name}: missing`],
      )
  }
  if (shown === null || printed === null) return shown === printed ? [] : [`${path}: ${JSON.stringify(printed)}`]
  return typeof shown === typeof printed ? [] : [`${path}: ${typeof printed}`]
}

/** IDs, digests and times change with each run, and so do numbers. */
const masked = (line: string): string =>
  line
    .trimEnd()
    .replace(/\b(?=[\w-]*\d)[\w-]{16,}/g, '*')
    .replace(/\d+/g, '0')
    .replace(/\s+/g, ' ')

/** The shown lines that are not among the printed ones in their order. `…` stands for any text. */
export function missingLines(shown: string, printed: string): readonly string[] {
  const lines = printed.split('\n').map(masked)
  let from = 0
  return shown
    .trimEnd()
    .split('\n')
    .filter(line => {
      const parts = masked(line)
        .split(LEFT_OUT)
        .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      const pattern = new RegExp(`^${parts.join('.*')}$`)
      const at = lines.findIndex((one, i) => i >= from && pattern.test(one))
      if (at >= 0) from = at + 1
      return at < 0
    })
}
