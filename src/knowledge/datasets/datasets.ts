// All datasets of an installation: their current content, their state, and their refreshes.
import { access } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { withTimeout } from '../../base/timeout.ts'
import type { Network } from '../../network/network.ts'
import type { Bootstrap } from './bootstrap.ts'
import { type ChosenDataset, chooseDatasets, type Setting } from './choose.ts'
import type { CtLogs } from './ct_logs.ts'
import { type BootstrapUse, UnusableDataset, type Use } from './dataset.ts'
import { type DatasetCache, openDatasetCache } from './download.ts'
import { isExpected, type MissingDataset, missingDataset, watchMissing } from './expected.ts'
import type { Feed, PopularityList, PreloadList } from './held.ts'
import { openKeptIndexes } from './kept_indexes.ts'
import { createLoading } from './loading.ts'
import type { Mmdb } from './mmdb.ts'
import { type Listener, Schedule } from './schedule.ts'
import { createSource, type RefreshOptions, type RefreshOutcome, type Source } from './source.ts'
import { type DatasetStatus, feedOf, popularityOf, statusOf, usable } from './status.ts'

export interface Datasets {
  feeds(): readonly Feed[]
  popularity(): readonly PopularityList[]
  /** Databases of places and of networks, in this order. */
  geo(): readonly Pick<Mmdb, 'type' | 'lookup'>[]
  /** Null without a list that is current enough. */
  hstsPreload(): PreloadList | null
  /** Null without a list. An old one is used, too: it only lacks new logs. */
  ctLogs(): CtLogs | null
  bootstrap(use: BootstrapUse): Bootstrap | null
  /** The state of all datasets, including those that are off. Cheap. */
  status(): readonly DatasetStatus[]
  /** Expected datasets that are not in memory. Once in memory, a dataset stays there. Cheap. */
  missing(): readonly MissingDataset[]
  /** Calls `listener` whenever fewer are missing. */
  onRead(listener: (missing: readonly MissingDataset[]) => void): void
  /** What an operator should know at the start. */
  readonly notices: readonly string[]
  /**
   * Reads the last good copies from disk, once. Resolves when all are read, or when the time for that is over; the rest is read
   * afterwards. Never rejects, never waits for the network.
   */
  load(): Promise<void>
  /** Fetches one now. Null when no dataset has that id, or it is off. */
  refresh(id: string, options: RefreshOptions): Promise<RefreshOutcome | null>
  /** Loads what another process has fetched: one dataset, or all. Never rejects. */
  adopt(id?: string): Promise<void>
  /** Starts the scheduled refreshes, where the configuration allows them. */
  start(listener?: Listener): void
  /** Cancels refreshes under way. */
  stop(): Promise<void>
}

export interface DatasetsOptions {
  readonly settings: Readonly<Record<string, Setting>>
  /** Whether URLs are fetched. If not, only the copies on disk are used. */
  readonly downloads: { readonly enabled: boolean; readonly timeout_seconds: number }
  /** Milliseconds from now for which opening and reading wait for the disk, in all. */
  readonly loading_ms: number
  /** Directory of the copies. */
  readonly directory: string
  readonly network: Network
  readonly clock: Clock
  readonly random?: () => number
}

const WITHOUT_DOWNLOADS = 'downloads are off and there is no copy on disk'

