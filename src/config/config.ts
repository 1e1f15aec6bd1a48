// File, environment and flags become one frozen, checked Config; flags beat the environment, which beats the file.
import { dirname, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { datasetFaults, isUrl } from '../datasets/choose.ts'
import { didYouMean, type Fault } from '../engine/fault.ts'
import { deepFreeze } from '../engine/freeze.ts'
import { fillDefaults } from '../engine/json_schema.ts'
import { knownLists } from '../evidence/listings/lists.ts'
import { parseResolver } from '../network/resolver_address.ts'
import { unreadable } from '../text_file.ts'
import type { Environment } from './environment.ts'
import type { Exposed } from './exposed.ts'
import { type Included, include } from './include.ts'
import { type Config, ConfigSchema } from './schema.ts'
import { readSettingsFile, type SettingsFile } from './settings_file.ts'

export type { Config } from './schema.ts'

export interface Flags {
  readonly config?: string | undefined
  readonly port?: string | undefined
  readonly data?: string | undefined
}

export interface ReadConfig {
  readonly config: Config
  /** Directory that relative paths and plugin names in the file start from. */
  readonly base: string
  readonly faults: readonly Fault[]
  /** Of its files, those that everyone may read. */
  readonly exposed: readonly Exposed[]
}

/** Reads and checks; faults are returned, so that a caller can add those of the plugins and tell all at once. */
export function readConfig(flags: Flags, environment: Environment): ReadConfig {
  const file = flags.config ?? environment.config
  const base = file === undefined ? process.cwd() : dirname(resolve(file))
  const { given, faults, exposed } = file === undefined ? nothing : readFile(file)
  const read = readSettings(withStore(given, environment), base, environment, flags)
  const all = exposed === null ? read.exposed : [exposed, ...read.exposed]
  return { ...read, faults: [...faults, ...read.faults], exposed: all }
}

/** The same of settings that are at hand already. */
export function readSettings(
  given: unknown,
  base: string,
  environment: Partial<Environment>,
  flags: Flags = {},
): ReadConfig {
  const included: Included = { faults: [], exposed: [] }
  const settings = include(given, { base, variables: environment.variables ?? {} }, included)
  if (!isObject(settings) && included.faults.length === 0)
    included.faults.push({ path: '', message: 'must be a JSON object' })
  const filled = fillDefaults(ConfigSchema, isObject(settings) ? settings : {}, '')
  const config = applyFlags(filled.value as Config, flags, environment, base)
  const faults = [...included.faults, ...filled.faults, ...config.faults, ...valueFaults(config.value, filled.faults)]
  return { config: deepFreeze(config.value), base, faults, exposed: included.exposed }
}

const nothing: SettingsFile = { given: {}, faults: [], exposed: null }

function readFile(file: string): SettingsFile {
  try {
    const read = readSettingsFile(file)
    if (isObject(read.given)) return read
    return { ...nothing, faults: [{ path: '', message: `${file}: must be a JSON object` }] }
  } catch (error) {
    return { ...nothing, faults: [{ path: '', message: `${file}: ${unreadable(error)}` }] }
  }
}

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)

/** The URL of a store may hold a password, which need not stand in the file then. */
const withStore = (given: unknown, { store }: Environment): unknown =>
  store === undefined ? given : { ...(given as object), store }

function applyFlags(config: Config, flags: Flags, environment: Partial<Environment>, base: string) {
  const port = flags.port ?? environment.port
  const data = flags.data ?? environment.data
  const faults: Fault[] = []
  if (port !== undefined && !isPort(port))
    faults.push({ path: 'port', message: `"${port}" is not a port (0 to 65535)` })
  const value: Config = {
    ...config,
    server: { ...config.server, ...(port !== undefined && isPort(port) ? { port: Number(port) } : {}) },
    data: data === undefined ? resolve(base, String(config.data)) : resolve(data),
    datasets: fromBase(base, config.datasets),
  }
  return { value, faults }
}

/** Files are named from where the configuration stands. */
const fromBase = (base: string, datasets: Config['datasets']): Config['datasets'] =>
  Object.fromEntries(Object.entries(datasets ?? {}).map(([name, setting]) => [name, placed(base, setting)]))

function placed(base: string, setting: Config['datasets'][string]): Config['datasets'][string] {
  if (typeof setting === 'string') return isUrl(setting) ? setting : resolve(base, setting)
  return setting !== null && typeof setting === 'object' && typeof setting.path === 'string'
    ? { ...setting, path: resolve(base, setting.path) }
    : setting
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65535

/** What a schema cannot say. Looked at also when the schema found faults elsewhere, hence nothing is taken for granted. */
function valueFaults({ server, store, network, blocklists, datasets }: Config, found: readonly Fault[]): Fault[] {
  const isSound = (section: string) => !found.some(({ path }) => path === section || path.startsWith(`${section}.`))
  return [
    ...(isSound('store') && store !== null && !isRedis(store) ? [{ path: 'store', message: NO_REDIS }] : []),
    ...textFaults('network.resolvers', network?.resolvers, parseResolver, 'an address with an optional port'),
    ...textFaults('network.unsafe_allow', network?.unsafe_allow, isRange, 'an address or a CIDR range'),
    ...textFaults('server.trusted_proxies', server?.trusted_proxies, isRange, 'an address or a CIDR range'),
    ...(isSound('datasets') ? datasetFaults(datasets) : []),
    ...['enabled', 'zones'].flatMap(key => listFaults(`blocklists.${key}`, blocklists?.[key as 'enabled' | 'zones'])),
  ]
}

function textFaults(path: string, list: unknown, read: (text: string) => unknown, what: string): Fault[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((text: unknown, i) =>
    typeof text !== 'string' || read(text) ? [] : [{ path: `${path}.${i}`, message: `"${text}" is not ${what}` }],
  )
}

function listFaults(path: string, chosen: Readonly<Record<string, unknown>> | undefined): Fault[] {
  const ids = knownLists.map(({ id }) => id)
  return Object.keys(chosen ?? {})
    .filter(id => !ids.includes(id))
    .map(id => ({ path: `${path}.${id}`, message: `no blocklist has this id${didYouMean(id, ids)}` }))
}

/** Without the URL, which may hold a password. */
const NO_REDIS =
  'is no URL such as redis://user:password@host:6379/0 (in a password, percent-encode what is no letter or digit)'

/** A host, percent-encoded credentials, and the number of a database: nothing else is looked at. */
function isRedis(text: string): boolean {
  try {
    const { hostname, username, password, pathname } = new URL(text)
    return decodeURIComponent(username + password) !== null && hostname !== '' && /^(?:\/\d{0,5})?$/.test(pathname)
  } catch {
    return false
  }
}

const isRange = (text: string): boolean => ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
