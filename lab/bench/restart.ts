// How long the service takes to be ready again with a million keys in its store.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { fillKeys } from './filled_keys.ts'
import { startInstance } from './instance.ts'
import { processCpu } from './process_cpu.ts'
import type { Row } from './report.ts'
import { median } from './statistics.ts'

const keys = 1_000_000
const rounds = 5

export async function restart(): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const data = join(directory, 'data')
  mkdirSync(data)
  await (await openSqlite({ directory: data, patience_ms: PATIENCE_MS.command })).close()
  fillKeys(join(data, 'assay.db'), keys)
  const dns = await startLabDns({ zones: {} })
  const settings = { directory, resolver: dns.address }
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
  await dns.close()
  rmSync(directory, { recursive: true })
  const middle = median(took)
  const node = emptyProcess()
  return [
    {
      what: `from start to ready after kill -9, ${keys} keys`,
      measured: `${middle.toFixed(0)} ms, ${median(cpu).toFixed(0)} ms of CPU`,
      beside: `limit 2000 ms; an empty Node process: ${node.toFixed(0)} ms`,
      ratio: middle / 2_000,
      target: { most: 1 },
    },
  ]
}

function emptyProcess(): number {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - began
}
