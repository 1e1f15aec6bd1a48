// Loads the plugins that a configuration names and builds the registry, with all faults of both. A plugin's file must be the
// intended one, and not writable by others.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { resolve as resolveSpecifier } from 'import-meta-resolve'
import type { Fault } from '../base/fault.ts'
import { version } from '../base/package_root.ts'
import { ConfiguredBrands } from '../knowledge/brands/configured_brands.ts'
import type { LoadedPlugin } from './contract.ts'
import { exportsOf } from './isolation/described.ts'
import { loadIsolated } from './isolation/isolated_plugins.ts'
import { readableBy } from './isolation/readable.ts'
import { offerOwnPackage } from './own_package.ts'
import type { Plugin } from './plugin.ts'
import { createRegistry, type PluginSetting, provedFaults, type Registry, type Settings } from './registry.ts'
import { DEFAULT_GROUPS } from './scoring/groups.ts'
import { refuseChanges, type SharedObjects, snapshotSharedObjects, supervise } from './supervised.ts'

/** What the configuration says of plugins. Values of a wrong type may be in it. */
export interface PluginConfig {
  readonly load: readonly (string | NamedModule)[]
  readonly plugins: Readonly<Record<string, PluginSetting | boolean>>
  readonly scoring: Partial<Pick<Settings, 'groups' | 'composites'>>
  readonly brands: readonly unknown[]
  /** Directory of the service's files, which no isolated plugin reads. */
  readonly data: string
}

interface NamedModule {
  readonly module: string
  readonly integrity?: string | undefined
  readonly isolated?: boolean | undefined
}

/**
 * Loads the plugins in `load` besides the built-in ones, and validates them all against the settings. The processes of
 * isolated plugins end with the registry's `close`, or at once when there are faults.
 */
export async function loadRegistry(
  builtIn: readonly LoadedPlugin[],
  config: PluginConfig,
  base: string,
): Promise<{ registry: Registry; faults: Fault[] }> {
  const { load, settings } = settingsOf(config)
  if (load.length > 0) offerOwnPackage()
  const objects = snapshotSharedObjects()
  const entries = load.flatMap((moduleEntry, i) =>
    isNamed(moduleEntry)
      ? [entryOf(moduleEntry, { base, data: resolve(base, String(config.data)), path: `load.${i}` })]
      : [],
  )
  const isolatedOutcomes = entries.map(entry => (entry.isolated ? outcomeOf(entry, loadApart) : null))
  const outcomes: Outcome[] = []
  // One after the other, so that a change of shared objects can be attributed.
  for (const [i, entry] of entries.entries()) {
    outcomes.push(await (isolatedOutcomes[i] ?? outcomeOf(entry, one => loadHere(one, objects))))
  }
  const loadedPlugins = [...builtIn, ...outcomes.flatMap(({ plugins }) => plugins)]
  const creation = createRegistry(loadedPlugins, {
    ...settings,
    plugins: withBrands(settings.plugins, loadedPlugins, config),
  })
  const declarationFaults = [...outcomes.flatMap(({ faults }) => faults), ...creation.faults]
  // With invalid options, a plugin would have faults of its own for them.
  const faults = declarationFaults.length > 0 ? declarationFaults : await provedFaults(creation.registry)
  if (faults.length > 0) creation.registry.close()
  return { registry: creation.registry, faults }
}

/** A value of the wrong type already has a fault and is treated as absent. */
function settingsOf({ load, plugins, scoring }: PluginConfig) {
  const settings = {
    plugins: (plugins ?? {}) as Readonly<Record<string, PluginSetting | true>>,
    groups: { ...DEFAULT_GROUPS, ...scoring?.groups },
    composites: scoring?.composites ?? {},
  }
  return { load: Array.isArray(load) ? load : [], settings }
}

type PluginSettings = Readonly<Record<string, PluginSetting | true>>

/** Gives the brands of the configuration to all plugins that take some, before those that a plugin is given itself. */
function withBrands(
  settings: PluginSettings,
  loadedPlugins: readonly LoadedPlugin[],
  { brands }: PluginConfig,
): PluginSettings {
  if (!Array.isArray(brands) || brands.length === 0) return settings
  const takers = loadedPlugins.filter(({ plugin }) => takesBrands(plugin.options))
  const additions = takers.flatMap(({ plugin }): [string, PluginSetting][] => {
    const setting = settings[plugin.name] ?? {}
    if (setting === false) return []
    const pluginSettings = setting === true ? {} : setting
    const own = pluginSettings.options?.['brands'] ?? []
    if (!Array.isArray(own)) return []
    return [[plugin.name, { ...pluginSettings, options: { ...pluginSettings.options, brands: [...own, ...brands] } }]]
  })
  return { ...settings, ...Object.fromEntries(additions) }
}

/** A plugin may have the schema of another copy of this package. */
const takesBrands = (options: unknown): boolean =>
  isDeepStrictEqual(
    (options as { readonly properties?: { readonly brands?: unknown } } | undefined)?.properties?.brands,
    ConfiguredBrands,
  )

type Entry = ReturnType<typeof entryOf>

function entryOf(
  moduleEntry: string | NamedModule,
  { base, data, path }: { base: string; data: string; path: string },
) {
  const {
    module: specifier,
    integrity,
    isolated = false,
  } = typeof moduleEntry === 'string' ? { module: moduleEntry } : moduleEntry
  /** The module's file. Throws when it does not exist or must not be run. */
  const vetModule = () => {
    const file = vetFile(locate(specifier, base), base, integrity)
    requirePeer(file)
    return file
  }
  return {
    specifier,
    isolated,
    /** Its place in the configuration. */
    path,
    vet: vetModule,
    /** Files and folders that an isolated plugin never reads. */
    apart: [base, data],
  }
}

