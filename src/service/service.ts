// The composition root: builds everything a check needs from a validated configuration.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import { CpuQueue } from '../base/cpu_queue.ts'
import { type InstrumentReport, instrumentReports } from '../base/health/report.ts'
import { best, type Instruments, isHealthy, PROVED_INSTRUMENTS } from '../base/health/standing.ts'
import { version } from '../base/package_root.ts'
import type { QueueFigures } from '../base/scheduler/queue.ts'
import type { Config } from '../config/config.ts'
import { hostOf, isProtected } from '../config/postgres_place.ts'
import { BUILT_IN } from '../engine/contract.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { Extension } from '../engine/plugin.ts'
import { evidenceOf, type Registry } from '../engine/registry.ts'
import { gatherersExtension } from '../engine/run.ts'
import type { MissingSource } from '../engine/scoring/missing.ts'
import { POLICY } from '../engine/scoring/policy.ts'
import { withTestTargets } from '../engine/test_target.ts'
import type { MetTargets } from '../evidence/first_seen/gather.ts'
import { loadGatherers } from '../evidence/kinds.ts'
import type { BlockList } from '../evidence/listings/block_list.ts'
import type { ListReport } from '../evidence/listings/list_health.ts'
import { ehloName, type MailClient } from '../evidence/mail_servers/converse.ts'
import { type OperatorListSource, openOperatorLists } from '../evidence/operator_lists/source.ts'
import { browserFault, UnusableBrowser } from '../evidence/rendered/browser.ts'
import { createRenderer, type Renderer } from '../evidence/rendered/renderer.ts'
import { createSiteSessions } from '../evidence/site_session/session.ts'
import { createTrustStore } from '../evidence/tls/trust_store.ts'
import { chooseDatasets } from '../knowledge/datasets/choose.ts'
import { type Datasets, openDatasets } from '../knowledge/datasets/datasets.ts'
import { concerns } from '../knowledge/datasets/expected.ts'
import { createUpstreamHealth, type UpstreamState } from '../knowledge/upstreams/state.ts'
import { createNetwork, type ServiceNetwork } from '../network/create_network.ts'
import { type Control, HTTPS_PORT, parseControl } from '../network/endpoints.ts'
import { type ClientOptions, createFetch, userAgent } from '../network/fetch.ts'
import { createGuard, type Guard, isGloballyReachable } from '../network/guard.ts'
import { fieldValues } from '../network/http.ts'
import type { CheckNetwork, Dial } from '../network/network.ts'
import type { ResolverReport } from '../network/resolver_health.ts'
import { familyOf } from '../network/way_out.ts'
import { createScanner, type Scanner } from '../results/lookalikes/scan.ts'
import type { Target } from '../targets/target.ts'
import { awaitingDatasets } from './awaiting.ts'
import { openReputationSources } from './reputation_sources.ts'
import { createWatchMail, type WatchMail } from './watch/mail.ts'
import { createWebhooks, type Webhooks } from './watch/webhook.ts'

/** Hosts that prove the way out: the operator's first, then those of services in use; without duplicates. */
function wayOutControls(
  { network, datasets, downloads, green_hosting }: Pick<Config, 'network' | 'datasets' | 'downloads' | 'green_hosting'>,
  asksDirectory: boolean,
): readonly Control[] {
  const urls = [
    ...(asksDirectory ? [green_hosting.endpoint] : []),
    ...(downloads.enabled ? chooseDatasets(datasets).flatMap(({ enabled, url }) => (enabled && url ? [url] : [])) : []),
  ]
  const proxyUrls = urls.filter(url => URL.canParse(url)).map(url => new URL(url))
  const all = [
    ...network.egress_controls.flatMap(text => parseControl(text) ?? []),
    ...proxyUrls.map(({ hostname, port }) => ({ host: hostname, port: port === '' ? HTTPS_PORT : Number(port) })),
  ]
  return [...new Map(all.map(control => [`${control.host}:${control.port}`, control])).values()]
}

/** An engine with its plugins and weights. */
export interface Tuning {
  readonly engine: Engine
  /** Identifies the effective weights and operator lists. Results of different policies are cached separately. */
  readonly policy: string
}

