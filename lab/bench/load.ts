// Load on an HTTP server from a process on another core.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { CORE, nodeOn } from './child.ts'
import { processCpu } from './process_cpu.ts'

const autocannon = createRequire(import.meta.url).resolve('autocannon')

export interface Load {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** The server's process. */
  readonly pid: number
}

export interface Served {
  readonly per_second: number
  /** Microseconds of the server's CPU per request, including all its threads and kernel time. */
  readonly cpu_us: number
}

/** Rejects if any request did not succeed. */
export async function load({ url, headers = {}, connections, seconds, pid }: Load): Promise<Served> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const options = ['-j', '-c', String(connections), '-d', String(seconds), ...fields, url]
  const { command, args } = nodeOn(CORE.helper, [autocannon, ...options])
  const before = processCpu(pid)
  const { stdout } = await promisify(execFile)(command, args)
  const cpu = processCpu(pid) - before
  const { '2xx': good, non2xx, errors, duration } = JSON.parse(stdout) as Record<string, number>
  if (!good || non2xx || errors) throw new Error(`${url}: ${good} good answers, ${non2xx} others, ${errors} errors`)
  return { per_second: good / (duration ?? seconds), cpu_us: cpu / good }
}
