// The one way out: what a check may do on the network. Everything else in the project goes through this interface.
import type { Socket } from 'node:net'
import type { Resolver } from './resolve.ts'

/** Why a connection did not come about. `timeout` and `unreachable` tell nothing of the target; `refused` and `reset` are its answer. */
export type ConnectFailure =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'unreachable'
  | 'not_public'
  | 'too_many_connections'
  | 'cancelled'

export interface ConnectRequest {
  /** Addresses of one host, in order of preference; each is vetted again before it is dialled, 4 at most are tried. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly signal: AbortSignal
}

export type ConnectResult =
  | { readonly ok: true; readonly socket: Socket; readonly address: string }
  | { readonly ok: false; readonly failure: ConnectFailure }

/** The network as one check sees it: budgets are the check's own (DNS queries, connections, requests), and all it opened closes with it. */
export interface CheckNetwork {
  readonly resolver: Resolver
  /** Why the address may not be dialled (`private_use`, `loopback`, ...), or null. */
  refuse(address: string): string | null
  /** TCP by happy eyeballs (RFC 8305) within the connect limit. Never rejects. */
  connect(request: ConnectRequest): Promise<ConnectResult>
}

/** How TCP is really dialled; tests and the lab put a mapping of public addresses to loopback ports here. */
export type Dial = (address: string, port: number) => Socket

export interface CheckScope {
  readonly signal: AbortSignal
  /** On the monotonic clock (`performance.now()`), in milliseconds. */
  readonly deadline: number
}

export interface Network {
  open(scope: CheckScope): CheckNetwork
  close(): Promise<void>
}
