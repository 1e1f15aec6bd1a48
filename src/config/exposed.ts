// A secret in a file that everyone may read is none.
import { statSync } from 'node:fs'
import type { Fault } from '../engine/fault.ts'

/** Of a file's mode: who is neither its owner nor in its group may read it. */
const read_by_others = 0o004

/**
 * Of what is written in the file itself, which stands at `path`; what it takes from elsewhere is not its secret. Throws when
 * the file is gone.
 */
export function exposedFaults(file: string, given: unknown, path: readonly string[] = []): Fault[] {
  const places = passwordsIn(given, path)
  if (places.length === 0 || (statSync(file).mode & read_by_others) === 0) return []
  const message = `holds a password, and everyone may read ${file}: chmod o-r it, or name a variable: { "$env": "NAME" }`
  return places.map(path => ({ path, message }))
}

function passwordsIn(value: unknown, path: readonly string[]): string[] {
  if (hasPassword(value)) return [path.join('.')]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) => passwordsIn(one, [...path, key]))
}

const hasPassword = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).password !== ''
