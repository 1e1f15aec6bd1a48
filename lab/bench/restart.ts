// How long the built service takes to be ready: with the default datasets on disk, and after `kill -9` with a million keys in its
// store; and how much memory it has when idle.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'libsql'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { freePort } from '../../test/postgres_server.ts'
import { listedName } from './feeds.ts'
import {
  ask,
  isGood,
  median,
  openLoop,
  processCpu,
  type Row,
  residentMib,
  rowOf,
  scratch,
  sized,
  type TimedAnswer,
} from './harness.ts'
import { createKey, DNS_ALONE, type InstanceSettings, startDatabase, startInstance } from './service.ts'
import { places } from './site.ts'

const rounds = sized(7, 1)
const most = { ready_ms: 500, rest_mib: 110, restart_ms: 2_000 }
const keys = sized(1_000_000, 1_000)
/** Milliseconds between looks at the readiness. The service that starts needs the CPU that each of them takes. */
const POLL_MS = 10
/** Milliseconds until a service that is not ready counts as failed: several times what new lists take on a busy machine. */
const LONGEST_MS = 60_000

interface Start {
  readonly ready_ms: number
  readonly cpu_ms: number
}

export async function start(): Promise<readonly Row[]> {
  const lab = await openLab()
  writeDefaultDatasets(join(lab.settings.directory, 'data', 'datasets'))
  const first = await startOnce(lab.settings)
  const starts: Start[] = []
  for (let round = 0; round < rounds; round++) starts.push(await startOnce(lab.settings))
  await lab.end()
  const ready = median(starts.map(({ ready_ms }) => ready_ms))
  const cpu = median(starts.map(({ cpu_ms }) => cpu_ms))
  const readNew = `${first.ready_ms.toFixed(0)} ms with new lists to read`
  return [
    rowOf(
      `ready with the default datasets on disk, ${cpu.toFixed(0)} ms of CPU (${readNew})`,
      ready,
      most.ready_ms,
      'ms',
    ),
  ]
}

/** The memory of an idle service. */
export async function atRest(): Promise<readonly Row[]> {
  const lab = await openLab()
  const plain = await restingMib(lab.settings)
  writeDefaultDatasets(join(lab.settings.directory, 'data', 'datasets'))
  await startOnce(lab.settings)
  const residentMib = await restingMib(lab.settings)
  await lab.end()
  return [
    rowOf('memory at rest, without datasets', plain, most.rest_mib, 'MiB'),
    rowOf('memory at rest, with the default datasets', residentMib, most.rest_mib, 'MiB'),
  ]
}

async function openLab() {
  const dns = await startLabDns({ zones: {} })
  const settings: InstanceSettings = { directory: scratch(), resolver: dns.address }
  return { settings, end: () => dns.close() }
}

async function startOnce(settings: InstanceSettings): Promise<Start> {
  const began = performance.now()
  const instance = await startInstance(settings)
  for (let missing = await missingOf(instance.url); missing.length > 0; missing = await missingOf(instance.url)) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`after ${LONGEST_MS} ms it lacks ${missing.join(', ')}`)
    await pause(POLL_MS)
  }
  const startCost = { ready_ms: performance.now() - began, cpu_ms: processCpu(instance.pid) / 1_000 }
  await instance.kill('SIGKILL')
  return startCost
}

/** What it lacks until it is ready with every dataset. */
async function missingOf(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`)
  const { faults = {}, datasets } = (await response.json()) as {
    faults?: Record<string, string>
    datasets: Record<string, { state: string }>
  }
  return [...Object.keys(faults), ...copyNames.filter(id => datasets[id]?.state !== 'fresh')]
}

/** Milliseconds until an idle service has given memory back. */
export const REST_MS = 5_000

async function restingMib(settings: InstanceSettings): Promise<number> {
  const instance = await startInstance(settings)
  await pause(REST_MS)
  const mib = residentMib(instance.pid)
  await instance.kill('SIGKILL')
  return mib
}

export async function restart(): Promise<readonly Row[]> {
  const { settings, end } = await openLab()
  const data = join(settings.directory, 'data')
  mkdirSync(data)
  await (await openSqlite({ directory: data, patience_ms: PATIENCE_MS.command })).close()
  fillKeys(join(data, 'assay.db'), keys)
  const took: number[] = []
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const instance = await startInstance(settings)
    while ((await fetch(`${instance.url}/readyz`)).status !== 200);
    took.push(performance.now() - began)
    cpu.push(processCpu(instance.pid) / 1_000)
    await instance.kill('SIGKILL')
  }
  await end()
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  const empty = `an empty Node process: ${(performance.now() - began).toFixed(0)} ms`
  const what = `from start to ready after kill -9, ${keys} keys, ${median(cpu).toFixed(0)} ms of CPU (${empty})`
  return [rowOf(what, median(took), most.restart_ms, 'ms')]
}

/** As the real ones. */
const NAMES = sized(500_000, 20_000)
const RANKED_SITES = sized(1_000_000, 120_000)
const PRELOADED_HOSTS = sized(150_000, 60_000)
const ADDRESSES = 30_000

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

const networks = (count: number): string => lines(count, n => `11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)

