// The real service as operators run it: a separate process with its configuration, store and log in files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../src/base/package_root.ts'
import { CORE, nodeOn } from './child.ts'

export interface AssayProcess {
  readonly pid: number
  readonly url: string
  readonly key: string
  end(): Promise<void>
}

/** As operators run it, which is built. */
const cli =
  builtFile('src/cli/main.js') ??
  fileURLToPath(new URL(`../../src/cli/main${extname(import.meta.url)}`, import.meta.url))

/** Logs to a file at the default level. The quota of the plan is never used up. */
export async function startAssay(resolver: string): Promise<AssayProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const config = join(directory, 'config.json')
  const settings = {
    data: 'data',
    network: { resolvers: [resolver] },
    downloads: { enabled: false },
    plans: { bench: { quota: 1_000_000_000, period: 'month' } },
  }
  writeFileSync(config, JSON.stringify(settings))
  const { command, args } = nodeOn(CORE.measured, [
    ...process.execArgv,
    cli,
    'serve',
    '--config',
    config,
    '--port',
    '0',
  ])
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', openSync(join(directory, 'log'), 'w'), 'pipe'],
  })
  const { url, key } = await greeting(child.stderr ?? [])
  return {
    pid: child.pid ?? 0,
    url,
    key,
    async end() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      rmSync(directory, { recursive: true })
    },
  }
}

/** The first start prints the address and the first key. */
async function greeting(output: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<{ url: string; key: string }> {
  let said = ''
  for await (const chunk of output) {
    said += chunk
    const [key] = /assay_\w+/.exec(said) ?? []
    const [url] = /http:\/\/[\w.:]+/.exec(said) ?? []
    if (key && url) return { key, url }
  }
  throw new Error(`assay did not start: ${said}`)
}
