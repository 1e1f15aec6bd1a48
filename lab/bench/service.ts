// The real service: built, as operators run it, on a data directory that survives it; or with its connections in the lab.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../src/base/package_root.ts'
import { settle } from '../../src/cli/options.ts'
import { serve } from '../../src/cli/serve.ts'
import { serveForPrimary } from '../../src/cli/serve_worker.ts'
import { serveWithWorkers } from '../../src/cli/serve_workers.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres_server.ts'
import { type Child, type Core, helperOf, nodeOn, scratch, startChild, type Tasks } from './harness.ts'
import { dialTo, type Lab, type Reachable } from './site.ts'

/** Nothing from outside the lab, no quota, and no limit by key or target. */
const settings = {
  data: 'data',
  downloads: { enabled: false },
  green_hosting: { enabled: false },
  log: { level: 'error' },
  server: { drain_delay_ms: 0 },
  plans: { bench: { quota: 1_000_000_000, period: 'month' } },
  check: { per_key: 10_000, per_key_per_second: 1_000_000, per_domain: 10_000, per_domain_per_second: 1_000_000 },
} as const

/** A domain whose addresses are not public: a check of it ends after DNS. */
export const DNS_ALONE = 'points-inside.lab'

/** A PostgreSQL cluster of its own, as durable as an operator's would be. */
export const startDatabase = (): Promise<PostgresServer> => startPostgres(['fsync=on', 'synchronous_commit=on'])

export interface Instance {
  readonly url: string
  readonly pid: number
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface InstanceSettings {
  /** Holds configuration, data and log. */
  readonly directory: string
  readonly resolver: string
  /** Merged into the configuration. */
  readonly config?: object
  readonly core?: Core
}

const cli =
  builtFile('src/cli/main.js') ??
  fileURLToPath(new URL(`../../src/cli/main${extname(import.meta.url)}`, import.meta.url))

/** Writes the configuration and returns the command-line arguments for it. */
function configure({ directory, resolver, config = {} }: InstanceSettings): string[] {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'config.json')
  writeFileSync(file, JSON.stringify({ ...settings, network: { resolvers: [resolver] }, ...config }))
  return ['--config', file]
}

/** Resolves when it listens. */
export async function startInstance(settings: InstanceSettings): Promise<Instance> {
  const { command, args } = nodeOn(settings.core ?? null, [
    ...process.execArgv,
    cli,
    'serve',
    ...configure(settings),
    '--port',
    '0',
  ])
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', openSync(join(settings.directory, 'log'), 'a'), 'pipe'],
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const exit = once(child, 'exit').finally(() => process.off('exit', end))
  let output = ''
  for await (const chunk of child.stderr ?? []) {
    output += chunk
    const [, url] = /listens on (http:\S+)/.exec(output) ?? []
    if (url === undefined) continue
    return {
      url,
      pid: child.pid ?? 0,
      async kill(signal) {
        child.kill(signal)
        await exit
      },
    }
  }
  throw new Error(`it did not start: ${output}`)
}

/** Creates a key with the command line. */
export const createKey = (settings: InstanceSettings): string => addKey(configure(settings))

/** Creates a key of a service that may be running, with the arguments that name its configuration. */
function addKey(settingFlags: readonly string[]): string {
  const args = [...process.execArgv, cli, 'keys', 'create', '--json', '--plan', 'bench', ...settingFlags]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { key: string }).key
}

interface ServiceTask {
  readonly reachable: Reachable
  readonly directory: string
  readonly config: object
}

export interface LabService {
  readonly child: Child
  readonly url: string
  /** The first key. */
  readonly key: string
  anotherKey(): string
}

/** Starts the complete service with store, log and API, which connects to the lab. */
export async function startInLab(
  { reachable, env }: Lab,
  { workers = 1, core = null, config = {} }: { workers?: number; core?: Core; config?: object } = {},
): Promise<LabService> {
  const directory = scratch()
  const child = startChild('service', { core, env })
  const task: ServiceTask = { reachable, directory, config: { ...config, server: { ...settings.server, workers } } }
  const instance = await child.ask<{ readonly url: string; readonly key: string }>('start', task)
  return { ...instance, child, anotherKey: () => addKey(['--config', join(directory, 'config.json')]) }
}

export const tasks: Tasks = {
  async start({ reachable, directory, config }: ServiceTask) {
    const [, file = ''] = configure({ directory, resolver: reachable.resolver, config })
    let stdout = ''
    const err = (text: string) => {
      stdout += text
    }
    const setting = await settle({ config: file, port: '0' })
    const { workers } = setting.config.server
    const output = { out: () => {}, err }
    if (typeof workers === 'number' && workers > 1) {
      const book = join(directory, 'lab.json')
      writeFileSync(book, JSON.stringify(reachable))
      await serveWithWorkers(setting, workers, output, helperOf('service', book))
    } else await serve(setting, { dial: dialTo(reachable), extra_roots: reachable.root }, output)
    const [key = ''] = /assay_\w+/.exec(stdout) ?? []
    const [, url = ''] = /listens on (http:\S+)/.exec(stdout) ?? []
    return { url, key }
  },
}

/** Of a worker, with the lab's address book. */
export async function work(book: string): Promise<void> {
  const reachable = JSON.parse(readFileSync(book, 'utf8')) as Reachable
  await serveForPrimary({ dial: dialTo(reachable), extra_roots: reachable.root })
}
