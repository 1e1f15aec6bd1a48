// Opens the network for a service: its resolvers, its guard and its limits, for every check alike.
import { type Clock, systemClock } from '../clock.ts'
import { onAbort } from './abort.ts'
import { openCheck } from './check_network.ts'
import type { Control } from './control.ts'
import { dialTcp } from './dial.ts'
import { dnsServers } from './dns_servers.ts'
import { type Fetch, fetchResource } from './fetch.ts'
import type { Guard } from './guard.ts'
import { type Limits, limits } from './limits.ts'
import type { Dial, Network } from './network.ts'
import { createResolverHealth, type ResolverHealth } from './resolver_health.ts'
import { createWayOut, type WayOut } from './way_out.ts'

export interface NetworkOptions {
  /** `9.9.9.9`, `127.0.0.1:5353`, `[2620:fe::fe]:53`; the system's when empty. */
  readonly resolvers: readonly string[]
  readonly guard: Guard
  readonly limits?: Partial<Limits>
  readonly dial?: Dial
  /** The HTTP client, where it shall present itself or trust otherwise than by default. */
  readonly fetch?: Fetch
  /** Hosts that prove the way out when nothing else was heard. */
  readonly controls?: readonly Control[]
  readonly clock?: Clock
}

export interface ServiceNetwork extends Network {
  /** Whether resolvers and the way out can be believed. Both prove themselves in the background once started. */
  readonly resolvers: ResolverHealth
  readonly wayOut: WayOut
}

/** Throws a `TypeError` when a resolver is not an address. */
export function createNetwork(options: NetworkOptions): ServiceNetwork {
  const { clock = systemClock, controls = [] } = options
  const inForce = { ...limits, ...options.limits }
  const resolvers = createResolverHealth({ servers: dnsServers(options.resolvers), limits: inForce, clock })
  const checks = new Set<() => void>()
  const open: Network['open'] = scope => {
    const { network, end } = openCheck(parts, scope)
    if (!scope.signal.aborted) checks.add(end)
    onAbort(scope.signal, () => checks.delete(end))
    return network
  }
  const wayOut = createWayOut({ controls, network: { open }, clock })
  const parts = {
    resolvers,
    wayOut,
    guard: options.guard,
    limits: inForce,
    dial: options.dial ?? dialTcp,
    fetch: options.fetch ?? fetchResource,
  }
  return {
    resolvers,
    wayOut,
    open,
    async close() {
      resolvers.stop()
      wayOut.stop()
      for (const end of checks) end()
      checks.clear()
    },
  }
}
