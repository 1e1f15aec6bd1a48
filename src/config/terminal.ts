// What the environment says of the terminal, by the customs of no-color.org, force-color.org and POSIX.

export interface TerminalEnvironment {
  /** Whether colour is asked for or refused; null when nothing is said. */
  readonly color: boolean | null
  /** Columns, when they are said. */
  readonly columns: number | null
}

export function readTerminal(env: NodeJS.ProcessEnv = process.env): TerminalEnvironment {
  const columns = env['COLUMNS'] ?? ''
  return { color: colorOf(env), columns: /^[1-9]\d{0,4}$/.test(columns) ? Number(columns) : null }
}

/** FORCE_COLOR beats NO_COLOR, as in Node itself. */
function colorOf({ FORCE_COLOR: force, NO_COLOR: no, TERM: term }: NodeJS.ProcessEnv): boolean | null {
  if (force !== undefined) return force !== '0' && force !== 'false'
  return no || term === 'dumb' ? false : null
}