export interface CheckService extends Tuning {
  readonly guard: Guard
  readonly datasets: Datasets
  /** Null without a browser. */
  readonly rendering: Renderer | null
  /** Finds out which names exist. */
  readonly scanner: Scanner
  /** Sends the events of watches. */
  readonly webhooks: Webhooks
  readonly mail: WatchMail
  /** Shares the CPU between checks. */
  readonly cpu: Omit<CpuQueue, 'open'>
  /** The operator's allow and block lists. */
  readonly operator_lists: OperatorListSource
  /**
   * Builds an engine with other plugins, weights and ceilings on the same evidence. Throws when an extension cannot be
   * applied.
   */
  retune(config: Config, registry: Registry): Tuning
  /** What an operator should know at startup: missing datasets, unsafe settings. */
  readonly notices: readonly string[]
  /**
   * Proves the blocklists and resolvers, and loads the datasets on disk. Resolves within seconds, or when the time for loading is
   * over; never rejects.
   */
  start(): Promise<void>
  /**
   * Proves the resolvers and the way out, as `start` does. Resolves as soon as it is known whether checks can run;
   * never rejects.
   */
  prove(): Promise<void>
  /** Also closes the registry it was created with, but no other. */
  close(): Promise<void>
  /** The health of each blocklist. */
  lists(): readonly ListReport[]
  /** Queries to registries that wait and run. */
  readonly queries: QueueFigures
  /** The health of each resolver, in the order of the configuration. */
  resolvers(): readonly ResolverReport[]
  /** The health of every instrument that checks depend on. */
  instruments(): readonly InstrumentReport[]
  /** The blocklists in use, with their terms. */
  readonly blocklists: readonly BlockList[]
  /** Asks a host that proves the way out for its time, by one request; null when it did not tell. Never rejects. */
  peerTime(): Promise<PeerTime | null>
}

/** The time of another machine, in milliseconds since the Unix epoch. */
export interface PeerTime {
  readonly name: string
  readonly time: number
}

export interface ServiceOptions {
  readonly config: Config
  readonly registry: Registry
  /** Extra trust anchors, PEM. */
  readonly extra_roots?: string
  /** Opens TCP connections; the lab maps addresses here. */
  readonly dial?: Dial
  readonly clock?: Clock
  /** What is known about upstreams; of this process only by default. */
  readonly upstream_state?: UpstreamState
  /** Targets are checked once, and nobody waits for a single check. */
  readonly patient?: boolean
  /** Knows which targets were checked before; null or absent without a history. */
  readonly history?: MetTargets | null
  /** The caller's extensions, such as a replay; applied before all others. */
  readonly extensions?: readonly Extension[]
  /** Observes the network of each check. */
  readonly observed?: (network: CheckNetwork) => CheckNetwork
  /** Nothing is looked up: evidence comes from an extension and counts as gathered with healthy instruments. */
  readonly replayed?: boolean
  /** The expected sources that are missing, in place of the datasets of this installation. */
  readonly missing?: () => readonly MissingSource[]
}

/** Opens datasets and network and builds the engine. Throws with a message for the operator. */
export async function createService(options: ServiceOptions): Promise<CheckService> {
  const { config, registry, clock = systemClock } = options
  const { unsafe_allow, deny, url_ports } = config.network
  const { test_targets } = config.check
  const guard = createGuard({ allow: unsafe_allow, deny, url_ports, test_targets })
  const client = clientOptions(options)
  const network = openNetwork(options, guard, client)
  const mailClient = { name: ehloName(config.network.contact), extra_roots: client.extra_roots }
  const upstreams = createUpstreamHealth(clock)
  const cpu = new CpuQueue()
  const datasets = await datasetsOf(config, network, clock)
  const reputation = openReputationSources({
    config,
    network,
    clock,
    datasets,
    upstreams,
    ...(options.upstream_state && { upstream_state: options.upstream_state }),
    ...(options.patient && { patient: true }),
  })
  const operatorLists = openOperatorLists(config.lists)
  const rendering = openRenderer(options, network)
  const gatherers = await gatherersOf(options, {
    client,
    datasets,
    upstreams,
    operator_lists: operatorLists,
    reputation,
    rendering,
    mail_client: mailClient,
  })
  const retune = tunerOf(options, { network, datasets, operator_lists: operatorLists, gatherers, cpu })
  const tuning = retune(config, registry)
  const prove = async () => {
    await network.resolvers.start()
    const wayOut = network.wayOut.start()
    // Without a resolver no control host can be found, so waiting would show nothing.
    if (isHealthy(network.resolvers.standing())) await wayOut
  }
  return {
    ...tuning,
    retune,
    prove,
    cpu,
    guard,
    datasets,
    rendering,
    scanner: scannerOf(config, network, clock),
    webhooks: createWebhooks({ ...config.network, ...config.watch }, network.open),
    mail: createWatchMail(config.watch.mail, mailClient),
    operator_lists: operatorLists,
    notices: [...datasets.notices, ...reputation.notices, ...disclosures(config, registry), ...unsafeNotices(config)],
    lists: reputation.lists,
    queries: reputation.queries,
    resolvers: network.resolvers.report,
    blocklists: reputation.setup.blocklists.lists,
    peerTime: () => askTime(network, wayOutControls(config, isGreenHostingAsked(config, registry))),
    instruments: () =>
      instrumentReports({
        resolvers: network.resolvers.report(),
        way_out: { ipv4: network.wayOut.standing(4), ipv6: network.wayOut.standing(6) },
        lists: reputation.lists(),
        feeds: datasets.status(),
        upstreams: upstreams.report(),
      }),
    async start() {
      // Until the datasets are read, results lack them; without its schemas, the first check only takes longer.
      await Promise.all([prove(), reputation.start(), datasets.load().then(tuning.engine.prepare)])
    },
    async close() {
      registry.close()
      reputation.stop()
      operatorLists.stop()
      await rendering?.stop()
      await datasets.stop()
      await network.close()
    },
  }
}