/** Opens the databases in files of the operator. Rejects with an `UnusableDataset` that names every file that cannot be used. */
export async function openDatasets(options: DatasetsOptions): Promise<Datasets> {
  const { clock, network, downloads } = options
  const cache = openDatasetCache(options.directory)
  const indexes = openKeptIndexes(options.directory)
  const all = chooseDatasets(options.settings)
  const began = clock.monotonic()
  const inTime = (work: Promise<void>) =>
    withTimeout(work, Math.max(0, began + options.loading_ms - clock.monotonic()), () => undefined)
  const cachedCopies = await copiesOf(all, cache)
  const datasetsInUse = all.filter(one => isInUse(one, all, downloads.enabled || cachedCopies.has(one.id)))
  const watch = watchMissing(() =>
    pairs.flatMap(({ one, source }) =>
      source.held() === null && isExpected(one, cachedCopies.has(one.id)) ? [missingDataset(one)] : [],
    ),
  )
  const timeoutMs = downloads.timeout_seconds * 1_000
  const sources = datasetsInUse.map(one =>
    announcing(createSource(one, { network, clock, cache, indexes, timeout_ms: timeoutMs }), watch.look),
  )
  const renewedSources = sources.filter(({ dataset }) => downloads.enabled || dataset.path !== null)
  const schedule = new Schedule({ sources: renewedSources, clock, ...(options.random && { random: options.random }) })
  const lifetime = new AbortController()
  const pairs = datasetsInUse.map((one, at) => ({ one, source: sources[at] as Source }))
  const of = <One extends Use>(use: One) =>
    pairs.filter((pair): pair is { one: ChosenDataset; source: Source<One> } => pair.one.use === use)
  await inTime(openFiles(sources))
  const loading = createLoading(sources, lifetime.signal)
  const present = <One extends Use>({ one, source }: { one: ChosenDataset; source: Source<One> }) => {
    const isAwaited = loading.isAwaited(source) || schedule.awaits(one.id)
    return { one, held: source.held(), awaited: isAwaited, now: clock.now() }
  }
  return {
    feeds: () => of('feed').map(pair => feedOf(present(pair))),
    popularity: () => of('popularity').map(pair => popularityOf(present(pair))),
    geo: () => [...of('city'), ...of('asn')].flatMap(({ source }) => source.held()?.value ?? []),
    hstsPreload: () => {
      const [pair] = of('hsts_preload')
      return pair ? usable(present(pair)) : null
    },
    ctLogs: () => of('ct_logs')[0]?.source.held()?.value ?? null,
    bootstrap: use => of(use)[0]?.source.held()?.value ?? null,
    status: () =>
      all.map(one => {
        const source = sources.find(({ dataset }) => dataset.id === one.id) ?? sources.find(standsFor(one))
        const dataset = source || !one.enabled ? one : { ...one, enabled: false, off: WITHOUT_DOWNLOADS }
        const state = schedule.refreshState(one.id)
        const isUnfetched = one.path === null && !downloads.enabled && source?.held() === null
        const reason = isUnfetched && !source.isReading() ? WITHOUT_DOWNLOADS : state.reason
        return statusOf(dataset, source?.held() ?? null, { ...state, reason }, clock.now())
      }),
    notices: noticesOf(all.filter(one => datasetsInUse.includes(one) || (one.enabled && one.path !== null))),
    missing: watch.missing,
    onRead: watch.onRead,
    load() {
      return inTime(loading.load())
    },
    async refresh(id, refreshing) {
      const source = sources.find(({ dataset }) => dataset.id === id)
      const signal = AbortSignal.any([refreshing.signal, lifetime.signal])
      return source ? schedule.refresh(source, { ...refreshing, signal }) : null
    },
    async adopt(id) {
      for (const source of sources)
        if ((id === undefined || source.dataset.id === id) && !source.isReading()) await source.adopt()
    },
    start: listener => schedule.start(listener),
    stop() {
      lifetime.abort()
      return schedule.stop()
    },
  }
}

/** The datasets that have a copy on disk, valid or not. */
async function copiesOf(all: readonly ChosenDataset[], cache: DatasetCache): Promise<ReadonlySet<string>> {
  const had = await Promise.all(all.map(({ id, path }) => path === null && cache.has(id)))
  return new Set(all.flatMap(({ id }, at) => (had[at] ? [id] : [])))
}

/**
 * Two entries with the same database file share one source. A URL counts if it is fetched or there is a copy (`isThere`), and one
 * of the operator always: what the operator relies on must not be absent without a word.
 */
function isInUse(one: ChosenDataset, all: readonly ChosenDataset[], isThere: boolean): boolean {
  if (!one.enabled) return false
  if (one.path !== null) return isList(one) || all.find(other => isSameFile(one, other)) === one
  return isThere || one.chosen_by === 'place'
}

/** Calls `onSettled` when content may have been read. */
const announcing = <One extends Use>(source: Source<One>, onSettled: () => void): Source<One> => ({
  ...source,
  load: () => source.load().finally(onSettled),
  refresh: options => source.refresh(options).finally(onSettled),
  adopt: () => source.adopt().finally(onSettled),
})

/** Whether a source has opened the same file as this dataset. */
const standsFor =
  (one: ChosenDataset) =>
  ({ dataset }: Source): boolean =>
    one.enabled && one.path !== null && !isList(one) && dataset.path === one.path

const isSameFile = (one: ChosenDataset, other: ChosenDataset): boolean =>
  other.enabled && !isList(other) && other.path === one.path

const isList = ({ use }: Pick<ChosenDataset, 'use'>): boolean => use === 'feed' || use === 'popularity'

/** Before the service starts, every configured file must exist and every configured database must be valid. */
async function openFiles(sources: readonly Source[]): Promise<void> {
  const files = sources.filter(({ dataset }) => dataset.path !== null)
  const outcomes = await Promise.allSettled(
    files.map(source => (isList(source.dataset) ? access(source.dataset.path ?? '') : source.load())),
  )
  const faults = outcomes.flatMap((result, at) =>
    result.status === 'rejected' ? [messageOf(result.reason, files[at]?.dataset.path)] : [],
  )
  if (faults.length > 0) throw new UnusableDataset(faults.join('\n'))
}

const messageOf = (error: unknown, path: string | null | undefined): string =>
  error instanceof UnusableDataset ? error.message : `${path}: no such file, or not readable`

function noticesOf(datasets: readonly ChosenDataset[]): string[] {
  const has = (use: Use) => datasets.some(one => one.use === use)
  if (!has('city') && !has('asn'))
    return ['No dataset for places or networks (`datasets.city`, `datasets.asn`): `geo_location` is unavailable.']
  return [
    ...(has('city') ? [] : ['No dataset in `datasets.city`: `geo_location` may lack places.']),
    ...(has('asn') ? [] : ['No dataset in `datasets.asn`: `geo_location` may lack networks.']),
  ]
}
