// The HTTP connections of one visit, by origin: opened when needed, used again while their servers keep them.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { bareHost, hostAddresses } from './host_addresses.ts'
import type { HttpSession } from './http.ts'
import { type Connected, openHttpSession } from './http_session.ts'
import type { Limits } from './limits.ts'
import type { CheckNetwork } from './network.ts'
import { connectSecurely } from './tls.ts'

export interface SessionOptions {
  readonly signal: AbortSignal
  readonly extra_roots?: string | undefined
  /** Refuses certificates that do not verify for the host. */
  readonly verify_certificate?: boolean | undefined
  /** Addresses of one host that are known already, vetted. */
  readonly known?: { readonly host: string; readonly addresses: readonly string[] }
}

/** `failure`: as `ConnectFailure`, `not_found`, `dns_<failure>`, `tls`, `certificate` or `alpn`. */
export type OpenedSession =
  | { readonly ok: true; readonly session: HttpSession; readonly reused: boolean }
  | { readonly ok: false; readonly failure: string }

export interface Sessions {
  /** A connection to the URL's origin. Never rejects. */
  open(url: URL): Promise<OpenedSession>
  /** Takes over a connection to an origin. */
  adopt(origin: string, session: HttpSession): void
  close(): void
}

export function createSessions(network: CheckNetwork, options: SessionOptions): Sessions {
  const sessions = new Map<string, HttpSession>()
  const { known, signal } = options
  return {
    async open(url) {
      const kept = sessions.get(url.origin)
      if (kept?.reusable()) return { ok: true, session: kept, reused: true }
      kept?.close()
      const found =
        known && bareHost(url.hostname) === bareHost(known.host)
          ? ({ ok: true, addresses: known.addresses } as const)
          : await hostAddresses(network, url.hostname, signal)
      if (!found.ok) return found
      const opened = await connectTo(network, url, found.addresses, options)
      if (opened.ok) sessions.set(url.origin, opened.session)
      return opened
    },
    adopt: (origin, session) => void sessions.set(origin, session),
    close() {
      for (const session of sessions.values()) session.close()
      sessions.clear()
    },
  }
}

async function connectTo(
  network: CheckNetwork,
  url: URL,
  addresses: readonly string[],
  options: SessionOptions,
): Promise<OpenedSession> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (url.protocol === 'http:') {
    const plain = await network.connect({ addresses, port, signal: options.signal })
    return plain.ok ? opened(plain, network.limits) : plain
  }
  const secure = await connectSecurely(network, { ...options, addresses, port, host: url.hostname })
  if (secure.status === 'demanding') return { ok: false, failure: 'tls' }
  if (secure.status === 'failed') return { ok: false, failure: isUnended(secure.failure) ? secure.failure : 'tls' }
  if (secure.status === 'unconnected') return { ok: false, failure: secure.failure }
  const refused = refusal(secure.socket, bareHost(url.hostname), options.verify_certificate === true)
  if (refused === null) return opened(secure, network.limits)
  secure.socket.destroy()
  return { ok: false, failure: refused }
}

/** Whether time was up, the request's own or the check's: nothing is known of the server's TLS then. */
const isUnended = (failure: string) => failure === 'timeout' || failure === 'cancelled'

const opened = (connection: Connected, limits: Limits): OpenedSession => ({
  ok: true,
  session: openHttpSession(connection, limits),
  reused: false,
})

/** A protocol that was not offered cannot be spoken (RFC 7301 section 3.2). */
function refusal(socket: TLSSocket, host: string, verify: boolean): string | null {
  if (socket.alpnProtocol && socket.alpnProtocol !== 'http/1.1') return 'alpn'
  return verify && !(socket.authorized && isNamed(socket, host)) ? 'certificate' : null
}

/** By subjectAltName alone (RFC 9525 section 6), never by the common name. */
function isNamed(socket: TLSSocket, host: string): boolean {
  const certificate = new X509Certificate(socket.getPeerCertificate().raw)
  if (isIP(host)) return certificate.checkIP(host) !== undefined
  return certificate.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined
}
