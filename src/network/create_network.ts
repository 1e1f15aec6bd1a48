// Opens the network for a service: its resolvers, its guard and its limits, for every check alike.
import { onAbort } from './abort.ts'
import { openCheck } from './check_network.ts'
import { dialTcp } from './dial.ts'
import { dnsServers } from './dns_servers.ts'
import { type Fetch, fetchResource } from './fetch.ts'
import type { Guard } from './guard.ts'
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

/** Throws a `TypeError` when a resolver is not an address. */
export function createNetwork(options: NetworkOptions): Network {
  const parts = {
    servers: dnsServers(options.resolvers),
    guard: options.guard,
    limits: { ...limits, ...options.limits },
    dial: options.dial ?? dialTcp,
    fetch: options.fetch ?? fetchResource,
  }
  const checks = new Set<() => void>()
  return {
    open(scope) {
      const { network, end } = openCheck(parts, scope)
      if (!scope.signal.aborted) checks.add(end)
      onAbort(scope.signal, () => checks.delete(end))
      return network
    },
    async close() {
      for (const end of checks) end()
      checks.clear()
    },
  }
}
