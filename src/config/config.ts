// Merges file, environment and flags into one frozen, validated Config. Flags override the environment, which overrides the
// file.
import { dirname, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { didYouMean, type Fault } from '../base/fault.ts'
import { unreadable, whyUnreadable } from '../base/files.ts'
import { deepFreeze } from '../engine/freeze.ts'
import { fillDefaults } from '../engine/json_schema.ts'
import { knownLists } from '../evidence/listings/known_lists.ts'
import { readEntry } from '../evidence/operator_lists/entries.ts'
import { faultText, readFile as readListFile } from '../evidence/operator_lists/source.ts'
import { chooseDatasets, datasetFaults, isUrl } from '../knowledge/datasets/choose.ts'
import { readBlock } from '../network/address_block.ts'
import { parseControl, parseResolver } from '../network/endpoints.ts'
import { denyFault } from '../network/guard.ts'
import { parseDomain } from '../targets/domain.ts'
import type { Environment } from './environment.ts'
import { storeUrlFault } from './postgres_place.ts'
import { type Config, ConfigSchema, WORKERS_MAX } from './schema.ts'
import { type Exposure, type Inclusion, include, readSettingsFile, type SettingsFile } from './settings_file.ts'

export type { Config } from './schema.ts'

export interface Flags {
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly workers?: string | undefined
  readonly data?: string | undefined
}

export interface ReadConfig {
  readonly config: Config
  /** Base directory of relative paths and plugin names in the file. */
  readonly base: string
  readonly faults: readonly Fault[]
  /** Its files that are world-readable. */
  readonly exposed: readonly Exposure[]
}

/** Reads and validates. Returns faults, so that the caller can add the faults of plugins and report all at once. */
export function readConfig(flags: Flags, environment: Environment): ReadConfig {
  const file = flags.config ?? environment.config
  const base = file === undefined ? process.cwd() : dirname(resolve(file))
  const { settings, faults, exposed } = file === undefined ? nothing : readFile(file)
  const reading = readSettings(withStore(settings, environment), base, environment, flags)
  const all = exposed === null ? reading.exposed : [exposed, ...reading.exposed]
  return { ...reading, faults: [...faults, ...reading.faults], exposed: all }
}

/** The same for settings that are already parsed. */
export function readSettings(
  rawSettings: unknown,
  base: string,
  environment: Partial<Environment>,
  flags: Flags = {},
): ReadConfig {
  const inclusion: Inclusion = { faults: [], exposed: [] }
  const settings = include(rawSettings, { base, variables: environment.variables ?? {} }, inclusion)
  if (!isObject(settings) && inclusion.faults.length === 0)
    inclusion.faults.push({ path: '', message: 'must be a JSON object' })
  const withDefaults = fillDefaults(ConfigSchema, isObject(settings) ? settings : {}, '')
  const config = applyFlags(withDefaults.value as Config, flags, environment, base)
  const faults = [
    ...inclusion.faults,
    ...withDefaults.faults,
    ...config.faults,
    ...valueFaults(config.value, withDefaults.faults),
  ]
  return { config: deepFreeze(config.value), base, faults, exposed: inclusion.exposed }
}

const nothing: SettingsFile = { settings: {}, faults: [], exposed: null }

function readFile(file: string): SettingsFile {
  try {
    const reading = readSettingsFile(file)
    if (isObject(reading.settings)) return reading
    return { ...nothing, faults: [{ path: '', message: `${file}: must be a JSON object` }] }
  } catch (error) {
    return { ...nothing, faults: [{ path: '', message: `${file}: ${unreadable(error)}` }] }
  }
}

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)

/** The URL of a store may hold a password, which then need not be in the file. */
const withStore = (settings: unknown, { store }: Environment): unknown =>
  store === undefined ? settings : { ...(settings as object), store }

