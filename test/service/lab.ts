// A whole service in a lab: the real configuration and plugins, with loopback for the world, and what each check used of it.
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { builtInPlugins } from '../../plugins/index.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Analysis } from '../../src/engine/analysis.ts'
import type { CheckResult } from '../../src/engine/engine.ts'
import { loadRegistry } from '../../src/engine/plugins.ts'
import { type Recording, record } from '../../src/engine/recording.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import type { Dial } from '../../src/network/network.ts'
import { type CheckService, createService, type ServiceOptions } from '../../src/service/service.ts'
import { parseTarget, type Target, type TargetRequest } from '../../src/targets/target.ts'
import { demoPlaces } from '../../src/testing/demo/hosts.ts'
import type { LabDnsOptions } from '../../src/testing/lab_dns.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { LONG_MS, PATIENT } from '../patience.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { LISTS } from './hosts.ts'

/** Settings in which every built-in plugin is off. */
export const allOff = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))

/** The parts of a result that every target has. */
export interface Result {
  readonly domain: string | null
  readonly ip: string | null
  readonly risk_score: number
  readonly verdict: string
  readonly signals: readonly string[]
  readonly coverage: {
    readonly complete: boolean
    readonly ratio: number
    readonly sections: Readonly<Record<string, { readonly status: string; readonly reason: string | null }>>
  }
  readonly [field: string]: unknown
}

export interface Checked {
  readonly result: Result
  readonly class: CheckResult['class']
  readonly recording: Recording
  readonly analysis: Analysis
  /** `address:port`, in the order dialled. */
  readonly connections: readonly string[]
  readonly sockets: readonly Socket[]
  readonly handshakes: readonly string[]
  readonly requests: readonly string[]
  /** `TYPE name`, with ` +cd` when the resolver was told not to validate. */
  readonly queries: readonly string[]
}

export interface RequestedTarget {
  readonly domain?: string
  readonly ip?: string
  readonly url?: string
  readonly visit?: boolean
  readonly render?: boolean
}

export interface Lab {
  readonly internet: LabInternet
  readonly service: CheckService
  target(asked: RequestedTarget): Target
  /** One at a time: what was used is told apart by order. */
  check(asked: RequestedTarget, signal?: AbortSignal): Promise<Checked>
  close(): Promise<void>
}

export interface LabOptions {
  readonly hosts: readonly LabHost[]
  readonly dns?: Pick<LabDnsOptions, 'fault' | 'delay_ms'>
  /** Of the configuration, beside those that lead into the lab. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly network?: Readonly<Record<string, unknown>>
}

export async function startLab({ hosts, dns, settings, network }: LabOptions): Promise<Lab> {
  const internet = await startLabInternet(hosts, dns)
  const sockets: Socket[] = []
  const dial: Dial = (address, port) => {
    const socket = internet.dial(address, port)
    sockets.push(socket)
    return socket
  }
  const open = async () => {
    const config = { ...labSettings(internet, network), ...settings }
    const service = await serviceFor(config, { dial, extra_roots: internet.root })
    await service.start()
    return service
  }
  const service = await open().catch(async error => {
    await internet.close()
    throw error
  })
  const check = checker(internet, service, sockets)
  return {
    internet,
    service,
    target: asked => targetOf(service, asked),
    check: (asked, signal) => check(targetOf(service, asked), signal),
    async close() {
      await service.close()
      await internet.close()
    },
  }
}

/** What leads a configuration into the lab. */
export function labSettings({ dns }: LabInternet, network: LabOptions['network']): Readonly<Record<string, unknown>> {
  const places = join(temporaryDirectory(), 'places.mmdb')
  writeFileSync(places, writeMmdb(demoPlaces))
  return {
    datasets: { city: places, asn: places },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    blocklists: { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, LISTS.includes(id)])) },
    network: { resolvers: [dns.address], ...network },
  }
}

/** The text of a configuration with its plugins, read as the command line reads it. Rejects with every fault. */
export async function configured(settings: object): Promise<Pick<ServiceOptions, 'config' | 'registry'>> {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, JSON.stringify(settings))
  const { config, base, faults } = readConfig({ config: file }, NO_ENVIRONMENT)
  const { registry, faults: more } = await loadRegistry(builtInPlugins, config, base)
  const all = [...faults, ...more]
  if (all.length > 0) throw new Error(all.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  return { config, registry }
}

/** Limits of time are far away unless the settings give them: a busy machine must not reach one. */
export async function serviceFor(
  settings: object,
  parts: Omit<ServiceOptions, 'config' | 'registry'> = {},
): Promise<CheckService> {
  const { config, registry } = await configured(settings)
  const { check, network } = settings as { check?: object; network?: { limits?: object } }
  const patient = {
    ...config,
    check: { ...config.check, deadline_ms: LONG_MS, ...check },
    network: { ...config.network, limits: { ...config.network.limits, ...PATIENT, ...network?.limits } },
  }
  return createService({ config: patient, registry, ...parts })
}

const NO_ENVIRONMENT = { config: undefined, data: undefined, port: undefined, extra_roots: '' }

export function targetOf(
  { guard }: CheckService,
  { domain = null, ip = null, ...more }: { [Name in keyof TargetRequest]?: TargetRequest[Name] },
) {
  const parsed = parseTarget({ domain, ip, ...more }, guard)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.target
}

/** The resolver's own proof, which is no part of a check. */
const isControl = (name: string, type: string): boolean =>
  name === '' || (type === 'SOA' && /^(?:com|net|org)$/.test(name)) || /^[0-9a-f]{24}\.(?:com|net|org)$/.test(name)

function checker({ dns, web }: LabInternet, { engine }: CheckService, sockets: readonly Socket[]) {
  return async (target: Target, signal?: AbortSignal): Promise<Checked> => {
    const before = [dns.queries, web.seen.connections, web.seen.handshakes, web.seen.requests, sockets].map(
      seen => seen.length,
    )
    const [queries, connections, handshakes, requests, opened] = before
    const seen: Analysis[] = []
    const checked = await engine.check(target, { observe: analysis => seen.push(analysis), ...(signal && { signal }) })
    const [analysis] = seen
    if (!analysis) throw new Error('the check was not observed')
    return {
      result: { ...checked.result, process_time_ms: 0, cached: false } as unknown as Result,
      class: checked.class,
      recording: record(analysis, 0),
      analysis,
      connections: web.seen.connections.slice(connections),
      sockets: sockets.slice(opened),
      handshakes: web.seen.handshakes.slice(handshakes),
      requests: web.seen.requests.slice(requests).map(({ method, host, url }) => `${method} ${host}${url}`),
      queries: dns.queries
        .slice(queries)
        .filter(({ name, type }) => !isControl(name, type))
        .map(({ type, name, checkingDisabled }) => `${type} ${name}${checkingDisabled ? ' +cd' : ''}`),
    }
  }
}
