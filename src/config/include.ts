// Parts of a configuration that stand elsewhere: `{ "$file": "./fingerprints.json" }`, `{ "$env": "THEIR_KEY" }`.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Fault } from '../engine/fault.ts'
import { unreadable } from '../text_file.ts'
import type { Exposed } from './exposed.ts'
import { readSettingsFile } from './settings_file.ts'

/** Octets of one such file; lists that operators keep by hand are far smaller. */
const FILE_BYTES = 1024 * 1024

/** What is found out of them. */
export interface Included {
  readonly faults: Fault[]
  /** Files that everyone may read. */
  readonly exposed: Exposed[]
}

/** Where included things are found. */
export interface Elsewhere {
  /** Directory that paths start from. */
  readonly base: string
  /** The process's environment: secrets need not stand in a file. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/**
 * Replaces every value that is exactly `{ "$file": path }` by that file's JSON, and every `{ "$env": name }` by that
 * variable's text, one level deep: what is included includes nothing. What cannot be had is a fault at its
 * place, and left out: the default stands in, so that this fault is the only one.
 */
export function include(value: unknown, from: Elsewhere, found: Included, path: readonly string[] = []): unknown {
  if (value === null || typeof value !== 'object') return value
  const file = named(value, '$file')
  if (file !== null) return readIncluded(resolve(from.base, file), file, found, path)
  const variable = named(value, '$env')
  if (variable !== null) return readVariable(variable, from, found, path)
  if (Array.isArray(value)) return value.map((one, i) => include(one, from, found, [...path, String(i)]))
  const included = Object.entries(value).map(([key, one]) => [key, include(one, from, found, [...path, key])])
  return Object.fromEntries(included.filter(([, one]) => one !== undefined))
}

function named(value: object, by: '$file' | '$env'): string | null {
  const [entry, ...others] = Object.entries(value)
  return entry?.[0] === by && others.length === 0 && typeof entry[1] === 'string' ? entry[1] : null
}

/** Undefined also when it is empty, as an unset one often is. */
function readVariable(
  name: string,
  { variables }: Elsewhere,
  { faults }: Included,
  path: readonly string[],
): string | undefined {
  const text = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (text) return text
  faults.push({ path: path.join('.'), message: `the environment has no ${name}` })
  return undefined
}

function readIncluded(file: string, named: string, { faults, exposed }: Included, path: readonly string[]): unknown {
  try {
    if (statSync(file).size > FILE_BYTES) throw new Error(`larger than ${FILE_BYTES} octets`)
    const included = readSettingsFile(file, path)
    faults.push(...included.faults)
    if (included.exposed !== null) exposed.push(included.exposed)
    return included.given
  } catch (error) {
    faults.push({
      path: path.join('.'),
      message: `cannot include "${named}": ${unreadable(error)}`,
    })
    return undefined
  }
}
