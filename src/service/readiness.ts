// What operators learn about store, disk, instruments and datasets: in /readyz, the metrics, the log and at the start. Only a store
// that cannot be written makes the service unready: without an instrument, cached results and listings are still served.
import { statfs } from 'node:fs/promises'
import {
  type InstrumentKind,
  type InstrumentReport,
  instrumentName,
  resolverSentence,
  wayOutSentence,
} from '../base/health/report.ts'
import { best, isHealthy, type Standing } from '../base/health/standing.ts'
import { withTimeout } from '../base/timeout.ts'
import type { Datasets } from '../knowledge/datasets/datasets.ts'
import type { DatasetStatus } from '../knowledge/datasets/status.ts'
import type { Backend } from '../store/backend.ts'
import type { HealthCondition } from './api/health.ts'
import type { Log } from './api/log.ts'
import type { Series, SeriesName } from './api/metrics.ts'
import type { CheckService } from './service.ts'
import type { PoolStanding } from './workers/messages.ts'

type WatchedService = Pick<CheckService, 'instruments' | 'resolvers'>

const REWRITE_FAULT = 'nxdomain-rewritten'
/** Milliseconds between two polls for the log; a failed check tests its instruments within that time. */
const LOOK_MS = 1_000

const ofKind = ({ instruments }: WatchedService, kind: InstrumentKind) => instruments().filter(one => one.kind === kind)
/** The standing of redundant instruments if none is healthy and at least one is down; null otherwise. */
function outage(all: readonly Standing[]): Standing | null {
  const standing = best(all)
  return all.some(isHealthy) || standing.state !== 'down' ? null : standing
}
const iso = (ms: number | null) => (ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`)

/** The conditions of `/readyz`, with every instrument that is not healthy. */
export function instrumentConditions(service: WatchedService): readonly HealthCondition[] {
  const outageOf = (kind: InstrumentKind) => () => {
    const standing = outage(ofKind(service, kind))
    return standing && `down: ${standing.fault}`
  }
  const rewrites = () => (service.resolvers().some(({ rewrites }) => rewrites) ? REWRITE_FAULT : null)
  const facts = () => {
    const all = service.instruments()
    const factsOf = ({ kind, name, state, fault, since }: InstrumentReport) => ({
      instrument: instrumentName({ kind, name }),
      state,
      fault,
      since: iso(since),
    })
    return {
      healthy: all.filter(({ state }) => state === 'healthy').length,
      not_healthy: all.filter(({ state }) => state !== 'healthy').map(factsOf),
    }
  }
  return [
    { name: 'resolvers', outage: outageOf('resolver'), note: rewrites },
    { name: 'way_out', outage: outageOf('way_out') },
    { name: 'instruments', facts },
  ]
}

/** 1 while an instrument is healthy, 0 while it is down, absent until it is proved; by name, such as `resolver 1` or `list nordspam`. */
export const instrumentFigures = (service: WatchedService) => (): Series =>
  Object.fromEntries(
    service
      .instruments()
      .filter(({ state }) => state !== 'unproved')
      .map(one => [instrumentName(one), one.state === 'healthy' ? 1 : 0]),
  )

/** For the operator at the start: outages that stop all checks; empty when there are none or nothing is known yet. */
export const outageText = (service: WatchedService): string => outageSentences(service).map(withDemo).join('')

/** A machine without internet access is usually somebody's first try. */
const withDemo = (sentence: string): string =>
  `\n${sentence} Until then checks are answered with 503. To try assay without a network, run: npm run demo\n`

/** Sentences about outages that stop all checks; empty when there are none or nothing is known yet. */
function outageSentences(service: WatchedService): string[] {
  const resolver = outage(ofKind(service, 'resolver'))
  const wayOut = outage(ofKind(service, 'way_out'))
  return [...(resolver ? [resolverSentence(resolver)] : []), ...(wayOut ? [wayOutSentence(wayOut)] : [])]
}

/** Logs every change of state. Returns a function that stops it. */
export function logInstruments(service: WatchedService, log: Log): () => void {
  const states = new Map<string, string>()
  const rewriting = new Set<number>()
  const look = () => {
    for (const one of service.instruments()) {
      const { state, fault, since } = one
      const instrument = instrumentName(one)
      const last = states.get(instrument)
      states.set(instrument, `${state} ${fault}`)
      if (last === `${state} ${fault}` || (last === undefined && state !== 'down')) continue
      log[state === 'down' ? 'warn' : 'info']({ instrument, state, ...(fault && { fault }), since: iso(since) })
    }
    for (const [at, { rewrites }] of service.resolvers().entries()) {
      if (rewrites && !rewriting.has(at)) log.warn({ instrument: `resolver ${at + 1}`, fault: REWRITE_FAULT })
      if (rewrites) rewriting.add(at)
      else rewriting.delete(at)
    }
  }
  look()
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}

const HOUR_SECONDS = 3_600

export function datasetAges({ status, missing }: Pick<Datasets, 'status' | 'missing'>): HealthCondition {
  return {
    name: 'datasets',
    note() {
      const ids = missing().map(({ id }) => id)
      return ids.length === 0 ? null : `missing: ${ids.join(', ')}`
    },
    facts: () =>
      Object.fromEntries(
        status().flatMap(({ id, state, age_seconds }) => {
          const ageHours = age_seconds === null ? null : Math.floor(age_seconds / HOUR_SECONDS)
          return state === 'off' ? [] : [[id, { state, age_hours: ageHours }]]
        }),
      ),
  }
}

export function datasetFigures({ status }: Pick<Datasets, 'status'>): Readonly<Record<SeriesName, () => Series>> {
  const each = (figure: (one: DatasetStatus) => number | null) => (): Series =>
    Object.fromEntries(
      status().flatMap(one => {
        const value = one.state === 'off' ? null : figure(one)
        return value === null ? [] : [[one.id, value]]
      }),
    )
  return {
    assay_dataset_age_seconds: each(({ age_seconds }) => age_seconds),
    assay_dataset_entries: each(({ entries }) => entries ?? 0),
    assay_dataset_failures: each(({ failures }) => failures),
  }
}

/** What is wrong with the store. */
export const storeCondition = (store: Pick<Backend, 'fault'>): HealthCondition => ({
  name: 'store',
  fault: store.fault,
})

/** Octets below which a disk is nearly full: a refresh writes a dataset beside the old copy, and the store grows by its log. */
const LITTLE_SPACE = 256 * 1024 * 1024
/** Milliseconds for the file system to answer. */
const STAT_MS = 1_000

/** How much room is left where the store and the datasets are. */
export function diskCondition(directory: string): HealthCondition {
  let query: Promise<boolean> | null = null
  const isNearlyFull = () => {
    // A disk that hangs is asked once: each question holds a thread.
    query ??= statfs(directory)
      .then(
        ({ bavail, bsize }) => bavail * bsize < LITTLE_SPACE,
        () => false,
      )
      .finally(() => {
        query = null
      })
    return withTimeout(query, STAT_MS, () => false)
  }
  return { name: 'disk', note: async () => ((await isNearlyFull()) ? 'little-space' : null) }
}

/** How many workers serve. */
export const workersCondition = (standing: () => PoolStanding): HealthCondition => ({
  name: 'workers',
  note: () => (standing().ready < standing().configured ? 'starting' : null),
  facts: standing,
})
