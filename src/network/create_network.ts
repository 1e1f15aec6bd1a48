// Opens the network of a service, and from it the network of each check.

import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import { OVER, onAbort } from './abort.ts'
import { dialFirst, dialTcp, interleave } from './dial.ts'
import { type Control, dnsServers } from './endpoints.ts'
import { type Fetch, fetchResource } from './fetch.ts'
import { type Guard, isGloballyReachable, refusalOf } from './guard.ts'
import { type Limits, limits } from './limits.ts'
import type { CheckNetwork, CheckScope, ConnectRequest, ConnectResult, Dial, Network } from './network.ts'
import { createResolver } from './resolver.ts'
import { createResolverHealth, type ResolverHealth } from './resolver_health.ts'
import { createWayOut, familyOf, type WayOut } from './way_out.ts'

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

export interface NetworkParts {
  readonly resolvers: Pick<ResolverHealth, 'servers' | 'inventedBy' | 'suspect'>
  readonly wayOut: Pick<WayOut, 'watch'>
  readonly guard: Guard
  readonly limits: Limits
  readonly dial: Dial
  readonly fetch: Fetch
}

/** `end` destroys all that the check has open, as the abort of the scope's signal does. */
export function openCheck(parts: NetworkParts, scope: CheckScope): { network: CheckNetwork; end: () => void } {
  const { guard, limits, resolvers } = parts
  const ended = new AbortController()
  const end = () => ended.abort(OVER)
  if (scope.signal.aborted) end()
  else onAbort(scope.signal, end)
  const connect = createConnect(parts, scope, ended.signal)
  let requests = limits.http_requests
  let journey: Promise<unknown> | undefined
  const network: CheckNetwork = {
    limits,
    resolver: createResolver({
      servers: resolvers.servers(),
      limits,
      signal: ended.signal,
      inventedBy: resolvers.inventedBy,
      unanswered: () => void resolvers.suspect(),
      unsupported: () => scope.proving?.(resolvers.suspect()),
    }),
    refuse: address => guard.refuse(address),
    refuseName: name => guard.refuseName(name),
    connect,
    async fetch(request) {
      if (requests <= 1 + limits.redirects) await journey
      return parts.fetch(network, request)
    },
    takeRequest(leaving = 0) {
      if (requests <= leaving) return false
      requests -= 1
      return true
    },
    yieldTo(page) {
      journey = page.catch(() => {})
    },
  }
  return { network, end }
}

function createConnect({ guard, limits, dial, wayOut }: NetworkParts, scope: CheckScope, ended: AbortSignal) {
  const watched: Dial = (address, port) => {
    const socket = dial(address, port)
    if (isGloballyReachable(address)) wayOut.watch(socket, familyOf(address))
    return socket
  }
  const open = createOpen(watched, limits.connections, ended)
  const proven = new Set<string>()
  return async ({ addresses, port, signal }: ConnectRequest): Promise<ConnectResult> => {
    if (signal.aborted || ended.aborted) return { ok: false, failure: 'cancelled' }
    const reasons = addresses.map(guard.refuse)
    const vetted = addresses.filter((_, at) => reasons[at] === null)
    if (vetted.length === 0) return { ok: false, failure: refusalOf(reasons) }
    const limit_ms = Math.min(limits.connect_ms, scope.deadline - performance.now())
    const result = await dialFirst({
      addresses: inOrder(vetted, proven).slice(0, limits.addresses_dialled),
      port,
      limit_ms,
      signal: AbortSignal.any([signal, ended]),
      open,
    })
    if (result.ok) proven.add(result.address)
    return result
  }
}

/** What has answered in this check comes first: a black hole costs a check its delay once, not for every connection. */
function inOrder(addresses: readonly string[], proven: ReadonlySet<string>): string[] {
  const order = interleave(addresses)
  return [...order.filter(address => proven.has(address)), ...order.filter(address => !proven.has(address))]
}

/** Opens at most so many sockets, all destroyed at the end. What never left this machine is not counted. */
function createOpen(dial: Dial, connections: number, ended: AbortSignal) {
  let left = connections
  return (address: string, port: number): Socket | null => {
    if (left <= 0 || ended.aborted) return null
    left--
    const socket = dial(address, port)
    const stop = onAbort(ended, () => socket.destroy())
    socket.once('close', stop)
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENETUNREACH' || error.code === 'EADDRNOTAVAIL') left++
    })
    return socket
  }
}
