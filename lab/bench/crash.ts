// `npm run crash [-- rounds] [--workers N] [--postgres]`: kills the service, or with workers one of them, or its PostgreSQL, at random
// moments under load and compares its counts with the delivered answers. After every round:
// delivered <= used <= delivered + in flight at the kill.
import { setTimeout as pause } from 'node:timers/promises'
import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import type { PostgresServer } from '../../test/postgres_server.ts'
import { ask, childrenOf, scratch } from './harness.ts'
import { createKey, DNS_ALONE, type Instance, type InstanceSettings, startDatabase, startInstance } from './service.ts'

const tool = createTool('crash', 'Breaks a running installation at random moments under load and verifies its counts.')
  .argument('[rounds]', 'number of faults', count(1, 1_000_000), 200)
  .option('--workers <n>', 'workers, of which one is killed each time; without, the whole service', count(2, 64))
  .option('--postgres', 'on PostgreSQL, which is halted at once (`immediate`) in every second round')
  .parse()
const [rounds] = tool.processedArgs as [number]
const { workers = 1, postgres = false } = tool.opts<{ workers?: number; postgres?: boolean }>()

/** As the plan of the benches allows. */
const quota = 1_000_000_000
const together = 32
/** Maximum milliseconds from the first answer to the kill. */
const loadMs = 400

interface Tally {
  delivered: number
  /** Requests without an answer when the process was killed, in all rounds. */
  cut: number
}

/** Resolves with the number of rounds after which the count was wrong. */
async function crashService(): Promise<number> {
  const dns = await startLabDns({ zones: { [DNS_ALONE]: { A: ['10.0.0.5'] } } })
  const server = postgres ? await startDatabase() : null
  const store = server === null ? null : await server.createDatabase()
  const settings: InstanceSettings = {
    directory: scratch(),
    resolver: dns.address,
    config: { server: { drain_delay_ms: 0, workers }, store },
  }
  const key = createKey(settings)
  const tally: Tally = { delivered: 0, cut: 0 }
  let breaches = 0
  let instance = await startInstance(settings)
  for (let round = 1; round <= rounds; round++) {
    const usage = await usedBy(instance, key)
    if (usage < tally.delivered || usage > tally.delivered + tally.cut) {
      breaches += 1
      process.stdout.write(`round ${round}: ${JSON.stringify({ used: usage, ...tally })}\n`)
    }
    // It is now known whether the unanswered requests were counted.
    Object.assign(tally, { delivered: usage, cut: 0 })
    const database = round % 2 === 0 ? server : null
    await loadAndKill(instance, { key, workers, tally, database })
    if (database !== null) await usable(instance, key)
    else if (workers > 1) await complete(instance, workers)
    else instance = await startInstance(settings)
    if (round % 20 === 0) process.stdout.write(`${round} rounds, ${usage} counted, ${breaches} breaches\n`)
  }
  const usageAfter = await usedBy(instance, key)
  if (usageAfter < tally.delivered || usageAfter > tally.delivered + tally.cut) breaches += 1
  await instance.kill('SIGTERM')
  await server?.stop()
  await dns.close()
  process.stdout.write(`${rounds} kills under load, ${usageAfter} counted, ${breaches} breaches\n`)
  return breaches
}

/** From the headers of a refused request, which does not count. */
async function usedBy({ url }: Instance, key: string): Promise<number> {
  const { remaining } = await ask({ url: `${url}/api/v1/check?domain=%`, key })
  return quota - remaining
}

interface Load {
  readonly key: string
  readonly workers: number
  readonly tally: Tally
  /** What is killed instead; null when it is the service. */
  readonly database: PostgresServer | null
}

async function loadAndKill(instance: Instance, { key, workers, tally, database }: Load): Promise<void> {
  let over = false
  let onBegin: () => void = () => {}
  const first = new Promise<void>(resolve => {
    onBegin = resolve
  })
  const client = async () => {
    while (!over) {
      const { status } = await ask({ url: `${instance.url}/api/v1/check?domain=${DNS_ALONE}`, key, once: true })
      if (status === 200) tally.delivered += 1
      // A commit whose reply was lost may have counted.
      else if (status === 0 || (database !== null && status === 503)) tally.cut += 1
      else throw new Error(`answered ${status}`)
      onBegin()
    }
  }
  const clients = Array.from({ length: together }, client)
  await first
  await pause(Math.random() * loadMs)
  const kill = database !== null ? database.crash() : workers > 1 ? killOne(instance) : instance.kill('SIGKILL')
  over = true
  await Promise.all([kill, ...clients])
  await database?.restart()
}

function killOne({ pid }: Instance): void {
  const pids = childrenOf(pid)
  process.kill(pids[Math.floor(Math.random() * pids.length)] ?? pid, 'SIGKILL')
}

/** Waits until the service reaches its store again. */
async function usable(instance: Instance, key: string): Promise<void> {
  while (!Number.isFinite(await usedBy(instance, key).catch(() => Number.NaN))) await pause(20)
}

/** Waits until all workers serve again. */
async function complete({ url }: Instance, workers: number): Promise<void> {
  for (;;) {
    await pause(20)
    // The connection may be one of the worker that was killed.
    const response = await fetch(`${url}/readyz`).catch(() => null)
    const body = (await response?.json()) as { workers: { ready: number } } | undefined
    if (body?.workers.ready === workers) return
  }
}

process.exitCode = (await crashService()) === 0 ? 0 : 1
