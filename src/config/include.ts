// Parts of a configuration that stand in files of their own: `{ "$file": "./fingerprints.json" }`.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Fault } from '../engine/fault.ts'

/** Octets of one such file; lists that operators keep by hand are far smaller. */
const FILE_BYTES = 1024 * 1024

/**
 * Replaces every value that is exactly `{ "$file": path }` by that file's JSON, one level deep: what is included
 * includes nothing. Paths start from `base`. A file that cannot be used is a fault at its place.
 */
export function include(value: unknown, base: string, faults: Fault[], path: readonly string[] = []): unknown {
  if (value === null || typeof value !== 'object') return value
  const file = includedFile(value)
  if (file !== null) return readIncluded(resolve(base, file), file, faults, path)
  if (Array.isArray(value)) return value.map((one, i) => include(one, base, faults, [...path, String(i)]))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, include(one, base, faults, [...path, key])]),
  )
}

function includedFile(value: object): string | null {
  const [entry, ...others] = Object.entries(value)
  return entry?.[0] === '$file' && others.length === 0 && typeof entry[1] === 'string' ? entry[1] : null
}

function readIncluded(file: string, named: string, faults: Fault[], path: readonly string[]): unknown {
  try {
    if (statSync(file).size > FILE_BYTES) throw new Error(`larger than ${FILE_BYTES} octets`)
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    faults.push({
      path: path.join('.'),
      message: `cannot include "${named}": ${error instanceof Error ? error.message : error}`,
    })
    return null
  }
}
