// The composition root: from a checked configuration to everything a check needs, wired once.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config/config.ts'
import { type Datasets, openDatasets } from './datasets/datasets.ts'
import { BUILT_IN } from './engine/contract.ts'
import { createEngine, type Engine } from './engine/engine.ts'
import { gatherersExtension } from './engine/gatherers_extension.ts'
import type { Extension } from './engine/plugin.ts'
import { evidenceOf, type Registry } from './engine/registry.ts'
import { builtInGatherers } from './evidence/gatherers.ts'
import { createGreenHostingGatherer } from './evidence/green_hosting.ts'
import type { ListReport } from './evidence/listings/canary.ts'
import { createLocationGatherer } from './evidence/location.ts'
import type { UpstreamBoard } from './evidence/upstream_board.ts'
import { createWebGatherers } from './evidence/web.ts'
import { createNetwork, type ServiceNetwork } from './network/create_network.ts'
import { type ClientOptions, createFetch } from './network/fetch.ts'
import { createGuard, type Guard } from './network/guard.ts'
import type { ServerState } from './network/invented.ts'
import type { Dial } from './network/network.ts'
import { userAgent } from './network/user_agent.ts'
import { openReputationSources } from './reputation_sources.ts'
import { version } from './version.ts'

/** Names the weights as they are shipped; a change of any of them is a change of this. */
export const POLICY = '2026-11-2'

/** What the plugins and their weights make. */
export interface Tuned {
  readonly engine: Engine
  /** Names the weights in force. */
  readonly policy: string
}

export interface CheckService extends Tuned {
  readonly guard: Guard
  readonly datasets: Datasets
  /** The same evidence under other plugins, weights and ceilings. Throws when an extension cannot be applied. */
  retune(config: Config, registry: Registry): Tuned
  /** What an operator should know at the start: absent datasets, unsafe settings. */
  readonly notices: readonly string[]
  /** Proves what must be proven before it is believed (blocklists, resolvers), and reads the datasets that are on disk. Resolves within seconds; never rejects. */
  start(): Promise<void>
  /** Also the registry it was created with, and no other. */
  close(): Promise<void>
  /** How each blocklist stands. */
  lists(): readonly ListReport[]
  /** How each resolver stands, in the order they are configured. */
  resolvers(): readonly ServerState[]
}

export interface ServiceOptions {
  readonly config: Config
  readonly registry: Registry
  /** Extra trusted roots, PEM. */
  readonly extra_roots?: string
  /** How TCP is dialled; the lab puts its mapping here. */
  readonly dial?: Dial
  readonly clock?: Clock
  /** What is known of upstream sources; this process's own when absent. */
  readonly board?: UpstreamBoard
  /** Extensions of the caller's own, such as a replay; applied before all others. */
  readonly extensions?: readonly Extension[]
}

/** Opens datasets and network and builds the engine. Throws with a message for the operator. */
export async function createService(options: ServiceOptions): Promise<CheckService> {
  const { config, registry, clock = systemClock } = options
  const guard = createGuard({ allow: config.network.unsafe_allow })
  const client = clientOptions(options)
  const network = openNetwork(options, guard, client)
  const datasets = await openDatasets({
    settings: config.datasets,
    downloads: config.downloads,
    directory: join(config.data, 'datasets'),
    network,
    clock,
  })
  const reputation = openReputationSources({
    config,
    network,
    clock,
    datasets,
    ...(options.board && { board: options.board }),
  })
  const gatherers = gatherersExtension(
    builtInGatherers({
      ...createWebGatherers(client),
      location: createLocationGatherer(datasets.geo),
      green_hosting: createGreenHostingGatherer(config.green_hosting),
      ...reputation.gatherers,
    }),
  )
  const extensions = [...(options.extensions ?? []), gatherers].map(extension => ({ ...extension, origin: BUILT_IN }))
  const retune = (tuning: Config, registry: Registry): Tuned => {
    const policy = policyName(tuning)
    const engine = createEngine({
      registry: { ...registry, extensions: [...extensions, ...registry.extensions] },
      open: scope => network.open(scope),
      deadline_ms: config.check.deadline_ms,
      policy,
      clock,
    })
    return { engine, policy }
  }
  const tuned = retune(config, registry)
  return {
    ...tuned,
    retune,
    guard,
    datasets,
    notices: [...datasets.notices, ...reputation.notices, ...disclosures(config, registry), ...unsafeNotices(config)],
    lists: reputation.lists,
    resolvers: network.inventions.report,
    async start() {
      await Promise.all([network.inventions.start(), reputation.start(), datasets.load(), tuned.engine.prepare()])
    },
    async close() {
      registry.close()
      reputation.stop()
      await datasets.stop()
      await network.close()
    },
  }
}

function clientOptions({ config, extra_roots }: ServiceOptions): ClientOptions {
  return { user_agent: userAgent(version, config.network.contact), extra_roots }
}

function openNetwork({ config, dial }: ServiceOptions, guard: Guard, client: ClientOptions): ServiceNetwork {
  const { resolvers, limits, unsafe_limits } = config.network
  return createNetwork({
    resolvers,
    guard,
    limits: { ...limits, ...unsafe_limits },
    fetch: createFetch(client),
    ...(dial ? { dial } : {}),
  })
}

/** The shipped policy by its own name; any other tuning by that name and a digest of what was tuned. */
export function policyName({ plugins, scoring, load }: Pick<Config, 'plugins' | 'scoring' | 'load'>): string {
  const tuned = Object.keys(plugins).length + Object.keys(scoring.groups).length + load.length > 0
  if (!tuned) return POLICY
  const digest = createHash('sha256')
    .update(JSON.stringify([plugins, scoring, load]))
    .digest('hex')
  return `${POLICY}+${digest.slice(0, 8)}`
}

/** Third parties that learn the names we check. */
export function disclosures({ green_hosting }: Config, { analyzers }: Registry): string[] {
  const asked = analyzers.some(({ analyzer, enabled }) => enabled && evidenceOf(analyzer).includes('green_hosting'))
  return asked && green_hosting.enabled
    ? [
        `green_hosting: ${new URL(green_hosting.endpoint).host} is told every name that is checked; "enabled": false stops it`,
      ]
    : []
}

/** Hosts of a store that no network lies before; it is this machine when there is none. */
const LOOPBACK = /^(?:|localhost|127(?:\.\d+){3}|\[::1\])$/i

/** The store's host when what is sent there can be read on the way. */
function hostInClear(store: string | null): string | null {
  const { protocol, hostname } = store !== null && URL.canParse(store) ? new URL(store) : { protocol: '', hostname: '' }
  return protocol === 'redis:' && !LOOPBACK.test(hostname) ? hostname : null
}

function unsafeNotices({ network, store }: Config): string[] {
  const raised = Object.keys(network.unsafe_limits)
  const host = hostInClear(store)
  return [
    ...(host === null ? [] : [`store: the connection to ${host} is not encrypted; that of a rediss:// URL is`]),
    ...(network.unsafe_allow.length > 0
      ? [`network.unsafe_allow: checks may connect to ${network.unsafe_allow.join(', ')}, which are not public`]
      : []),
    ...(raised.length > 0 ? [`network.unsafe_limits: raised above the safe ceiling: ${raised.join(', ')}`] : []),
  ]
}
