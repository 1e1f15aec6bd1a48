// How long the built service takes to be ready with the default datasets on disk, and how much memory it has when idle.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { copied, writeDefaultDatasets } from './default_datasets.ts'
import { type InstanceSettings, startInstance } from './instance.ts'
import { processCpu } from './process_cpu.ts'
import { REST_MS, residentMib } from './process_memory.ts'
import type { Row } from './report.ts'
import { median } from './statistics.ts'

const rounds = 7
const most = { ready_ms: 500, rest_mib: 110 }
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
  return [
    {
      what: 'ready with the default datasets on disk',
      measured: `${ready.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`,
      beside: `limit ${most.ready_ms} ms; with new lists to read: ${first.ready_ms.toFixed(0)} ms`,
      ratio: ready / most.ready_ms,
      target: { most: 1 },
    },
  ]
}

/** The memory of an idle service. */
export async function atRest(): Promise<readonly Row[]> {
  const lab = await openLab()
  const plain = await restingMib(lab.settings)
  writeDefaultDatasets(join(lab.settings.directory, 'data', 'datasets'))
  await startOnce(lab.settings)
  const loaded = await restingMib(lab.settings)
  await lab.end()
  const row = (what: string, mib: number): Row => ({
    what,
    measured: `${mib.toFixed(0)} MiB`,
    beside: `${most.rest_mib} MiB`,
    ratio: mib / most.rest_mib,
    target: { most: 1 },
  })
  return [row('memory at rest, without datasets', plain), row('memory at rest, with the default datasets', loaded)]
}

async function openLab() {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const dns = await startLabDns({ zones: {} })
  const settings: InstanceSettings = { directory, resolver: dns.address }
  return {
    settings,
    async end() {
      await dns.close()
      rmSync(directory, { recursive: true })
    },
  }
}

async function startOnce(settings: InstanceSettings): Promise<Start> {
  const began = performance.now()
  const instance = await startInstance(settings)
  for (let missing = await missingOf(instance.url); missing.length > 0; missing = await missingOf(instance.url)) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`after ${LONGEST_MS} ms it lacks ${missing.join(', ')}`)
    await pause(POLL_MS)
  }
  const taken = { ready_ms: performance.now() - began, cpu_ms: processCpu(instance.pid) / 1_000 }
  await instance.kill('SIGKILL')
  return taken
}

/** What it lacks until it is ready with every dataset. */
async function missingOf(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`)
  const { faults = {}, datasets } = (await response.json()) as {
    faults?: Record<string, string>
    datasets: Record<string, { state: string }>
  }
  return [...Object.keys(faults), ...copied.filter(id => datasets[id]?.state !== 'fresh')]
}

async function restingMib(settings: InstanceSettings): Promise<number> {
  const instance = await startInstance(settings)
  await pause(REST_MS)
  const mib = residentMib(instance.pid)
  await instance.kill('SIGKILL')
  return mib
}
