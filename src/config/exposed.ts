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
}

/** Null when not everyone may read the file. Throws when it is gone. */
export const exposedIn = (file: string, given: unknown): Exposed | null =>
  (statSync(file).mode & read_by_others) === 0 ? null : { file, given }

/** Passwords in it; `path` is where in the configuration it stands. */
export const exposedPasswords = ({ file, given }: Exposed, path: readonly string[] = []): Fault[] =>
  passwordsIn(given, path).map(path => ({ path, message: `holds a password, ${advice(file)}` }))

/** Options in it that their plugin calls secret (`writeOnly`). */
export function exposedSecrets({ file, given }: Exposed, { analyzers, offered, extensions }: Registry): Fault[] {
  const plugins: Plugin[] = [...[...analyzers, ...offered].map(({ analyzer }) => analyzer), ...extensions]
  return plugins.flatMap(({ name, options }) => {
    const written = (given as Settings).plugins?.[name]?.options
    return secretsOf(options)
      .filter(key => typeof written?.[key] === 'string' && written[key] !== '')
      .map(key => ({ path: `plugins.${name}.options.${key}`, message: `is a secret, ${advice(file)}` }))
  })
}

/** As it is written: whatever it may be, it has these members or none. */
interface Settings {
  readonly plugins?: Readonly<Record<string, { readonly options?: Readonly<Record<string, unknown>> } | null>> | null
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
