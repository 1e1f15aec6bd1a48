// Opens the network of a service, and the network of each check: its own budgets, and an end that closes everything.
// The budgets are counted here, because undici limits connections by origin and knows neither checks nor purposes.
import type { Socket } from 'node:net'
import { OVER, onAbort } from '../base/abort.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { dialFirst, dialTcp, interleave, type OpenSocket } from './dial.ts'
import { type Control, dnsServers } from './endpoints.ts'
import { type Fetch, fetchResource } from './fetch.ts'
import { type Guard, isGloballyReachable, refusalOf } from './guard.ts'
import { KeptSessions } from './kept_sessions.ts'
import { type Limits, limits } from './limits.ts'
import { createMailWayOut, MAIL_PORT, type MailWayOut } from './mail_way_out.ts'
import type {
  CheckNetwork,
  CheckScope,
  ConnectPurpose,
  ConnectRequest,
  ConnectResult,
  Dial,
  Network,
  RequestPurpose,
} from './network.ts'
import { createResolver } from './resolver.ts'
import { createResolverHealth, type ResolverHealth } from './resolver_health.ts'
import { familyOf, WayOut } from './way_out.ts'

/** DNS (RFC 1035 section 4.2). */
const DNS_PORT = 53

export interface NetworkOptions {
  /** As in `9.9.9.9`, `127.0.0.1:5353`, `[2620:fe::fe]:53`; the system's resolvers when empty. */
  readonly resolvers: readonly string[]
  readonly guard: Guard
  readonly limits?: Partial<Limits>
  readonly dial?: Dial
  /** An HTTP client with its own user agent or trust anchors; the default client when absent. */
  readonly fetch?: Fetch
  /** Hosts that prove the way out when no other connection has. */
  readonly controls?: readonly Control[]
  readonly clock?: Clock
}

export interface ServiceNetwork extends Network {
  /** The health of the resolvers and of the way out. Both are proved in the background once started. */
  readonly resolvers: ResolverHealth
  readonly wayOut: WayOut
}

/** Throws a `TypeError` when a resolver is not an address. */
export function createNetwork(options: NetworkOptions): ServiceNetwork {
  const { clock = systemClock, controls = [] } = options
  const effective = { ...limits, ...options.limits }
  const resolvers = createResolverHealth({ servers: dnsServers(options.resolvers), limits: effective, clock })
  const checks = new Set<() => void>()
  const open: Network['open'] = scope => {
    const { network, end } = openCheck(parts, scope)
    if (!scope.signal.aborted) checks.add(end)
    onAbort(scope.signal, () => checks.delete(end))
    return network
  }
  const keptSessions = new KeptSessions(open, clock)
  const wayOut = new WayOut({ controls, network: { open }, clock })
  const parts = {
    resolvers,
    wayOut,
    mailWayOut: createMailWayOut(clock),
    guard: options.guard,
    limits: effective,
    dial: options.dial ?? dialTcp,
    fetch: options.fetch ?? fetchResource,
    kept: () => keptSessions,
  }
  return {
    resolvers,
    wayOut,
    open,
    async close() {
      resolvers.stop()
      wayOut.stop()
      keptSessions.close()
      for (const end of checks) end()
      checks.clear()
    },
  }
}

interface NetworkParts {
  readonly resolvers: Pick<ResolverHealth, 'servers' | 'hijackAddresses' | 'suspect'>
  readonly wayOut: Pick<WayOut, 'watch'>
  readonly mailWayOut: MailWayOut
  readonly guard: Guard
  readonly limits: Limits
  readonly dial: Dial
  readonly fetch: Fetch
  readonly kept: () => KeptSessions
}