/** An entry without a module name already has a fault from the schema. */
function isNamed(moduleEntry: unknown): boolean {
  const module = typeof moduleEntry === 'object' ? (moduleEntry as { module?: unknown } | null)?.module : moduleEntry
  return typeof module === 'string' && module !== ''
}

interface Outcome {
  readonly plugins: readonly LoadedPlugin[]
  readonly faults: readonly Fault[]
}

/** Never rejects. */
async function outcomeOf(entry: Entry, load: (entry: Entry) => Promise<readonly LoadedPlugin[]>): Promise<Outcome> {
  const { specifier, path } = entry
  try {
    return { plugins: await load(entry), faults: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { plugins: [], faults: [{ path, message: `cannot load "${specifier}": ${message}` }] }
  }
}

async function loadHere({ specifier, vet }: Entry, objects: SharedObjects): Promise<readonly LoadedPlugin[]> {
  const module = (await settledImport(import(pathToFileURL(vet()).href))) as { default?: unknown }
  refuseChanges(objects)
  return exportsOf(module).map(plugin => ({ plugin: supervise(plugin as Plugin, objects), origin: specifier }))
}

/** Milliseconds for a module to load: it may read its tables first. */
const LOAD_MS = 10_000

/**
 * Rejects for a module with a top-level `await` that never settles, which would end the process silently (exit code 13): at once
 * when nothing is left that could settle it.
 */
function settledImport<Module>(loading: Promise<Module>): Promise<Module> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('it never finishes loading: its top-level `await` does not settle'))
    const timer = setTimeout(giveUp, LOAD_MS).unref()
    // What is rejected here must be handled before the process may end, so something is left to do.
    const atEnd = () => void setImmediate(giveUp)
    process.once('beforeExit', atEnd)
    const stop = () => {
      clearTimeout(timer)
      process.off('beforeExit', atEnd)
    }
    loading.then(resolve, reject).finally(stop)
  })
}

function loadApart({ specifier, vet, apart }: Entry): Promise<readonly LoadedPlugin[]> {
  const source = () => {
    const file = vet()
    return { url: pathToFileURL(file).href, reads: readableBy(file, apart) }
  }
  return loadIsolated(source, specifier)
}

/** Paths are relative to the configuration's directory; anything else is a package resolved from there. */
function locate(specifier: string, base: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return resolve(base, specifier)
  return fileURLToPath(resolveSpecifier(specifier, pathToFileURL(join(base, 'config.json')).href))
}

/** Bits of a file's mode (POSIX): writable by others; and for a directory, that only owners may replace their files in it. */
const OTHERS_WRITE = 0o002
const STICKY = 0o1000
/** Windows has no such bits; Node invents them. */
const hasModes = process.platform !== 'win32'

/**
 * Resolves links and returns the file. Throws when it does not exist, when a name inside the configuration's directory leads
 * outside, when others may write or replace it, or when it does not match `integrity` (W3C Subresource Integrity, sha512
 * only).
 */
export function vetFile(file: string, base: string, integrity: string | undefined): string {
  if (!existsSync(file)) throw new Error('no such file')
  const real = realpathSync(file)
  if (isWithin(resolve(base), file) && !isWithin(realpathSync(base), real))
    throw new Error('is a symbolic link to a file outside the directory of the configuration')
  if (hasModes) refuseWritable(real)
  if (integrity !== undefined) requireIntegrity(real, integrity)
  return real
}

const isWithin = (directory: string, file: string): boolean => {
  const path = relative(directory, file)
  return !path.startsWith('..') && !isAbsolute(path)
}

function refuseWritable(file: string): void {
  if (statSync(file).mode & OTHERS_WRITE) throw new Error('is world-writable: run `chmod o-w` on it')
  const { mode } = statSync(dirname(file))
  if (mode & OTHERS_WRITE && !(mode & STICKY))
    throw new Error(
      'can be replaced by anyone, since its directory is world-writable: run `chmod o-w` on the directory',
    )
}

function requireIntegrity(file: string, integrity: string): void {
  const actual = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (actual !== integrity) throw new Error(`does not match its "integrity"; the file has ${actual}`)
}

const PACKAGE = 'assay'

/** semver is loaded only for packages that state a range. */
const load = createRequire(import.meta.url)

/** Throws when the package that the file belongs to asks for another version of this one. */
function requirePeer(file: string): void {
  const manifest = manifestOf(dirname(file))
  const range = (manifest?.peerDependencies as Readonly<Record<string, unknown>> | undefined)?.[PACKAGE]
  if (manifest === null || typeof range !== 'string') return
  const satisfies = load('semver/functions/satisfies.js') as Satisfies
  if (satisfies(version, range, { includePrerelease: true })) return
  throw new Error(
    `its package asks for ${PACKAGE} ${range}, and this is ${version}: install a version of it for ${version}, or change "peerDependencies" in ${manifest.file}`,
  )
}

type Satisfies = (own: string, range: string, options: { readonly includePrerelease: boolean }) => boolean

interface Manifest {
  readonly file: string
  readonly peerDependencies?: unknown
}

/** The closest package.json at or above the directory; null if there is none, or none that is JSON. */
function manifestOf(directory: string): Manifest | null {
  const file = join(directory, 'package.json')
  if (!existsSync(file)) return dirname(directory) === directory ? null : manifestOf(dirname(directory))
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')), file }
  } catch {
    return null
  }
}
