// The one way out: what a check may do on the network. Everything else in the project goes through this interface.
import type { Socket } from 'node:net'
import type { Exchange, Receive } from './http.ts'
import type { Limits } from './limits.ts'
import type { Resolver } from './resolver.ts'

/**
 * Why a connection did not come about. `timeout` and `unreachable` tell nothing of the target; `refused` and `reset` are
 * its answer; `denied` is the operator's word (`network.deny`), and nothing was sent.
 */
export type ConnectFailure =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'unreachable'
  | 'not_public'
  | 'denied'
  | 'too_many_connections'
  | 'cancelled'

export interface ConnectRequest {
  /** Addresses of one host, in order of preference; each is vetted again before it is dialled, 4 at most are tried. */
  readonly addresses: readonly string[]
  readonly port: number
  /** Gives the attempt up. The socket that came of it is the caller's, until the check ends. */
  readonly signal: AbortSignal
}

export type ConnectResult =
  | { readonly ok: true; readonly socket: Socket; readonly address: string }
  | { readonly ok: false; readonly failure: ConnectFailure }

export interface FetchRequest {
  readonly url: string
  /** Of the URL's host, where they are known already; else it is resolved. Vetted again before they are dialled. */
  readonly addresses?: readonly string[]
  readonly signal: AbortSignal
  /** Octets, on the wire and after decoding; what is over is cut and `truncated` says so. */
  readonly max_bytes: number
  /** Milliseconds for all of it, redirects included. */
  readonly timeout_ms: number
  /** Followed at most; each target is resolved and vetted anew. */
  readonly redirects: number
  /** Redirects lead to https or nowhere (`redirect_insecure`); what `url` itself says is the caller's choice. */
  readonly https_only?: boolean
  readonly accept?: string
  /** Header fields beside those every request has, such as conditions (RFC 9110 section 13). */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for a body, where it is larger than those of checks; the limit of checks when absent. */
  readonly body_ms?: number
  /** Is given bodies as they stream in; `body` is empty then. Asked at every response, also at those that redirect. */
  readonly receive?: Receive
  /** Refuses a certificate that does not verify for the name (RFC 8461 section 3.3, RFC 7480); a web page is fetched all the same. */
  readonly verify_certificate?: boolean
}

/** `failure`: as `ConnectFailure`, or `dns_<failure>`, `not_found` (NXDOMAIN, no address), `certificate`, `tls`, `protocol_error`, `redirect_*`, `too_many_requests`. */
export type Fetched =
  | { readonly ok: true; readonly exchanges: readonly Exchange[]; readonly body: Buffer }
  | { readonly ok: false; readonly exchanges: readonly Exchange[]; readonly failure: string }

/** The network as one check sees it: budgets are the check's own (DNS queries, connections, requests), and all it opened closes with it. */
export interface CheckNetwork {
  /** Those in force, as this installation lowered them. */
  readonly limits: Limits
  readonly resolver: Resolver
  /** Why the address may not be dialled (`private_use`, `loopback`, `denied`, ...), or null. */
  refuse(address: string): string | null
  /** Why no host of this name may be dialled (`denied`), or null. */
  refuseName(name: string): string | null
  /** TCP by happy eyeballs (RFC 8305) within the connect limit. Never rejects. */
  connect(request: ConnectRequest): Promise<ConnectResult>
  /** One small resource by the safe HTTP client. Never rejects. */
  fetch(request: FetchRequest): Promise<Fetched>
  /** Takes one HTTP request from the check's budget, if so many are left then (none need be); false when it does not. */
  takeRequest(leaving?: number): boolean
  /** Has fetches that would take what the journey to the page may still need wait until that is over. */
  yieldTo(journey: Promise<unknown>): void
}

/** How TCP is really dialled; tests and the lab put a mapping of public addresses to loopback ports here. */
export type Dial = (address: string, port: number) => Socket

export interface CheckScope {
  readonly signal: AbortSignal
  /** On the monotonic clock (`performance.now()`), in milliseconds. */
  readonly deadline: number
  /** Is given proofs of an instrument that the check must not end before. */
  proving?(proof: Promise<void>): void
}

export interface Network {
  open(scope: CheckScope): CheckNetwork
  close(): Promise<void>
}
