// Configuration files: JSON with comments and without duplicate keys, parts included from files and variables, and warnings for secrets in
// world-readable files.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Fault } from '../base/fault.ts'
import { readTextFile, unreadable } from '../base/files.ts'
import type { Plugin } from '../engine/plugin.ts'
import type { Registry } from '../engine/registry.ts'
import { parseJson, withoutComments } from './json_text.ts'

export interface SettingsFile {
  readonly settings: unknown
  readonly faults: readonly Fault[]
  readonly exposed: Exposure | null
}

/** `path` is its place in the configuration. Throws an `Error` that says why the file cannot be read. */
export function readSettingsFile(file: string, path: readonly string[] = []): SettingsFile {
  const { value: settings, repeated } = parseJson(withoutComments(readTextFile(file)))
  const exposure = exposedIn(file, settings, path)
  const duplicates = repeated.map(name => ({ path: [...path, name].join('.'), message: 'duplicate key' }))
  return {
    settings,
    faults: [...duplicates, ...(exposure === null ? [] : exposedPasswords(exposure))],
    exposed: exposure,
  }
}

/** Largest included file in bytes; lists that operators maintain are far smaller. */
const FILE_BYTES = 1024 * 1024

/** Findings about included parts. */
export interface Inclusion {
  readonly faults: Fault[]
  /** World-readable files. */
  readonly exposed: Exposure[]
}

/** Where included parts come from. */
export interface Elsewhere {
  /** Base directory of paths. */
  readonly base: string
  /** The process environment, so that secrets need not be in a file. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/**
 * Replaces every value of the form `{ "$file": path }` by the JSON of that file, and `{ "$env": name }` by the text of that
 * variable. Included parts include nothing themselves. A part that is missing is a fault at its place and is left out, so that
 * the default applies and causes no further fault.
 */
export function include(value: unknown, from: Elsewhere, findings: Inclusion, path: readonly string[] = []): unknown {
  if (value === null || typeof value !== 'object') return value
  const file = referenceIn(value, '$file')
  if (file !== null) return readIncluded(resolve(from.base, file), file, findings, path)
  const variable = referenceIn(value, '$env')
  if (variable !== null) return readVariable(variable, from, findings, path)
  if (Array.isArray(value)) return value.map((one, i) => include(one, from, findings, [...path, String(i)]))
  const entries = Object.entries(value).map(([key, one]) => [key, include(one, from, findings, [...path, key])])
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
}

function referenceIn(value: object, by: '$file' | '$env'): string | null {
  const [entry, ...others] = Object.entries(value)
  return entry?.[0] === by && others.length === 0 && typeof entry[1] === 'string' ? entry[1] : null
}

/** Undefined also for an empty variable, which is often an unset one. */
function readVariable(
  name: string,
  { variables }: Elsewhere,
  { faults }: Inclusion,
  path: readonly string[],
): string | undefined {
  const text = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (text) return text
  faults.push({ path: path.join('.'), message: `environment variable ${name} is not set` })
  return undefined
}

function readIncluded(
  file: string,
  fileName: string,
  { faults, exposed }: Inclusion,
  path: readonly string[],
): unknown {
  try {
    if (statSync(file).size > FILE_BYTES) throw new Error(`larger than ${FILE_BYTES} octets`)
    const includedFile = readSettingsFile(file, path)
    faults.push(...includedFile.faults)
    if (includedFile.exposed !== null) exposed.push(includedFile.exposed)
    return includedFile.settings
  } catch (error) {
    faults.push({
      path: path.join('.'),
      message: `cannot include "${fileName}": ${unreadable(error)}`,
    })
    return undefined
  }
}

/** Mode bit: readable by everyone. */
const readByOthers = 0o004

/** A world-readable file and its content. Values that it takes from elsewhere are not its secrets. */
export interface Exposure {
  readonly file: string
  readonly settings: unknown
  /** Its place in the configuration; empty for the whole. */
  readonly path: readonly string[]
}

/** Null when the file is not world-readable. Throws when it no longer exists. */
export const exposedIn = (file: string, settings: unknown, path: readonly string[]): Exposure | null =>
  (statSync(file).mode & readByOthers) === 0 ? null : { file, settings, path }

/** Passwords in the file. */
export const exposedPasswords = ({ file, settings, path }: Exposure): Fault[] =>
  passwordsIn(settings, path).map(path => ({ path, message: `contains a password, ${advice(file)}` }))

/** Options in the file that their plugin marks as secret (`writeOnly`), headers for the collector of traces, and the password for mail. */
export function exposedSecrets(exposure: Exposure, { analyzers, offered, extensions }: Registry): Fault[] {
  const plugins: Plugin[] = [...[...analyzers, ...offered].map(({ analyzer }) => analyzer), ...extensions]
  return plugins
    .flatMap(({ name, options }) => secretsOf(options).map(key => ['plugins', name, 'options', key]))
    .concat(exposedHeaders(exposure), [MAIL_PASSWORD])
    .filter(place => isWritten(exposure, place))
    .map(place => ({ path: place.join('.'), message: `is a secret, ${advice(exposure.file)}` }))
}

const MAIL_PASSWORD = ['watch', 'mail', 'password']
const HEADERS = ['telemetry', 'traces', 'headers']

/** Headers for the collector, which hold its token. */
function exposedHeaders(exposure: Exposure): string[][] {
  const { settings, path } = exposure
  const headers = HEADERS.slice(path.length).reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
    settings,
  )
  return Object.keys(Object(headers)).map(name => [...HEADERS, name])
}

/** Whether that place of the configuration holds a text, whatever the file contains otherwise. */
function isWritten({ settings, path }: Exposure, place: readonly string[]): boolean {
  if (path.some((name, i) => name !== place[i])) return false
  const fileValue = place
    .slice(path.length)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], settings)
  return typeof fileValue === 'string' && fileValue !== ''
}

/** Names of the options that the schema marks as secret. */
export function secretsOf(schema: object | undefined): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Readonly<Record<string, { writeOnly?: boolean }>> }
  return Object.keys(properties).filter(name => properties[name]?.writeOnly)
}

const advice = (file: string): string =>
  `and ${file} is world-readable: run \`chmod o-r\` on it, or take the value from the environment: { "$env": "NAME" }`

function passwordsIn(value: unknown, path: readonly string[]): string[] {
  if (hasPassword(value)) return [path.join('.')]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) => passwordsIn(one, [...path, key]))
}

/** In what looks like a URL and is none, such as one with several hosts. */
const UNREADABLE_PASSWORD = /^[a-z+]+:\/\/[^/@]*:[^/@]+@/i

function hasPassword(url: unknown): boolean {
  if (typeof url !== 'string') return false
  return URL.canParse(url) ? new URL(url).password !== '' : UNREADABLE_PASSWORD.test(url)
}