const datasetsOf = (config: Config, network: ServiceNetwork, clock: Clock): Promise<Datasets> =>
  openDatasets({
    settings: config.datasets,
    downloads: config.downloads,
    loading_ms: config.server.loading_ms,
    directory: join(config.data, 'datasets'),
    network,
    clock,
  })

const scannerOf = ({ lookalikes }: Config, { open, resolvers }: ServiceNetwork, { monotonic }: Clock): Scanner =>
  createScanner({ open, standing: resolvers.standing, now: monotonic, ...lookalikes })

interface GathererSources {
  readonly client: ClientOptions
  readonly datasets: Datasets
  readonly upstreams: ReturnType<typeof createUpstreamHealth>
  readonly rendering: Renderer | null
  readonly operator_lists: OperatorListSource
  readonly mail_client: MailClient
  readonly reputation: ReturnType<typeof openReputationSources>
}

/** The gatherers of all kinds of evidence, as an extension. */
async function gatherersOf({ config, history }: ServiceOptions, sources: GathererSources): Promise<Extension> {
  const { client, datasets, upstreams, operator_lists, reputation, rendering, mail_client } = sources
  const gatherers = await loadGatherers({
    sites: createSiteSessions(client),
    trust: createTrustStore(client.extra_roots),
    mail_client,
    geo: datasets.geo,
    hsts_preload: datasets.hstsPreload,
    ct_logs: datasets.ctLogs,
    green_hosting: config.green_hosting,
    upstreams,
    operator_lists: operator_lists.current,
    met_targets: history ?? null,
    rendering,
    ...reputation.setup,
  })
  return gatherersExtension(awaitingDatasets(gatherers, datasets.missing))
}

interface Tunable {
  readonly network: ServiceNetwork
  readonly datasets: Datasets
  readonly operator_lists: OperatorListSource
  readonly gatherers: Extension
  readonly cpu: CpuQueue
}

/** Builds engines on the same evidence. */
function tunerOf(options: ServiceOptions, tunable: Tunable): CheckService['retune'] {
  const { clock = systemClock, observed = one => one, replayed = false } = options
  const { network, datasets, operator_lists, gatherers, cpu } = tunable
  const missing = (target: Target) => datasets.missing().filter(one => concerns(target, one))
  const extensions = [...(options.extensions ?? []), gatherers].map(extension => ({ ...extension, origin: BUILT_IN }))
  return (tuning, registry) => {
    const policy = policyName(tuning)
    operator_lists.use(tuning.lists)
    const engine = createEngine({
      registry: { ...registry, extensions: [...extensions, ...registry.extensions] },
      open: scope => observed(network.open(scope)),
      deadline_ms: options.config.check.deadline_ms,
      policy,
      clock,
      cpu,
      instruments: replayed ? PROVED_INSTRUMENTS : instrumentsOf(network),
      missing: options.missing ?? (replayed ? () => [] : missing),
    })
    const revision = operator_lists.revision()
    const engineWithTests = withTestTargets(engine, { registry, policy, now: clock.now })
    return { engine: engineWithTests, policy: revision === '' ? policy : `${policy} ${revision}` }
  }
}

function clientOptions({ config, extra_roots }: ServiceOptions): ClientOptions {
  return { user_agent: userAgent(version, config.network.contact), extra_roots }
}

