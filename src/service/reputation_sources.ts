// Sets up the sources of reputation for this installation: blocklists with their health, registries, the name model.
import type { Clock } from '../base/clock.ts'
import type { QueueFigures } from '../base/scheduler/queue.ts'
import { createUpstreamQueue } from '../base/scheduler/upstream_queue.ts'
import type { Config } from '../config/config.ts'
import type { GathererSetup } from '../evidence/kinds.ts'
import { createBreaker } from '../evidence/listings/breaker.ts'
import { createListHealth, type ListReport, ROUND_MS } from '../evidence/listings/list_health.ts'

import { chooseLists, listNotices } from '../evidence/listings/lists.ts'
import { shippedNameModel } from '../evidence/name_score/name_model.ts'
import { createRegistrationCache } from '../evidence/registration/lookup.ts'
import { createAskRegistry, createRegistryPauses, registryCapacity } from '../evidence/registration/registry.ts'
import type { Datasets } from '../knowledge/datasets/datasets.ts'
import { createAskLater } from '../knowledge/upstreams/ask_later.ts'
import { createUpstreamState, type UpstreamHealth, type UpstreamState } from '../knowledge/upstreams/state.ts'
import { dnsServers } from '../network/endpoints.ts'
import type { Network } from '../network/network.ts'

export interface ReputationSources {
  readonly setup: Pick<
    GathererSetup,
    'blocklists' | 'feeds' | 'popularity' | 'registration' | 'ip_network' | 'name_model'
  >
  readonly notices: readonly string[]
  /**
   * Proves the blocklists, then keeps proving them in the background. Until the first proof their answers are unknown.
   */
  start(): Promise<void>
  stop(): void
  /** The health of each blocklist. */
  lists(): readonly ListReport[]
  /** Queries to registries that wait and run. */
  readonly queries: QueueFigures
}

/** Share of a check's time that a registry may take in a run over many targets: the rest is for what depends on its answer. */
const PATIENCE = 0.9

/** Milliseconds for one round of proofs; where a query may take longer than usual, this share of that. */
const PROOF_MS = 2_500
const PROOF_SHARE = 0.8

export interface ReputationOptions {
  readonly config: Config
  readonly network: Network
  readonly clock: Clock
  /** Allowances and pauses of lists and registries; of this process only by default. */
  readonly upstream_state?: UpstreamState
  /** Targets are checked once, and nobody waits for a single check: registries may take as long as a check may. */
  readonly patient?: boolean
  readonly upstreams?: Pick<UpstreamHealth, 'note'>
  readonly datasets: Pick<Datasets, 'feeds' | 'popularity' | 'bootstrap'>
}

/** Throws a `TypeError` for an unknown blocklist. */
export function openReputationSources(options: ReputationOptions): ReputationSources {
  const { config, network, clock, datasets, patient = false } = options
  const { upstream_state = createUpstreamState(clock) } = options
  const { enabled, zones, daily, explain } = config.blocklists
  const lists = chooseLists({ enabled, zones, daily })
  const queryMs = config.network.unsafe_limits.dns_phase_ms ?? config.network.limits.dns_phase_ms
  const health = createListHealth({
    lists,
    open: signal => network.open({ signal, deadline: clock.monotonic() + Math.max(PROOF_MS, queryMs) }).resolver,
    clock,
    round_ms: Math.max(ROUND_MS, PROOF_SHARE * queryMs),
  })
  const queue = createUpstreamQueue(registryCapacity(config.registries), clock.monotonic)
  const later = createAskLater(network, clock.monotonic)
  const registries = {
    clock,
    ask: createAskRegistry({
      pauses: createRegistryPauses(clock, upstream_state),
      queue,
      health: options.upstreams,
    }),
    timeout_ms: patient ? config.check.deadline_ms * PATIENCE : config.registries.timeout_ms,
    later: patient ? undefined : later,
  }
  return {
    setup: {
      blocklists: { lists, health, explain, breaker: createBreaker({ lists, clock, upstream_state }) },
      feeds: datasets.feeds,
      popularity: datasets.popularity,
      registration: {
        bootstrap: () => datasets.bootstrap('rdap_bootstrap'),
        cache: createRegistrationCache('registrations', clock),
        ...registries,
      },
      ip_network: {
        bootstrap: version => datasets.bootstrap(`rdap_bootstrap_ipv${version}`),
        cache: createRegistrationCache('networks', clock),
        ...registries,
      },
      name_model: shippedNameModel,
    },
    notices: listNotices(
      lists,
      dnsServers(config.network.resolvers).map(({ host }) => host),
    ),
    async start() {
      const proof = health.start()
      shippedNameModel()
      await proof
    },
    stop() {
      health.stop()
      later.stop()
    },
    lists: () => health.report(),
    queries: queue.figures,
  }
}
