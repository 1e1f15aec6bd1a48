// A secret in a file that everyone may read is none.
import { statSync } from 'node:fs'
import type { Fault } from '../engine/fault.ts'
import type { Plugin } from '../engine/plugin.ts'
import type { Registry } from '../engine/registry.ts'

/** Of a file's mode: who is neither its owner nor in its group may read it. */
const read_by_others = 0o004

/** A file that everyone may read, and what is written in it; what it takes from elsewhere is not its secret. */
export interface Exposed {
  readonly file: string
  readonly given: unknown
  /** Where in the configuration it stands; empty for the whole. */
  readonly path: readonly string[]
}

/** Null when not everyone may read the file. Throws when it is gone. */
export const exposedIn = (file: string, given: unknown, path: readonly string[]): Exposed | null =>
  (statSync(file).mode & read_by_others) === 0 ? null : { file, given, path }

/** Passwords in it. */
export const exposedPasswords = ({ file, given, path }: Exposed): Fault[] =>
  passwordsIn(given, path).map(path => ({ path, message: `holds a password, ${advice(file)}` }))

/** Options in it that their plugin calls secret (`writeOnly`). */
export function exposedSecrets(exposed: Exposed, { analyzers, offered, extensions }: Registry): Fault[] {
  const plugins: Plugin[] = [...[...analyzers, ...offered].map(({ analyzer }) => analyzer), ...extensions]
  return plugins
    .flatMap(({ name, options }) => secretsOf(options).map(key => ['plugins', name, 'options', key]))
    .filter(place => isWritten(exposed, place))
    .map(place => ({ path: place.join('.'), message: `is a secret, ${advice(exposed.file)}` }))
}

/** Whether there is a text at that place of the configuration: whatever was written, it has these members or none. */
function isWritten({ given, path }: Exposed, place: readonly string[]): boolean {
  if (path.some((name, i) => name !== place[i])) return false
  const written = place
    .slice(path.length)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], given)
  return typeof written === 'string' && written !== ''
}

/** Names of the options that are secrets, by their schema. */
export function secretsOf(schema: object | undefined): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Readonly<Record<string, { writeOnly?: boolean }>> }
  return Object.keys(properties).filter(name => properties[name]?.writeOnly)
}

const advice = (file: string): string =>
  `and everyone may read ${file}: chmod o-r it, or name a variable: { "$env": "NAME" }`

function passwordsIn(value: unknown, path: readonly string[]): string[] {
  if (hasPassword(value)) return [path.join('.')]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) => passwordsIn(one, [...path, key]))
}

const hasPassword = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).password !== ''
