// The HTTP connections to one site, by origin: opened on demand, reused while the server keeps them open.

import { X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { bareHost } from '../targets/url.ts'
import { capOctets, type OctetCap } from './connection.ts'
import { hostAddresses } from './host_addresses.ts'
import type { HttpSession, Opening } from './http.ts'
import { openHttp1Session } from './http1_session.ts'
import { openHttp2Session } from './http2_session.ts'
import type { Limits } from './limits.ts'
import type { CheckNetwork } from './network.ts'
import { connectSecurely, HTTP_PROTOCOLS, HTTP1, HTTP2, type SecureRequest, type TlsResumption } from './tls.ts'

export interface SessionOptions {
  readonly signal: AbortSignal
  readonly extra_roots?: string | undefined
  /** Rejects certificates that do not verify for the host. */
  readonly verify_certificate?: boolean | undefined
  /** For services alone: the session of a site would hide its certificate. */
  readonly resume?: TlsResumption
  /** Protocols to offer; HTTP/2 and HTTP/1.1 when absent. */
  readonly protocols?: readonly string[] | undefined
  /** Known, vetted addresses of one host. */
  readonly knownHost?: { readonly host: string; readonly addresses: readonly string[] }
}

/** `failure`: as `ConnectFailure`, `not_found`, `dns_<failure>`, `tls`, `certificate` or `alpn`. */
export type OpenedSession =
  | { readonly ok: true; readonly session: HttpSession; readonly reused: boolean }
  | { readonly ok: false; readonly failure: string }

export interface Sessions {
  /** Returns a connection to the URL's origin. Never rejects. */
  open(url: URL): Promise<OpenedSession>
  /** Takes over an open connection to an origin. */
  adopt(origin: string, session: HttpSession): void
  close(): void
}

export function createSessions(network: CheckNetwork, options: SessionOptions): Sessions {
  const { knownHost, signal, protocols = HTTP_PROTOCOLS } = options
  /** By origin, the newest last: an earlier one may still carry responses. */
  const sessions = new Map<string, HttpSession[]>()
  const opening = new Map<string, Promise<OpenedSession>>()
  const keep = (origin: string, session: HttpSession) =>
    void sessions.set(origin, [...(sessions.get(origin) ?? []), session])

  async function connect(url: URL, alpn: readonly string[]): Promise<OpenedSession> {
    const resolution =
      knownHost && bareHost(url.hostname) === bareHost(knownHost.host)
        ? ({ ok: true, addresses: knownHost.addresses } as const)
        : await hostAddresses(network, url.hostname, signal)
    if (!resolution.ok) return resolution
    const outcome = await connectTo(network, url, { addresses: resolution.addresses, alpn, ...options })
    if (outcome.ok) keep(url.origin, outcome.session)
    return outcome
  }

  return {
    async open(url) {
      const { origin } = url
      const openSession = sessions.get(origin)?.at(-1)
      const isRefused = openSession?.prefersHttp1() ?? false
      if (openSession?.reusable() && !isRefused) return { ok: true, session: openSession, reused: true }
      const pendingSession = opening.get(origin)
      const sharedSession = pendingSession ? await pendingSession : null
      if (sharedSession?.ok && sharedSession.session.isParallel()) return { ...sharedSession, reused: true }
      const session = connect(url, isRefused ? [HTTP1] : protocols)
      opening.set(origin, session)
      const outcome = await session
      if (opening.get(origin) === session) opening.delete(origin)
      return outcome
    },
    adopt: keep,
    close() {
      for (const session of [...sessions.values()].flat()) session.close()
      sessions.clear()
    },
  }
}

/** Opens a connection to one of the addresses. Never rejects. */
export async function connectTo(
  network: CheckNetwork,
  url: URL,
  options: SessionOptions & Pick<SecureRequest, 'addresses' | 'alpn'>,
): Promise<OpenedSession> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (url.protocol === 'http:') {
    const plain = await network.connect({ port, ...options })
    return plain.ok ? sessionOn(plain, network.limits) : plain
  }
  const secure = await connectSecurely(network, { port, host: url.hostname, ...options })
  if (secure.status === 'certificate_required') return { ok: false, failure: 'tls' }
  if (secure.status === 'failed') return { ok: false, failure: isOutOfTime(secure.failure) ? secure.failure : 'tls' }
  if (secure.status === 'unconnected') return { ok: false, failure: secure.failure }
  const fault = peerFault(secure.socket, bareHost(url.hostname), options.verify_certificate === true)
  if (fault === null) return sessionOn(secure, network.limits)
  secure.socket.destroy()
  return { ok: false, failure: fault }
}

/** The time of the request or the check was up: nothing is known about the server's TLS. */
const isOutOfTime = (failure: string) => failure === 'timeout' || failure === 'cancelled'

const sessionOn = (connection: OpenConnection, limits: Limits): OpenedSession => ({
  ok: true,
  session: openHttpSession(connection, limits),
  reused: false,
})

/** Why the TLS connection cannot be used: a protocol that is not HTTP, or the certificate. */
function peerFault(socket: TLSSocket, host: string, verify: boolean): string | null {
  if (!speaksHttp(socket)) return 'alpn'
  if (!verify) return null
  // Node has no certificate of a resumed session; only sessions with a verified certificate are resumed.
  return socket.authorized && (socket.isSessionReused() || matchesHost(socket.getPeerCertificate().raw, host))
    ? null
    : 'certificate'
}

/** Checks subjectAltName only (RFC 9525 section 6), never the common name. */
export function matchesHost(raw: Buffer, host: string): boolean {
  const certificate = new X509Certificate(raw)
  if (isIP(host)) return certificate.checkIP(host) !== undefined
  return certificate.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined
}

/**
 * Whether HTTP can be spoken on the connection. A server must select an offered protocol (RFC 7301 section 3.2); one that
 * selects none speaks HTTP/1.1.
 */
export const speaksHttp = ({ alpnProtocol }: TLSSocket): boolean =>
  !alpnProtocol || HTTP_PROTOCOLS.includes(alpnProtocol)

export interface OpenConnection {
  readonly socket: Socket
  readonly address: string
  /** The cap that has counted since TLS began; absent for plain HTTP. */
  readonly octets?: OctetCap
  /** When it was opened: part of the times of the first request. */
  readonly opening?: Opening | undefined
}

/** Takes over the connection. */
export function openHttpSession({ socket, address, opening, ...rest }: OpenConnection, limits: Limits): HttpSession {
  const octets = rest.octets ?? capOctets(socket, () => socket.destroy())
  return socket instanceof TLSSocket && socket.alpnProtocol === HTTP2
    ? openHttp2Session({ socket, address, octets, opening }, limits)
    : openHttp1Session({ socket, address, octets, opening }, limits)
}
