// The network as one check sees it: its own budgets and memory, and an end that takes everything down with it.
import type { Socket } from 'node:net'
import { OVER, onAbort } from './abort.ts'
import { createResolver } from './create_resolver.ts'
import { dialFirst, interleave } from './dial.ts'
import type { Fetch } from './fetch.ts'
import { type Guard, isGloballyReachable, refusalOf } from './guard.ts'
import type { Limits } from './limits.ts'
import type { CheckNetwork, CheckScope, ConnectRequest, ConnectResult, Dial } from './network.ts'
import type { ResolverHealth } from './resolver_health.ts'
import { familyOf, type WayOut } from './way_out.ts'

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
