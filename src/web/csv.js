// Comma-separated values as RFC 4180 has them, for spreadsheets.

/** A text that a spreadsheet would run as a formula (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/

/**
 * A cell. Some texts come from third parties: one that begins like a formula has an apostrophe before it. Numbers stay numbers.
 * @param {string | number | null} value null is an empty cell
 */
function cell(value) {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) || text !== value ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Each row ends with a line break, also the last.
 * @param {readonly (readonly (string | number | null)[])[]} rows
 */
export const csv = rows => rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')
