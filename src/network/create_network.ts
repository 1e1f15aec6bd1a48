// Opens the network for a service: its resolvers, its guard and its limits, for every check alike.
import { onAbort } from './abort.ts'
import { openCheck } from './check_network.ts'
import { dialTcp } from './dial.ts'
import { dnsServers } from './dns_servers.ts'
import { type Fetch, fetchResource } from './fetch.ts'
import type { Guard } from './guard.ts'
import { createInventions, type Inventions } from './invented.ts'
import { type Limits, limits } from './limits.ts'
import type { Dial, Network } from './network.ts'

export interface NetworkOptions {
  /** `9.9.9.9`, `127.0.0.1:5353`, `[2620:fe::fe]:53`; the system's when empty. */
  readonly resolvers: readonly string[]
  readonly guard: Guard
  readonly limits?: Partial<Limits>
  readonly dial?: Dial
  /** The HTTP client, where it shall present itself or trust otherwise than by default. */
  readonly fetch?: Fetch
}

export interface ServiceNetwork extends Network {
  /** Finds out, from its start on, which resolvers invent addresses; until then all are believed. */
  readonly inventions: Inventions
}

/** Throws a `TypeError` when a resolver is not an address. */
export function createNetwork(options: NetworkOptions): ServiceNetwork {
  const servers = dnsServers(options.resolvers)
  const inForce = { ...limits, ...options.limits }
  const inventions = createInventions({ servers, limits: inForce })
  const parts = {
    servers,
    inventions,
    guard: options.guard,
    limits: inForce,
    dial: options.dial ?? dialTcp,
    fetch: options.fetch ?? fetchResource,
  }
  const checks = new Set<() => void>()
  return {
    inventions,
    open(scope) {
      const { network, end } = openCheck(parts, scope)
      if (!scope.signal.aborted) checks.add(end)
      onAbort(scope.signal, () => checks.delete(end))
      return network
    },
    async close() {
      inventions.stop()
      for (const end of checks) end()
      checks.clear()
    },
  }
}