/** The health of the network, in the form the engine needs. */
const instrumentsOf = ({ resolvers, wayOut }: ServiceNetwork): Instruments => ({
  suspect: (instrument, addresses) =>
    instrument === 'resolver' ? resolvers.suspect() : wayOut.suspect(addresses.map(familyOf)),
  resolver: resolvers.standing,
  wayOut(addresses) {
    const families = new Set(addresses.filter(isGloballyReachable).map(familyOf))
    if (addresses.length > 0 && families.size === 0) return null
    return best((families.size > 0 ? [...families] : ([4, 6] as const)).map(family => wayOut.standing(family)))
  },
})

function openNetwork(
  { config, registry, dial, clock = systemClock }: ServiceOptions,
  guard: Guard,
  client: ClientOptions,
): ServiceNetwork {
  const { resolvers, limits, unsafe_limits } = config.network
  return createNetwork({
    resolvers,
    guard,
    limits: { ...limits, ...unsafe_limits },
    fetch: createFetch(client),
    controls: wayOutControls(config, isGreenHostingAsked(config, registry)),
    clock,
    ...(dial ? { dial } : {}),
  })
}

/** Throws an `UnusableBrowser` when it cannot be started as the configuration says. Nothing is rendered in a replay. */
function openRenderer(
  { config, replayed, observed = one => one }: ServiceOptions,
  network: ServiceNetwork,
): Renderer | null {
  const { browser, ...settings } = config.rendering
  if (browser === null || replayed) return null
  const fault = browserFault({ browser, ...settings })
  if (fault !== null) throw new UnusableBrowser(`rendering: ${fault}`)
  return createRenderer({ browser, open: scope => observed(network.open(scope)), ...settings })
}

/** Milliseconds for the answer that tells the time. */
const TIME_MS = 3_000
/** Octets of a body that nobody reads. */
const TIME_OCTETS = 1_024

/** The `Date` of the response (RFC 9110 section 6.6.1), whatever its status. */
async function askTime(network: ServiceNetwork, [control]: readonly Control[]): Promise<PeerTime | null> {
  if (control === undefined) return null
  const { host, port } = control
  const signal = AbortSignal.timeout(TIME_MS)
  const scope = { signal, deadline: performance.now() + TIME_MS }
  const request = { url: `https://${host}:${port}/`, signal, max_bytes: TIME_OCTETS, timeout_ms: TIME_MS, redirects: 0 }
  const { exchanges } = await network.open(scope).fetch(request)
  const [date] = fieldValues(exchanges.at(-1)?.headers ?? [], 'date')
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? null : { name: host, time }
}

/** The name of the shipped policy; with any tuning, followed by a digest of the tuned settings. */
function policyName({ plugins, scoring, load }: Pick<Config, 'plugins' | 'scoring' | 'load'>): string {
  const isTuned = Object.keys(plugins).length + Object.keys(scoring.groups).length + load.length > 0
  if (!isTuned) return POLICY.name
  const digest = createHash('sha256')
    .update(JSON.stringify([plugins, scoring, load]))
    .digest('hex')
  return `${POLICY.name}+${digest.slice(0, 8)}`
}

const isGreenHostingAsked = ({ green_hosting }: Config, { analyzers }: Registry): boolean =>
  green_hosting.enabled &&
  analyzers.some(({ analyzer, enabled }) => enabled && evidenceOf(analyzer).includes('green_hosting'))

/** Notices about third parties that learn the checked names. */
export function disclosures(config: Config, registry: Registry): string[] {
  const { green_hosting } = config
  return isGreenHostingAsked(config, registry)
    ? [
        `green_hosting: ${new URL(green_hosting.endpoint).host} receives every checked name; disable with "enabled": false`,
      ]
    : []
}

/** The store's host if its connection is not encrypted and leaves this machine. */
function unencryptedHost(store: string | null): string | null {
  return store === null || isProtected({ url: store }) ? null : hostOf({ url: store })
}

function unsafeNotices({ network, store, rendering }: Config): string[] {
  const limitNames = Object.keys(network.unsafe_limits)
  const host = unencryptedHost(store)
  return [
    ...(host === null ? [] : [`store: the connection to ${host} is not encrypted; remove sslmode from its URL`]),
    ...(rendering.browser !== null && !rendering.sandbox
      ? ['rendering.sandbox: Chromium runs without its sandbox; a page that breaks out has the rights of this service']
      : []),
    ...(network.unsafe_allow.length > 0
      ? [`network.unsafe_allow: checks may connect to non-public addresses: ${network.unsafe_allow.join(', ')}`]
      : []),
    ...(limitNames.length > 0
      ? [`network.unsafe_limits: limits above the safe ceiling: ${limitNames.join(', ')}`]
      : []),
  ]
}
