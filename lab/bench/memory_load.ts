// The memory of the service under load, above that at rest: as many checks at once as it admits, of pages of shops and of the
// largest hostile pages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CORE, startChild } from './child.ts'
import { closedLoop } from './client.ts'
import { startLab } from './lab.ts'
import { REST_MS, residentMib } from './process_memory.ts'
import type { Row } from './report.ts'
import type { ServiceTask, Started } from './service_process.ts'
import { serviceSettings } from './service_settings.ts'

/** As in docs/capacity.md, in MiB: cached results, other caches, and each of the checks that run at once by default. */
const budget = { results: 64, caches: 70, check: 0.25 }
const together = 256
const seconds = 30

const pages = [
  { what: 'shops', below: 'shops.lab' },
  { what: 'hostile pages of 2 MiB', below: 'deep.lab' },
] as const

export async function memoryUnderLoad(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const place of pages) rows.push(await measure(place))
  return rows
}

async function measure({ what, below }: (typeof pages)[number]): Promise<Row> {
  const lab = await startLab()
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const service = startChild('service_process', { core: CORE.any })
  try {
    const task: ServiceTask = { reachable: lab.reachable, directory, settings: serviceSettings }
    const { url, key } = await service.ask<Started>('start', task)
    await pause(REST_MS)
    const rest = residentMib(service.pid)
    // From now on the peak counts anew (proc(5)).
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    let asked = 0
    const end = performance.now() + seconds * 1_000
    const answers = await closedLoop(together, () =>
      performance.now() < end ? { url: `${url}/api/v1/check?domain=m${asked++}.${below}`, key } : null,
    )
    const grown = residentMib(service.pid, 'VmHWM') - rest
    const most = budget.results + budget.caches + together * budget.check
    const good = answers.filter(({ status }) => status === 200).length
    return {
      what: `memory above that at rest, ${together} checks of ${what} at once for ${seconds} s (${good} answered)`,
      measured: `${grown.toFixed(0)} MiB`,
      beside: `by the formula: ${most.toFixed(0)} MiB`,
      ratio: grown / most,
      target: { most: 1 },
    }
  } finally {
    await Promise.all([service.end(), lab.end()])
    rmSync(directory, { recursive: true })
  }
}
