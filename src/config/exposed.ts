// A secret in a file that everyone may read is none.
import { statSync } from 'node:fs'
import type { Fault } from '../engine/fault.ts'

/** Of a file's mode: who is neither its owner nor in its group may read it. */
const read_by_others = 0o004

/** Of what is written in the file itself; what it takes from elsewhere is not its secret. Throws when the file is gone. */
export function exposedFaults(file: string, given: object): Fault[] {
  const { store } = given as { readonly store?: unknown }
  if (!hasPassword(store) || (statSync(file).mode & read_by_others) === 0) return []
  const message = `holds a password, and everyone may read ${file}: chmod o-r it, or give the URL in ASSAY_STORE`
  return [{ path: 'store', message }]
}

const hasPassword = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).password !== ''