function applyFlags(config: Config, flags: Flags, environment: Partial<Environment>, base: string) {
  const host = flags.host ?? environment.host
  const port = flags.port ?? environment.port
  const workers = flags.workers ?? environment.workers
  const data = flags.data ?? environment.data
  const faults: Fault[] = []
  // Node would listen on every address of the machine.
  if (host === '') faults.push({ path: 'host', message: 'is empty' })
  if (port !== undefined && !isPort(port))
    faults.push({ path: 'port', message: `"${port}" is not a port (0 to 65535)` })
  if (workers !== undefined && !isWorkers(workers))
    faults.push({ path: 'workers', message: `"${workers}" is not a number of processes (1 to ${WORKERS_MAX}) or auto` })
  const value: Config = {
    ...config,
    server: {
      ...config.server,
      ...(host === undefined ? {} : { host }),
      ...(port !== undefined && isPort(port) ? { port: Number(port) } : {}),
      ...(workers !== undefined && isWorkers(workers)
        ? { workers: workers === 'auto' ? workers : Number(workers) }
        : {}),
    },
    data: data === undefined ? resolve(base, String(config.data)) : resolve(data),
    datasets: fromBase(base, config.datasets),
    lists: listsFromBase(base, config.lists),
    plugins: withRendering(config, withOwnLists(config)),
  }
  return { value, faults }
}

/** Paths are relative to the configuration file. */
const fromBase = (base: string, datasets: Config['datasets']): Config['datasets'] =>
  Object.fromEntries(Object.entries(datasets ?? {}).map(([name, setting]) => [name, resolvePlace(base, setting)]))

function resolvePlace(base: string, setting: Config['datasets'][string]): Config['datasets'][string] {
  if (typeof setting === 'string') return isUrl(setting) ? setting : resolve(base, setting)
  return setting !== null && typeof setting === 'object' && typeof setting.path === 'string'
    ? { ...setting, path: resolve(base, setting.path) }
    : setting
}

type OwnLists = Config['lists']

function listsFromBase(base: string, lists: OwnLists): OwnLists {
  const from = (list: OwnLists['allow']) =>
    Array.isArray(list) ? list.map(one => (hasFile(one) ? { file: resolve(base, one.file) } : one)) : list
  return { allow: from(lists?.allow), block: from(lists?.block) }
}

/** Whoever writes a list wants it read; the plugin can still be switched off by name. */
function withOwnLists({ lists, plugins }: Config): Config['plugins'] {
  const hasEntries = [lists?.allow, lists?.block].some(list => Array.isArray(list) && list.length > 0)
  return hasEntries ? { operator_lists: true, ...plugins } : plugins
}

/** The same for who configures a browser. */
const withRendering = ({ rendering }: Config, plugins: Config['plugins']): Config['plugins'] =>
  rendering?.browser == null ? plugins : { rendered: true, ...plugins }

const hasFile = (entry: unknown): entry is { readonly file: string } =>
  typeof (entry as { file?: unknown } | null)?.file === 'string'

const isWorkers = (text: string) =>
  text === 'auto' || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= WORKERS_MAX)

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65535

/** What a schema cannot express. Runs even when the schema found faults elsewhere, so it assumes nothing. */
function valueFaults(
  { server, store, network, blocklists, datasets, lists, watch }: Config,
  earlierFaults: readonly Fault[],
): Fault[] {
  const isSound = (section: string) =>
    !earlierFaults.some(({ path }) => path === section || path.startsWith(`${section}.`))
  const isRecord = !earlierFaults.some(({ path }) => path === 'datasets')
  const soundDatasets = Object.fromEntries(
    Object.entries(isRecord ? datasets : {}).filter(([id]) => isSound(`datasets.${id}`)),
  )
  return [
    ...(isSound('store') && store !== null ? storeFaults(store) : []),
    ...textFaults('network.resolvers', network?.resolvers, parseResolver, 'an address with an optional port'),
    ...denyFaults(network?.deny),
    ...originFaults(server?.cors_origins),
    ...textFaults('network.unsafe_allow', network?.unsafe_allow, readBlock, 'an address or a CIDR range'),
    ...textFaults('watch.allow_private', watch?.allow_private, readBlock, 'an address or a CIDR range'),
    ...(isSound('watch') ? mailFaults(watch.mail) : []),
    ...textFaults('network.egress_controls', network?.egress_controls, parseControl, 'a host with an optional port'),
    ...textFaults('server.trusted_proxies', server?.trusted_proxies, isRange, 'an address or a CIDR range'),
    ...datasetFaults(soundDatasets),
    ...missingFiles(soundDatasets),
    ...(isSound('lists') ? (['allow', 'block'] as const).flatMap(list => ownListFaults(list, lists[list])) : []),
    ...['enabled', 'zones'].flatMap(key => listFaults(`blocklists.${key}`, blocklists?.[key as 'enabled' | 'zones'])),
  ]
}