/** `end` destroys everything the check has open, as aborting the scope's signal does. */
function openCheck(parts: NetworkParts, scope: CheckScope): { network: CheckNetwork; end: () => void } {
  const { limits, resolvers } = parts
  const guard = scope.guard ?? parts.guard
  const lifetime = new AbortController()
  const end = () => lifetime.abort(OVER)
  if (scope.signal.aborted) end()
  else onAbort(scope.signal, end)
  const connect = createConnect({ ...parts, guard }, scope, lifetime.signal)
  const requests: Record<RequestPurpose, number> = {
    page: limits.page_requests,
    files: limits.file_requests,
    entrances: limits.entrance_requests,
    services: limits.service_requests,
  }
  const network: CheckNetwork = {
    limits,
    began: performance.now(),
    resolver: createResolver({
      servers: resolvers.servers(),
      limits,
      signal: lifetime.signal,
      hijackAddresses: resolvers.hijackAddresses,
      onNoReply: () => void resolvers.suspect(),
      onDenialWithoutSoa: () => scope.proving?.(resolvers.suspect()),
    }),
    refuse: address => guard.refuse(address),
    refuseName: name => guard.refuseName(name),
    reachesMail: addresses => parts.mailWayOut.isProved(addresses.map(familyOf)),
    connect,
    fetch: request => parts.fetch(network, request, parts.kept()),
    takeRequest(purpose) {
      if (requests[purpose] <= 0) return false
      requests[purpose] -= 1
      return true
    },
  }
  return { network, end }
}

function createConnect(
  {
    guard,
    limits,
    dial,
    wayOut,
    mailWayOut,
  }: Omit<NetworkParts, 'guard'> & { readonly guard: Pick<Guard, 'refuse' | 'refuseName'> },
  scope: CheckScope,
  endSignal: AbortSignal,
) {
  const watchedDial: Dial = (address, port) => {
    const socket = dial(address, port)
    // Many networks let no question pass but those to their own resolvers, which says nothing about the way out.
    if (port !== DNS_PORT && isGloballyReachable(address))
      (port === MAIL_PORT ? mailWayOut : wayOut).watch(socket, familyOf(address))
    return socket
  }
  const budgets: Readonly<Record<ConnectPurpose, OpenSocket>> = {
    site: createOpen(watchedDial, limits.connections, endSignal),
    tls_offer: createOpen(watchedDial, limits.tls_offer_connections, endSignal),
    mail: createOpen(watchedDial, limits.mail_connections, endSignal),
    name_servers: createOpen(watchedDial, limits.name_server_connections, endSignal),
    rendered: createOpen(watchedDial, limits.rendered_connections, endSignal),
  }
  const connectedAddresses = new Set<string>()
  return async ({ addresses, port, signal, purpose = 'site' }: ConnectRequest): Promise<ConnectResult> => {
    if (signal.aborted || endSignal.aborted) return { ok: false, failure: 'cancelled' }
    if ((port === MAIL_PORT) !== (purpose === 'mail')) return { ok: false, failure: 'denied' }
    if ((port === DNS_PORT) !== (purpose === 'name_servers')) return { ok: false, failure: 'denied' }
    const reasons = addresses.map(guard.refuse)
    const allowedAddresses = addresses.filter((_, at) => reasons[at] === null)
    if (allowedAddresses.length === 0) return { ok: false, failure: refusalOf(reasons) }
    const limitMs = Math.min(limits.connect_ms, scope.deadline - performance.now())
    const result = await dialFirst({
      addresses: inOrder(allowedAddresses, connectedAddresses).slice(0, limits.addresses_dialled),
      port,
      limit_ms: limitMs,
      signal: AbortSignal.any([signal, endSignal]),
      open: budgets[purpose],
    })
    if (result.ok) connectedAddresses.add(result.address)
    return result
  }
}

/** Addresses that connected earlier in this check come first, so that a black hole delays a check only once. */
function inOrder(addresses: readonly string[], connectedAddresses: ReadonlySet<string>): string[] {
  const order = interleave(addresses)
  return [
    ...order.filter(address => connectedAddresses.has(address)),
    ...order.filter(address => !connectedAddresses.has(address)),
  ]
}

/**
 * Opens at most `connections` sockets; all are destroyed at the end. An attempt that never left this machine does not
 * count.
 */
function createOpen(dial: Dial, connections: number, endSignal: AbortSignal): OpenSocket {
  let remaining = connections
  return (address: string, port: number): Socket | null => {
    if (remaining <= 0 || endSignal.aborted) return null
    remaining--
    const socket = dial(address, port)
    const unsubscribe = onAbort(endSignal, () => socket.destroy())
    socket.once('close', unsubscribe)
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENETUNREACH' || error.code === 'EADDRNOTAVAIL') remaining++
    })
    return socket
  }
}