const copies: Readonly<Record<string, () => string | Buffer>> = {
  phishing_database: () => lines(NAMES, listedName),
  blocklist_de: () => networks(ADDRESSES),
  disposable_email: () => lines(5_000, n => `mail-${n}.example.org`),
  tor_exits: () => networks(1_500),
  majestic_million: () => `GlobalRank,Domain\n${lines(RANKED_SITES, n => `${n + 1},site-${n}.example.com`)}`,
  hsts_preload: () =>
    lines(PRELOADED_HOSTS, n => `    { "name": "h${n}.example", "mode": "force-https", "include_subdomains": true },`),
  dbip_country: () => writeMmdb(places),
}

/** The identifiers of the datasets. */
const copyNames = Object.keys(copies)

/** Writes copies of the default datasets, made up, as the service keeps them. */
function writeDefaultDatasets(directory: string): void {
  mkdirSync(directory, { recursive: true })
  const now = Date.now()
  for (const [id, make] of Object.entries(copies)) {
    const file = join(directory, `${id}.data`)
    writeFileSync(file, make())
    const times = { fetched_at: now, checked_at: now, entries: 0, octets: statSync(file).size }
    const record = { url: 'https://example.org/', etag: null, last_modified: null, ...times }
    writeFileSync(join(directory, `${id}.json`), JSON.stringify(record))
  }
}

/** The hash of the key with this number. */
export const filledHash = (number: number): string => number.toString(16).padStart(64, '0')

/** Adds keys to the file of a closed store, each of an account of its own. */
export function fillKeys(path: string, count: number): void {
  const database = new Database(path)
  const insert = database.prepare(
    'INSERT INTO keys (id, account, hash, display, label, created) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const open = database.prepare('INSERT INTO accounts (id, plan) VALUES (?, ?)')
  database.exec('BEGIN')
  for (let n = 0; n < count; n++) {
    open.run(`acc_${n}`, 'bench')
    insert.run(`key_${n}`, `acc_${n}`, filledHash(n), 'assay_abcd', JSON.stringify(`customer ${n}`), n)
  }
  database.exec('COMMIT')
  database.close()
}

// Whether a load balancer with its default health checks loses requests while an instance drains. Needs `haproxy` in the path.
const perSecond = 100
/** Seconds of load: the longest delay, the time that running checks may take, and some. */
const seconds = 12
/** The delay of earlier releases, and the default. */
const delaysMs = [500, 5_000] as const

export async function drain(): Promise<readonly Row[]> {
  if (spawnSync('haproxy', ['-v']).error !== undefined) throw new Error('there is no haproxy in the path')
  const directory = scratch()
  const dns = await startLabDns({ zones: { [DNS_ALONE]: { A: ['10.0.0.5'] } } })
  const server = await startDatabase()
  const store = await server.createDatabase()
  try {
    const rows: Row[] = []
    for (const drainDelayMs of delaysMs) {
      const answers = await measureDrain({ directory, store, resolver: dns.address, drain_delay_ms: drainDelayMs })
      const lostCount = answers.filter(one => !isGood(one)).length
      rows.push({
        what: `requests lost while one of two instances behind haproxy drains, server.drain_delay_ms: ${drainDelayMs}`,
        measured: `${lostCount}`,
        beside: `of ${answers.length}`,
        ratio: lostCount / answers.length,
        ...(drainDelayMs === delaysMs[1] && { target: { most: 0 } }),
      })
    }
    return rows
  } finally {
    await server.stop()
    await dns.close()
  }
}

interface Setting {
  readonly directory: string
  readonly store: string
  readonly resolver: string
  readonly drain_delay_ms: number
}

async function measureDrain({ directory, store, resolver, drain_delay_ms }: Setting): Promise<readonly TimedAnswer[]> {
  const settingsOf = (name: string) => ({
    directory: join(directory, name),
    resolver,
    config: { store, server: { drain_delay_ms } },
  })
  const key = createKey(settingsOf('one'))
  const instances = await Promise.all(['one', 'two'].map(name => startInstance(settingsOf(name))))
  const port = await freePort()
  const balancer = startBalancer(directory, port, instances)
  const url = `http://127.0.0.1:${port}/api/v1/check?domain=${DNS_ALONE}`
  try {
    while ((await ask({ url, key })).status !== 200) await pause(100)
    const [first] = instances
    setTimeout(() => void first?.kill('SIGTERM'), 1_000)
    return await openLoop(perSecond, seconds, () => ({ url, key }))
  } finally {
    balancer.kill('SIGKILL')
    await Promise.all(instances.map(instance => instance.kill('SIGKILL')))
  }
}

/** With the time-outs of Debian's package, and health checks as they are by default: every two seconds, three for a change. */
function startBalancer(directory: string, port: number, instances: readonly { readonly url: string }[]): ChildProcess {
  const servers = instances.map(({ url }, n) => `  server s${n} ${new URL(url).host} check`)
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 50s',
    '  timeout server 50s',
    'listen assay',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /readyz',
    ...servers,
    '',
  ]
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, lines.join('\n'))
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}
