// All datasets of an installation: what they answer now, how they stand, and how they are kept fresh.
import { access } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import type { Feed } from '../evidence/feeds.ts'
import type { PopularityList } from '../evidence/popularity.ts'
import type { Bootstrap } from '../evidence/registration/bootstrap.ts'
import type { Network } from '../network/network.ts'
import { feedOf, popularityOf } from './believed.ts'
import { type Chosen, chooseDatasets, type Setting } from './choose.ts'
import { type Copies, openCopies } from './copies.ts'
import { createSource } from './create_source.ts'
import type { BootstrapUse, Use } from './dataset.ts'
import type { Mmdb } from './mmdb.ts'
import { createSchedule, type Tell } from './schedule.ts'
import type { Refreshed, RefreshOptions, Source } from './source.ts'
import { type DatasetStatus, statusOf } from './status.ts'
import { UnusableDataset } from './unusable.ts'

export interface Datasets {
  feeds(): readonly Feed[]
  popularity(): readonly PopularityList[]
  /** Places and networks: those that place addresses first. */
  geo(): readonly Pick<Mmdb, 'lookup'>[]
  bootstrap(use: BootstrapUse): Bootstrap | null
  /** All there are, those that are off too. Cheap. */
  status(): readonly DatasetStatus[]
  /** What an operator should read once at start. */
  readonly notices: readonly string[]
  /** Reads the last good copies from disk; never rejects, and never waits for a network. */
  load(): Promise<void>
  /** Fetches one now. Null when there is none of that id, or it is off. */
  refresh(id: string, options: RefreshOptions): Promise<Refreshed | null>
  /** Keeps them fresh from now on, where the configuration lets it. */
  start(tell?: Tell): void
  /** Gives up what is under way. */
  stop(): Promise<void>
}

export interface DatasetsOptions {
  readonly settings: Readonly<Record<string, Setting>>
  /** Whether URLs are fetched; else the copies on disk are all there is. */
  readonly downloads: { readonly enabled: boolean; readonly timeout_seconds: number }
  /** Where copies are kept. */
  readonly directory: string
  readonly network: Network
  readonly clock: Clock
  readonly random?: () => number
}

const WITHOUT_DOWNLOADS = 'downloads are off, and there is no copy on disk'

/** Opens those that are files of the operator's and small; rejects with an `UnusableDataset` that names all that cannot be used. */
export async function openDatasets(options: DatasetsOptions): Promise<Datasets> {
  const { clock, network, downloads } = options
  const copies = openCopies(options.directory)
  const all = chooseDatasets(options.settings)
  const wanted = await inUse(all, downloads.enabled, copies)
  const sources = wanted.map(one =>
    createSource(one, { network, clock, copies, timeout_ms: downloads.timeout_seconds * 1_000 }),
  )
  const renewed = sources.filter(({ dataset }) => downloads.enabled || dataset.path !== null)
  const schedule = createSchedule({ sources: renewed, clock, ...(options.random && { random: options.random }) })
  await openFiles(sources)
  const ended = new AbortController()
  const pairs = wanted.map((one, at) => ({ one, source: sources[at] as Source }))
  const of = <One extends Use>(use: One) =>
    pairs.filter((pair): pair is { one: Chosen; source: Source<One> } => pair.one.use === use)
  let loading = false
  const present = <One extends Use>({ one, source }: { one: Chosen; source: Source<One> }) => {
    const awaited = loading || schedule.awaits(one.id)
    return { one, held: source.held(), awaited, now: clock.now() }
  }
  return {
    feeds: () => of('feed').map(pair => feedOf(present(pair))),
    popularity: () => of('popularity').map(pair => popularityOf(present(pair))),
    geo: () => [...of('city'), ...of('asn')].flatMap(({ source }) => source.held()?.value ?? []),
    bootstrap: use => of(use)[0]?.source.held()?.value ?? null,
    status: () =>
      all.map(one => {
        const source = sources.find(({ dataset }) => dataset.id === one.id) ?? sources.find(standsFor(one))
        const known = source || !one.enabled ? one : { ...one, enabled: false, off: WITHOUT_DOWNLOADS }
        return statusOf(known, source?.held() ?? null, schedule.course(one.id), clock.now())
      }),
    notices: noticesOf(all.filter(one => wanted.includes(one) || (one.enabled && one.path !== null))),
    async load() {
      // One after another: two at once would share no turn of the event loop, but make each twice as long.
      loading = true
      for (const source of sources) {
        if (source.held() === null && !ended.signal.aborted) await source.load().catch(() => {})
      }
      loading = false
    },
    async refresh(id, refreshing) {
      const source = sources.find(({ dataset }) => dataset.id === id)
      const signal = AbortSignal.any([refreshing.signal, ended.signal])
      return source ? schedule.refresh(source, { ...refreshing, signal }) : null
    },
    start: tell => schedule.start(tell),
    stop() {
      ended.abort()
      return schedule.stop()
    },
  }
}

/** One file in two places is one dataset; without downloads a URL is worth the copy that is there. */
async function inUse(all: readonly Chosen[], downloads: boolean, copies: Copies): Promise<Chosen[]> {
  const kept = await Promise.all(
    all.map(async one => {
      if (!one.enabled) return false
      if (one.path !== null) return isList(one) || all.find(other => isSameFile(one, other)) === one
      return downloads || (await copies.read(one.id)) !== null
    }),
  )
  return all.filter((_, at) => kept[at])
}

/** A source that has opened the file of another dataset too. */
const standsFor =
  (one: Chosen) =>
  ({ dataset }: Source): boolean =>
    one.enabled && one.path !== null && !isList(one) && dataset.path === one.path

const isSameFile = (one: Chosen, other: Chosen): boolean => other.enabled && !isList(other) && other.path === one.path

const isList = ({ use }: Pick<Chosen, 'use'>): boolean => use === 'feed' || use === 'popularity'

/** A file that the configuration names must be there, and what is no list must be right, before the service starts. */
async function openFiles(sources: readonly Source[]): Promise<void> {
  const files = sources.filter(({ dataset }) => dataset.path !== null)
  const opened = await Promise.allSettled(
    files.map(source => (isList(source.dataset) ? access(source.dataset.path ?? '') : source.load())),
  )
  const faults = opened.flatMap((result, at) =>
    result.status === 'rejected' ? [messageOf(result.reason, files[at]?.dataset.path)] : [],
  )
  if (faults.length > 0) throw new UnusableDataset(faults.join('\n'))
}

const messageOf = (error: unknown, path: string | null | undefined): string =>
  error instanceof UnusableDataset ? error.message : `${path}: no such file, or one that cannot be read`

function noticesOf(wanted: readonly Chosen[]): string[] {
  const has = (use: Use) => wanted.some(one => one.use === use)
  if (!has('city') && !has('asn'))
    return ['no dataset of places or networks (datasets.city, datasets.asn): geo_location is unavailable']
  return [
    ...(has('city') ? [] : ['no dataset in datasets.city: geo_location may not know places']),
    ...(has('asn') ? [] : ['no dataset in datasets.asn: geo_location may not know networks']),
  ]
}
