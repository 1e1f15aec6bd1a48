// The only reader of the process environment, including what it says about the terminal (no-color.org, force-color.org,
// POSIX).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Environment {
  readonly config: string | undefined
  readonly data: string | undefined
  readonly host?: string | undefined
  readonly port: string | undefined
  readonly workers?: string | undefined
  /** URL of PostgreSQL, so that its password need not be in a file. */
  readonly store?: string | undefined
  /** All variables, for `$env` in the configuration. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** Additional trusted roots as PEM, which Node also reads from NODE_EXTRA_CA_CERTS; empty when there are none. */
  readonly extra_roots: string
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  return {
    config: env['ASSAY_CONFIG'] || undefined,
    data: env['ASSAY_DATA'] || undefined,
    host: env['ASSAY_HOST'] || undefined,
    port: env['PORT'] || undefined,
    workers: env['ASSAY_WORKERS'] || undefined,
    store: env['ASSAY_STORE'] || undefined,
    variables: env,
    extra_roots: readIfAny(env['NODE_EXTRA_CA_CERTS']),
  }
}

/** The running service that commands ask, as the environment names it, and where `assay login` keeps another. */
export interface ServiceEnvironment {
  readonly server: string | undefined
  readonly key: string | undefined
  /** Directory of the settings of this user (XDG Base Directory Specification); undefined where the user has no home. */
  readonly settings: string | undefined
}

export function readServiceEnvironment(env: NodeJS.ProcessEnv = process.env): ServiceEnvironment {
  const home = env['HOME'] || env['USERPROFILE']
  return {
    server: env['ASSAY_SERVER'] || undefined,
    key: env['ASSAY_KEY'] || undefined,
    settings: env['XDG_CONFIG_HOME'] || (home && join(home, '.config')) || undefined,
  }
}

/** Like Node, the service warns about an unreadable file and continues. */
function readIfAny(path: string | undefined): string {
  if (!path) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export type TerminalEnvironment = ReturnType<typeof readTerminal>

export function readTerminal(env: NodeJS.ProcessEnv = process.env) {
  const columns = env['COLUMNS'] ?? ''
  return {
    /** Whether colour is requested or refused; null when neither. */
    color: colorOf(env),
    /** Terminal width, if set. */
    columns: /^[1-9]\d{0,4}$/.test(columns) ? Number(columns) : null,
  }
}

/** FORCE_COLOR overrides NO_COLOR, as in Node itself. */
function colorOf({ FORCE_COLOR: force, NO_COLOR: no, TERM: term }: NodeJS.ProcessEnv): boolean | null {
  if (force !== undefined) return force !== '0' && force !== 'false'
  return no || term === 'dumb' ? false : null
}
