// The only reader of the process's environment.
import { readFileSync } from 'node:fs'

export interface Environment {
  readonly config: string | undefined
  readonly data: string | undefined
  readonly port: string | undefined
  /** URL of Redis: here so that its password need not stand in a file. */
  readonly store?: string | undefined
  /** All of them, for what the configuration takes from there by name. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** Extra trusted roots, PEM, as Node itself takes them from NODE_EXTRA_CA_CERTS; empty when there are none. */
  readonly extra_roots: string
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  return {
    config: env['ASSAY_CONFIG'] || undefined,
    data: env['ASSAY_DATA'] || undefined,
    port: env['PORT'] || undefined,
    store: env['ASSAY_STORE'] || undefined,
    variables: env,
    extra_roots: readIfAny(env['NODE_EXTRA_CA_CERTS']),
  }
}

/** Node warns of a file it cannot read and goes on; so do we. */
function readIfAny(path: string | undefined): string {
  if (!path) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
