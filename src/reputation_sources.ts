// Sets up the sources of reputation for this installation: blocklists with their health, registries, the name model.
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Datasets } from './datasets/datasets.ts'
import type { GathererSetup } from './evidence/kinds.ts'
import { createBreaker } from './evidence/listings/breaker.ts'
import { createListHealth, type ListReport } from './evidence/listings/list_health.ts'
import { chooseLists, listNotices } from './evidence/listings/lists.ts'
import { shippedNameModel } from './evidence/name_score/name_model.ts'
import { createRegistrationCache } from './evidence/registration/lookup.ts'
import { createAskRegistry, createRegistryPauses } from './evidence/registration/registry.ts'
import { dnsServers } from './network/endpoints.ts'
import type { Network } from './network/network.ts'
import { createUpstreamState, type UpstreamHealth, type UpstreamState } from './upstreams/state.ts'

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
}

/** Milliseconds for one round of proofs. */
const PROOF_MS = 2_500

export interface ReputationOptions {
  readonly config: Config
  readonly network: Network
  readonly clock: Clock
  /** Allowances and pauses of lists and registries; of this process only by default. */
  readonly upstream_state?: UpstreamState
  readonly upstreams?: Pick<UpstreamHealth, 'note'>
  readonly datasets: Pick<Datasets, 'feeds' | 'popularity' | 'bootstrap'>
}

/** Throws a `TypeError` for an unknown blocklist. */
export function openReputationSources(options: ReputationOptions): ReputationSources {
  const { config, network, clock, datasets, upstream_state = createUpstreamState(clock) } = options
  const { enabled, zones, explain } = config.blocklists
  const lists = chooseLists({ enabled, zones })
  const health = createListHealth({
    lists,
    open: signal => network.open({ signal, deadline: clock.monotonic() + PROOF_MS }).resolver,
    clock,
  })
  const ask = createAskRegistry(createRegistryPauses(clock, upstream_state), options.upstreams)
  return {
    setup: {
      blocklists: { lists, health, explain, breaker: createBreaker({ lists, clock, upstream_state }) },
      feeds: datasets.feeds,
      popularity: datasets.popularity,
      registration: {
        bootstrap: () => datasets.bootstrap('rdap_bootstrap'),
        cache: createRegistrationCache('registrations', clock),
        ask,
        clock,
      },
      ip_network: {
        bootstrap: version => datasets.bootstrap(`rdap_bootstrap_ipv${version}`),
        cache: createRegistrationCache('networks', clock),
        ask,
        clock,
      },
      name_model: shippedNameModel,
    },
    notices: listNotices(
      lists,
      dnsServers(config.network.resolvers).map(({ host }) => host),
    ),
    async start() {
      const proven = health.start()
      shippedNameModel()
      await proven
    },
    stop: () => health.stop(),
    lists: () => health.report(),
  }
}
