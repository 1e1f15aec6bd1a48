// One instance of the real service on a data directory that survives it, so that it can be killed and restarted.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../src/base/package_root.ts'

export interface Instance {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the start until it listened. */
  readonly started_ms: number
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface InstanceSettings {
  /** Holds configuration, data and log. */
  readonly directory: string
  readonly resolver: string
  /** Merged into the configuration. */
  readonly config?: object
}

/** As operators run it, which is built. */
const cli =
  builtFile('src/cli/main.js') ??
  fileURLToPath(new URL(`../../src/cli/main${extname(import.meta.url)}`, import.meta.url))
/** The arguments of Node for a command of assay. */
export const commandOf = (...args: readonly string[]): string[] => [...process.execArgv, cli, ...args]

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Writes the configuration and returns the command-line arguments for it. */
function configure({ directory, resolver, config = {} }: InstanceSettings): string[] {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'config.json')
  const settings = {
    data: 'data',
    network: { resolvers: [resolver] },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    log: { level: 'warn' },
    server: { drain_delay_ms: 0 },
    ...config,
  }
  writeFileSync(file, JSON.stringify(settings))
  return ['--config', file]
}

export async function startInstance(settings: InstanceSettings): Promise<Instance> {
  const args = commandOf('serve', ...configure(settings), '--port', '0')
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', openSync(join(settings.directory, 'log'), 'a'), 'pipe'],
  })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  let said = ''
  for await (const chunk of child.stderr ?? []) {
    said += chunk
    const [, url] = /listens on (http:\S+)/.exec(said) ?? []
    if (url !== undefined) {
      return {
        url,
        pid: child.pid ?? 0,
        started_ms: performance.now() - began,
        async kill(signal) {
          child.kill(signal)
          await ended
        },
      }
    }
  }
  throw new Error(`it did not start: ${said}`)
}

/** Creates a key with the command line. */
export const createKey = (settings: InstanceSettings, plan: string): string => addKey(configure(settings), plan)

/** Creates a key of a service that may be running, with the arguments that name its configuration. */
export function addKey(configured: readonly string[], plan: string): string {
  const args = commandOf('keys', 'create', '--json', '--plan', plan, ...configured)
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { key: string }).key
}
