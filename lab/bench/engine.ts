// The engine in its default configuration in a process of its own, without server, result cache and store; and the lab that it checks.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { settle } from '../../src/cli/options.ts'
import type { Config } from '../../src/config/config.ts'
import { type CheckService, createService } from '../../src/service/service.ts'
import { parseTarget, type Target } from '../../src/targets/target.ts'
import { GREENCHECK } from '../../src/testing/demo/outside.ts'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import {
  type Child,
  CORE,
  type Measurement,
  type Repeat,
  repeat,
  scratch,
  sized,
  startChild,
  type Tasks,
} from './harness.ts'
import {
  dialTo,
  HELD_SITE,
  type LabSettings,
  type LabTraffic,
  places,
  type Reachable,
  shopName,
  startLab,
  writeBootstrap,
} from './site.ts'

export async function startContest(settings: Partial<LabSettings> = {}) {
  const lab = await startLab(settings)
  const options = { core: CORE.measured, env: lab.env }
  const processes: { end(): Promise<void> }[] = [lab]
  const open = async (child: Child) => {
    processes.push(child)
    await child.ask('open', lab.reachable)
    return child
  }
  const engine = await open(startChild('engine', { ...options, flags: ['--expose-gc'] }))
  return {
    lab,
    engine,
    /** Starts a process with the scripts of `cold.ts`. */
    scripts: () => open(startChild('cold', options)),
    /** The traffic of one check in the lab, and the connections it opens. */
    async traffic(): Promise<LabTraffic & { readonly connections: number }> {
      await lab.traffic()
      const before = await engine.ask<number>('connections')
      await engine.ask<Measurement>('checks', { times: 1, at_once: 1 } satisfies Repeat)
      const connections = (await engine.ask<number>('connections')) - before
      return { ...(await lab.traffic()), connections }
    },
    async end() {
      await Promise.all(processes.map(one => one.end()))
    },
  }
}

let service: CheckService
/** Holds its response on request. */
let target: Target
let shop = 0
let connections = 0
const inFlight = new Set<Promise<unknown>>()

async function open(reachable: Reachable): Promise<void> {
  const directory = scratch()
  const file = join(directory, 'places.mmdb')
  writeFileSync(file, writeMmdb(places))
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      network: { resolvers: [reachable.resolver] },
      datasets: {
        city: file,
        asn: file,
        rdap_bootstrap: writeBootstrap(directory),
        listed: { ...feed(directory), use: 'feed', category: 'phishing', strength: 'strong', terms: 'made up' },
      },
      downloads: { enabled: false },
      green_hosting: { endpoint: GREENCHECK },
    }),
  )
  const { environment, ...setting } = await settle({ config })
  const patience = reachable.holds ? patient(setting.config) : {}
  const dial = dialTo(reachable)
  service = await createService({
    ...setting,
    config: { ...setting.config, ...patience },
    extra_roots: environment.extra_roots,
    dial: (address, port) => {
      connections += 1
      return dial(address, port)
    },
  })
  await service.start()
  target = targetOf(HELD_SITE.domain)
}

/** Names in the feed of the default configuration, about as many as its feeds have together. */
const FEED_NAMES = 500_000

function feed(directory: string): { readonly path: string } {
  const path = join(directory, 'feed.txt')
  writeFileSync(path, Array.from({ length: FEED_NAMES }, (_, at) => `listed-${at}.example.net`).join('\n'))
  return { path }
}

/** Long time limits for a site that holds its response: a check that times out would use no memory. */
function patient({ check, network }: Config): Pick<Config, 'check' | 'network'> {
  return {
    check: { ...check, deadline_ms: PATIENCE_MS },
    network: { ...network, unsafe_limits: { ...network.unsafe_limits, headers_ms: PATIENCE_MS } },
  }
}

/** Milliseconds; hundreds of checks start in a fraction of this time. */
const PATIENCE_MS = 120_000

const targetOf = (name: string): Target => {
  const parsed = parseTarget({ domain: name, ip: null }, service.guard)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.target
}

/** The share of checks that may miss a limit because the machine is busy. */
const INCOMPLETE = sized(0.02, 1)
let incomplete = 0

/** Checks the next shop. Fails if many checks are incomplete, because those would cost less. */
async function check(): Promise<void> {
  const { result, class: kind } = await service.engine.check(targetOf(shopName(shop++)))
  if (kind === 'complete') return
  incomplete += 1
  if (incomplete > 1 + shop * INCOMPLETE) throw new Error(`not a whole check: ${JSON.stringify(result['coverage'])}`)
}

export type ProfiledRun = Awaited<ReturnType<typeof profile>>

/** Profiles checks. */
async function profile(input: Repeat) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await session.post('Profiler.start')
  await repeat(input, () => check().catch(() => {}))
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return { profile, checks: input.times }
}

/** Microseconds between samples. */
const SAMPLE_US = 200

/** Starts checks without waiting for them. */
function begin(count: number): void {
  for (let remaining = count; remaining > 0; remaining--) {
    const one = service.engine.check(target).catch(() => {})
    inFlight.add(one)
    one.then(() => inFlight.delete(one))
  }
}

export type Weight = ReturnType<typeof weigh>

/** Bytes after a garbage collection, and the number of running checks. */
function weigh() {
  for (let round = 0; round < COLLECTIONS; round++) globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external, in_flight: inFlight.size }
}

/** A later collection frees what an earlier one finalised. */
const COLLECTIONS = 3

export const tasks: Tasks = {
  open,
  /** The first checks of a process may miss a limit on a busy machine. */
  warmUp: (input: Repeat) => repeat(input, () => check().catch(() => {})),
  checks: (input: Repeat) => repeat(input, check),
  profile,
  connections: () => connections,
  begin,
  weigh,
  finish: async () => void (await Promise.all(inFlight)),
}
