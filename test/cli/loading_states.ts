// A service as a process of its own, with datasets in some state on disk. Its targets resolve to a loopback address where nothing
// listens, so that everything about them but the datasets is seen.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { builtInPlugins } from '../../plugins/index.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, type Served, serve } from './served.ts'

/** Milliseconds for what happens by itself, on a busy machine. */
const SOON_MS = 60_000

const NOWHERE = '127.99.1.1'
export const LISTED = 'listed.lab'
export const CLEAN = 'clean.lab'
/** All names of the zone resolve. */
export const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}.lab`)

const off = (ids: readonly string[]) => Object.fromEntries(ids.map(id => [id, false]))

/** Starts services, all in one place; `base` holds what is common to their configurations. */
export async function openStage(t: TestContext, base: object = {}) {
  const dns = await startLabDns({
    zones: Object.fromEntries([LISTED, CLEAN, ...names(100)].map(name => [name, { A: [NOWHERE] }])),
  })
  t.after(() => dns.close())
  const directory = temporaryDirectory()
  const common = {
    server: { port: 0, drain_delay_ms: 0, loading_ms: 60_000 },
    network: { resolvers: [dns.address], unsafe_allow: ['127.0.0.0/8'] },
    check: { per_key: 100, per_key_per_second: 1_000, per_domain: 100, per_domain_per_second: 1_000 },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    blocklists: { enabled: off(knownLists.map(({ id }) => id)) },
    plugins: { ...off(builtInPlugins.map(({ plugin }) => plugin.name)), reputation: true },
    metrics: { expose: 'off' },
    ...base,
  }
  let started = 0
  return {
    directory,
    copies: (data: string) => {
      const path = join(directory, data, 'datasets')
      mkdirSync(path, { recursive: true })
      return path
    },
    /** `data` names its data directory; services that follow each other may share one. */
    start(datasets: object, { data = `data-${++started}`, ...more }: Record<string, unknown> & { data?: string } = {}) {
      const config = join(directory, `config-${++started}.json`)
      const server = { ...common.server, ...(more['server'] as object | undefined) }
      const known = off(knownDatasets.map(({ id }) => id))
      writeFileSync(config, JSON.stringify({ ...common, ...more, server, data, datasets: { ...known, ...datasets } }))
      const service = serve(['--config', config])
      t.after(() => service.signal('SIGKILL'))
      return service
    },
  }
}

/** What a client sees of an answer. */
export interface Seen {
  readonly verdict: string
  readonly recommendation: string
  readonly confidence: string
  readonly reason: string
  readonly missing: readonly string[] | undefined
  readonly cached: boolean
  readonly kept: boolean
}

export async function clientOf(service: Served, key = '') {
  const url = await service.url
  const headers = { 'X-API-Key': key || (firstKey(service) ?? '') }
  const json = async (path: string, init: RequestInit = {}) =>
    (await (await fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } })).json()) as Record<
      string,
      unknown
    >
  return {
    url,
    key: headers['X-API-Key'],
    json,
    async check(domain: string): Promise<Seen> {
      const { verdict, recommendation, confidence, recommendation_reason, coverage, cached, result_id } = (await json(
        `/api/v1/check?domain=${domain}`,
      )) as { [name: string]: unknown; coverage?: { missing?: string[] } }
      return {
        verdict,
        recommendation,
        confidence,
        reason: recommendation_reason,
        cached,
        missing: coverage?.missing,
        kept: result_id !== null,
      } as Seen
    },
    /** Status, and the note about datasets. */
    async ready() {
      const { status, notes } = (await json('/readyz')) as { status: string; notes?: { datasets?: string } }
      return [status, notes?.datasets] as const
    },
  }
}

/** Asks until the answer is as wanted; returns the last. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + SOON_MS
  for (;;) {
    const answer = await ask()
    if (wanted(answer) || performance.now() > end) return answer
    await pause(50)
  }
}

export const isEqualTo =
  <T>(wanted: T) =>
  (answer: T): boolean =>
    isDeepStrictEqual(answer, wanted)

/** Writes a copy as a download leaves it. `octets` is what its record says. */
export function writeCopy(directory: string, id: string, content: string, octets?: number): void {
  const path = join(directory, `${id}.data`)
  writeFileSync(path, content)
  const now = Date.now()
  const times = { fetched_at: now, checked_at: now, entries: 1, octets: octets ?? statSync(path).size }
  writeFileSync(
    join(directory, `${id}.json`),
    JSON.stringify({ url: 'https://feeds.lab/x', etag: null, last_modified: null, ...times }),
  )
}

/** Replaces a file as a whole. */
export function replace(path: string, content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

/** Puts the content in the place of a named pipe, and lets go those who wait for the pipe to be written. */
export function release(pipe: string, content: string): void {
  const held = `${pipe}.held`
  renameSync(pipe, held)
  replace(pipe, content)
  closeSync(openSync(held, 'r+'))
  rmSync(held)
}

export const feed = (path: string) => ({ use: 'feed', path, category: 'phishing', strength: 'strong' })
export const listing = `${[LISTED, ...names(100)].join('\n')}\n`

/** A file whose disk hangs until `release`. */
export function pipeAt(path: string): string {
  execFileSync('mkfifo', [path])
  return path
}

/** Verdict, recommendation, confidence, and what was missing while the feed `acme` has not been read. */
export const WITHHELD = ['safe', 'review', 'medium', ['acme']] as const
export const READ = ['ready', undefined] as const
export const UNREAD = ['ready', 'missing: acme'] as const
export const REASON = 'The feed acme has not been read yet.'

export async function judged({ check }: Awaited<ReturnType<typeof clientOf>>, name: string) {
  const { verdict, recommendation, confidence, missing } = await check(name)
  return [verdict, recommendation, confidence, missing] as const
}
