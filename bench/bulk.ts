// How many names one `assay check --input --redis` hands out and collects, with workers that answer at once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BulkWorkerTask } from './bulk_worker_process.ts'
import { CORE, startChild } from './child.ts'
import { commandOf } from './instance.ts'
import { processCpu } from './process_cpu.ts'
import { startServer } from './redis.ts'
import type { Row } from './report.ts'

const names = 16_000
const workers = 2
const least = 800
/** Milliseconds between two looks at the CPU of the command. */
const SAMPLE_MS = 100

interface Submitted {
  readonly seconds: number
  readonly cpu_seconds: number
}

export async function bulk(): Promise<readonly Row[]> {
  const server = await startServer()
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const children = Array.from({ length: workers }, () => startChild('bulk_worker_process', { core: CORE.any }))
  try {
    const task: BulkWorkerTask = { url: server.url, queue: 'assay', check_ms: 0, lease_ms: 15_000 }
    for (const child of children) await child.ask('start', task)
    const { seconds, cpu_seconds } = await submit(directory, server.url)
    const row = (what: string, rate: number): Row => ({
      what: `${what}, from its start to its end`,
      measured: `${rate.toFixed(0)}/s`,
      beside: `bound: ${least}/s`,
      ratio: rate / least,
      target: { least: 1 },
    })
    return [
      row(
        `names that one submitter hands out and writes results of (${names} names, ${workers} workers)`,
        names / seconds,
      ),
      row('the same for a second of its CPU', names / cpu_seconds),
    ]
  } finally {
    await Promise.all(children.map(child => child.end()))
    server.end()
    rmSync(directory, { recursive: true })
  }
}

/** The whole command. */
async function submit(directory: string, redis: string): Promise<Submitted> {
  const [input, output] = [join(directory, 'names.txt'), join(directory, 'results.ndjson')]
  writeFileSync(input, Array.from({ length: names }, (_, n) => `name-${n}.com\n`).join(''))
  const args = commandOf('check', '--input', input, '--output', output, '--redis', redis, '--quiet')
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  let cpu_us = 0
  // It cannot be asked any more when the command has ended.
  const timer = setInterval(() => {
    cpu_us = processCpu(child.pid ?? 0) || cpu_us
  }, SAMPLE_MS)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  const seconds = (performance.now() - began) / 1_000
  const written = readFileSync(output, 'utf8').split('\n').length - 1
  if (code !== 0 || written !== names) throw new Error(`${written} of ${names} written, exit code ${code}`)
  return { seconds, cpu_seconds: cpu_us / 1e6 }
}
