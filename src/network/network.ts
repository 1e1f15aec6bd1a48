// What a check may do on the network. All of a check's I/O goes through this interface.
import type { Socket } from 'node:net'
import type { Guard } from './guard.ts'
import type { Exchange, Opening, Receive } from './http.ts'
import type { Limits } from './limits.ts'
import type { Resolver } from './resolver.ts'

/**
 * Why there is no connection. `timeout` and `unreachable` say nothing about the target; `refused` and `reset` are its
 * answer. `denied`: the operator forbids the address or name (`network.deny`); nothing was sent.
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
  /** Addresses of one host, in order of preference. Each is vetted again before it is dialled; at most 4 are tried. */
  readonly addresses: readonly string[]
  readonly port: number
  /** Cancels the attempt. An open socket belongs to the caller until the check ends. */
  readonly signal: AbortSignal
  /** The budget that the connection counts against; `site` when absent. */
  readonly purpose?: ConnectPurpose
}

/**
 * `site`: the target's site and services that checks query. `tls_offer`: handshakes that test what a server accepts.
 * `mail`: mail servers; only they are dialled on port 25. `name_servers`: the name servers of the zone, on port 53.
 * `rendered`: what a browser loads of a page.
 */
export type ConnectPurpose = 'site' | 'tls_offer' | 'mail' | 'name_servers' | 'rendered'

export type ConnectResult =
  | { readonly ok: true; readonly socket: Socket; readonly address: string; readonly opening: Opening }
  | { readonly ok: false; readonly failure: ConnectFailure }

export interface FetchRequest {
  readonly url: string
  /** Known addresses of the URL's host; resolved when absent. Vetted again before they are dialled. */
  readonly addresses?: readonly string[]
  readonly signal: AbortSignal
  /** Octets, on the wire and after decoding; a longer body is cut, and `truncated` says so. */
  readonly max_bytes: number
  /** Milliseconds for everything, redirects included. */
  readonly timeout_ms: number
  /** At most this many are followed; each target is resolved and vetted again. */
  readonly redirects: number
  /** Follows redirects to https only (else `redirect_insecure`). `url` itself may be http. */
  readonly https_only?: boolean
  readonly accept?: string
  /** Extra header fields, such as conditions (RFC 9110 section 13). */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for a large body; `limits.body_ms` when absent. */
  readonly body_ms?: number
  /** Receives bodies as they stream in; `body` is then empty. Called for every response, redirects included. */
  readonly receive?: Receive
  /** The budget that the request counts against; `services` when absent. */
  readonly purpose?: RequestPurpose
  /** A service that many checks query: its connection is kept for the next check. */
  readonly service?: boolean
  /** Rejects a certificate that does not verify for the name (RFC 8461 section 3.3, RFC 7480). Off for web pages. */
  readonly verify_certificate?: boolean
  /** Sent by POST over HTTP/1.1. Such a request is never repeated, because it may have had its effect. */
  readonly body?: string
  /** Milliseconds for the head of the response; `limits.headers_ms` when absent. */
  readonly headers_ms?: number
  /** Whether the exchanges have their times. */
  readonly timed?: boolean
  /** A port that the URL may have besides 80 and 443. */
  readonly port?: number
  /** Whether a redirect may lead to the host (else `redirect_to_undeclared`). */
  readonly reaches?: (host: string) => boolean
}

/**
 * The purpose of an HTTP request. Each purpose has its own budget, so that requests to services never limit what is
 * seen of the site, and the site's files never limit what is seen of its page.
 */
export type RequestPurpose = 'page' | 'files' | 'entrances' | 'services'

/**
 * `failure`: as `ConnectFailure`, or `dns_<failure>`, `not_found` (NXDOMAIN, no address), `certificate`, `tls`,
 * `protocol_error`, `redirect_*`, `too_many_requests`.
 */
export type FetchResult =
  | { readonly ok: true; readonly exchanges: readonly Exchange[]; readonly body: Buffer }
  | { readonly ok: false; readonly exchanges: readonly Exchange[]; readonly failure: string }

/**
 * The network of one check, with its own budgets (DNS queries, connections, requests). Everything it opens closes with
 * the check.
 */
export interface CheckNetwork {
  /** The effective limits: the defaults, as lowered by the configuration. */
  readonly limits: Limits
  /** When the check began, on the monotonic clock (`performance.now()`), in milliseconds. */
  readonly began: number
  readonly resolver: Resolver
  /** Why the address may not be dialled (`private_use`, `loopback`, `denied`, ...), or null. */
  refuse(address: string): string | null
  /** Why no host of this name may be dialled (`denied`), or null. */
  refuseName(name: string): string | null
  /**
   * Whether a public mail server has lately answered this process over the family of one of the addresses. Many networks
   * block port 25, so without this proof a mail server that does not answer cannot be blamed.
   */
  reachesMail(addresses: readonly string[]): boolean
  /** Opens TCP by Happy Eyeballs (RFC 8305) within the connect limit. Never rejects. */
  connect(request: ConnectRequest): Promise<ConnectResult>
  /** Fetches one small resource with the safe HTTP client. Never rejects. */
  fetch(request: FetchRequest): Promise<FetchResult>
  /** Takes one HTTP request from the budget of its purpose; false when none is left. */
  takeRequest(purpose: RequestPurpose): boolean
}

/** Opens a TCP socket. Tests and the lab map public addresses to loopback ports here. */
export type Dial = (address: string, port: number) => Socket

export interface CheckScope {
  readonly signal: AbortSignal
  /** Decides in place of the guard of the installation. */
  readonly guard?: Pick<Guard, 'refuse' | 'refuseName'>
  /** On the monotonic clock (`performance.now()`), in milliseconds. */
  readonly deadline: number
  /** Receives proofs of instruments that the check must wait for before it ends. */
  proving?(proof: Promise<void>): void
}

export interface Network {
  open(scope: CheckScope): CheckNetwork
  close(): Promise<void>
}