/** Files of datasets that are read at the start and are not there. */
function missingFiles(datasets: Config['datasets']): Fault[] {
  return chooseDatasets(datasets).flatMap(({ id, enabled, path }) => {
    const why = enabled && path !== null ? whyUnreadable(path) : null
    return why === null ? [] : [{ path: `datasets.${id}`, message: `${path}: ${why}` }]
  })
}

/** Of a file, its first faults: the others are mostly of the same kind. */
const FILE_FAULTS = 5

function ownListFaults(kind: 'allow' | 'block', list: OwnLists['allow']): Fault[] {
  return list.flatMap((entry, i) => {
    const path = `lists.${kind}.${i}`
    if (hasFile(entry)) {
      const { faults } = readListFile(kind, entry.file)
      return faults.slice(0, FILE_FAULTS).map(fault => ({ path, message: `${entry.file}: ${faultText(fault)}` }))
    }
    const reading = readEntry(kind, entry)
    return reading.ok ? [] : [{ path, message: reading.detail }]
  })
}

function textFaults(path: string, list: unknown, read: (text: string) => unknown, what: string): Fault[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((text: unknown, i) =>
    typeof text !== 'string' || read(text) ? [] : [{ path: `${path}.${i}`, message: `"${text}" is not ${what}` }],
  )
}

function denyFaults(list: unknown): Fault[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((text: unknown, i) => {
    const fault = typeof text === 'string' ? denyFault(text) : null
    return fault === null ? [] : [{ path: `network.deny.${i}`, message: `"${text}" ${fault}` }]
  })
}

/** Browsers compare origins byte for byte (RFC 6454 section 6.2): any other spelling would never match. */
function originFault(text: string): string | null {
  if (text === '*') return null
  if (text.includes('*')) return 'has a wildcard: list each origin'
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.host === '') return 'is not an origin such as https://app.example.com'
  // Extensions and apps have schemes of their own, for which URL does not return an origin.
  const origin = /^https?:$/.test(url.protocol) ? url.origin : `${url.protocol}//${url.host}`
  return origin === text ? null : `is not an origin: write "${origin}"`
}

function originFaults(list: unknown): Fault[] {
  if (!Array.isArray(list)) return []
  const path = 'server.cors_origins'
  const mixFaults =
    list.length > 1 && list.includes('*') ? [{ path, message: '"*" stands for all: list it alone' }] : []
  return [
    ...mixFaults,
    ...list.flatMap((text: unknown, i) => {
      const fault = typeof text === 'string' ? originFault(text) : null
      return fault === null ? [] : [{ path: `${path}.${i}`, message: `"${text}" ${fault}` }]
    }),
  ]
}

function listFaults(path: string, choices: Readonly<Record<string, unknown>> | undefined): Fault[] {
  const ids = knownLists.map(({ id }) => id)
  return Object.keys(choices ?? {})
    .filter(id => !ids.includes(id))
    .map(id => ({ path: `${path}.${id}`, message: `no blocklist has this id${didYouMean(id, ids)}` }))
}

const isDomain = (text: string): boolean => {
  const parsed = parseDomain(text)
  return parsed.ok && parsed.value === text
}

/** This machine, as a mail server is named. */
const IS_LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

function mailFaults(mail: Config['watch']['mail']): Fault[] {
  const { host, port, tls, user, password, from, recipient_domains } = mail
  const path = 'watch.mail'
  const missing = [
    ...(host !== null && from === null ? ['from'] : []),
    ...(user !== null && password === null ? ['password'] : []),
    ...(user === null && password !== null ? ['user'] : []),
  ]
  return [
    ...missing.map(name => ({ path: `${path}.${name}`, message: 'is not set' })),
    ...(port === 465 && tls === 'starttls'
      ? [{ path: `${path}.tls`, message: 'must be "implicit" for port 465' }]
      : []),
    ...(host !== null && tls === 'none' && !IS_LOOPBACK.test(host)
      ? [{ path: `${path}.tls`, message: `must not be "none": ${host} is not this machine` }]
      : []),
    ...textFaults(`${path}.recipient_domains`, recipient_domains, isDomain, 'a domain name in A-labels and lower case'),
  ]
}

function storeFaults(url: string): Fault[] {
  const message = storeUrlFault(url)
  return message === null ? [] : [{ path: 'store', message }]
}

const isRange = (text: string): boolean => ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
