// TLS over a connected socket. Any certificate is accepted here: certificates are judged later, not enforced.
import { constants } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { capOctets, connectionFailure, type OctetCap, seemsLegacy } from './connection.ts'
import type { CheckNetwork, ConnectFailure } from './network.ts'

export interface HandshakeOptions {
  /** Sent as SNI unless it is an address (RFC 6066 section 3). */
  readonly host: string
  readonly offer: Offer
  readonly timeout_ms: number
  readonly signal: AbortSignal
  /** PEM: trust anchors besides the runtime's. */
  readonly extra_roots?: string | undefined
}

/** `modern` is TLS 1.2 and 1.3 as the runtime offers them, `legacy` everything OpenSSL still speaks. */
export type Offer = 'modern' | 'legacy'

export type Handshake =
  | {
      readonly ok: true
      readonly socket: TLSSocket
      /** Ends the connection when more comes than the handshake and what is foreseen after it. */
      readonly octets: OctetCap
      readonly client_certificate_requested: boolean
      /** As `getPeerCertificate(true)` gives it, when it has been read already. */
      readonly certificate: PeerCertificate | null
    }
  | {
      readonly ok: false
      readonly failure: string
      /** Not null when the server broke off because it demands a certificate of the client. */
      readonly shown: PeerInfo | null
    }

/** The offers' contexts: making one costs more than a handshake, and they hold no state of a connection. */
const contexts = new Map<string, SecureContext>()

function contextFor(offer: Offer, extraRoots: string | undefined): SecureContext {
  const key = `${offer} ${extraRoots ?? ''}`
  const context =
    contexts.get(key) ??
    createSecureContext({
      // A server could make us agree anew for ever; what it is for, client certificates after the request, we have none.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(offer === 'legacy' ? { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } : { minVersion: 'TLSv1.2' }),
      ...(extraRoots ? { ca: [...rootCertificates, extraRoots] } : {}),
    })
  contexts.set(key, context)
  return context
}

/** The name to send as SNI: none for addresses, and without the dot that ends an absolute name. */
export function serverName(host: string): string | null {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return isIP(name) ? null : name
}

/**
 * Takes the socket over. Never rejects: `failure` is `reset`, `closed`, `timeout`, `cancelled`, `not_tls`,
 * `alert:<name>` (RFC 8446 section 6.2), `weak_key`, `unsupported_protocol` or `protocol_error`; the socket is destroyed then.
 */
export function handshake(socket: Socket, options: HandshakeOptions): Promise<Handshake> {
  return new Promise(resolve => {
    let certificate: PeerCertificate | null = null
    const secured = connect({
      socket,
      secureContext: contextFor(options.offer, options.extra_roots),
      servername: serverName(options.host) ?? '',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
      // Where the path verified, Node has read all certificates for this; reading them again would cost as much as the handshake.
      checkServerIdentity: (_host, read) => {
        certificate = read
        return undefined
      },
    })
    const octets = capOctets(socket, () => secured.destroy())
    const settle = (failure: string | null, shown: PeerInfo | null = null) => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', cancel)
      secured.off('secureConnect', agreed).off('close', closed).off('error', failed)
      if (failure === null) {
        const client_certificate_requested = asksForCertificate(secured)
        return resolve({ ok: true, socket: secured, octets, client_certificate_requested, certificate })
      }
      secured.destroy()
      socket.destroy()
      resolve({ ok: false, failure, shown })
    }
    const agreed = () => settle(null)
    const closed = () => settle('closed')
    const failed = (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(error)
      settle(failure, peerInfoBeforeDemand(secured, failure))
    }
    const cancel = () => settle('cancelled')
    const timer = setTimeout(() => settle('timeout'), options.timeout_ms)
    secured.once('secureConnect', agreed).once('close', closed).once('error', failed)
    // An error after the handshake belongs to whoever uses the socket; one that nobody waits for must not end the process.
    secured.on('error', () => {})
    options.signal.addEventListener('abort', cancel, { once: true })
    if (options.signal.aborted) cancel()
  })
}

export interface SecureRequest {
  readonly addresses: readonly string[]
  readonly port: number
  /** As in the URL; sent as SNI when it is a name. */
  readonly host: string
  readonly signal: AbortSignal
  readonly extra_roots?: string | undefined
}

/** `refusal` when TCP did not come about, `failure` when TLS did not. */
export type SecureResult =
  | {
      readonly status: 'secure'
      readonly socket: TLSSocket
      readonly octets: OctetCap
      readonly address: string
      readonly only_legacy: boolean
      readonly client_certificate_requested: boolean
      /** When it has been read already. */
      readonly certificate: PeerCertificate | null
    }
  | { readonly status: 'failed'; readonly address: string; readonly failure: string }
  /** The server demands a certificate of the client and broke off. */
  | { readonly status: 'demanding'; readonly address: string; readonly shown: PeerInfo }
  | { readonly status: 'unconnected'; readonly failure: ConnectFailure }

/** Milliseconds for the second try: who answers with an alert is there and quick. */
const legacy_ms = 1_500

/** Never rejects. */
export async function connectSecurely(network: CheckNetwork, request: SecureRequest): Promise<SecureResult> {
  const connection = await network.connect(request)
  if (!connection.ok) return { status: 'unconnected', failure: connection.failure }
  const { socket, address } = connection
  const modern = await handshake(socket, { offer: 'modern', timeout_ms: network.limits.tls_ms, ...request })
  if (!modern.ok && !modern.shown && seemsLegacy(modern.failure)) {
    const legacy = await connectLegacy(network, { ...request, addresses: [address] })
    if (legacy) return legacy
  }
  return outcome(modern, address, false)
}

/** Null when that fails too: the first answer stands then. */
async function connectLegacy(network: CheckNetwork, request: SecureRequest): Promise<SecureResult | null> {
  const timeout_ms = Math.min(legacy_ms, network.limits.tls_ms)
  const ending = AbortSignal.any([request.signal, AbortSignal.timeout(timeout_ms)])
  const connection = await network.connect({ ...request, signal: ending })
  if (!connection.ok) return null
  const { socket, address } = connection
  const legacy = await handshake(socket, { ...request, signal: ending, offer: 'legacy', timeout_ms })
  return legacy.ok ? outcome(legacy, address, true) : null
}

function outcome(agreed: Handshake, address: string, only_legacy: boolean): SecureResult {
  if (!agreed.ok) {
    const { failure, shown } = agreed
    return shown ? { status: 'demanding', address, shown } : { status: 'failed', address, failure }
  }
  const { ok: _, ...secured } = agreed
  return { status: 'secure', address, only_legacy, ...secured }
}

export interface PeerInfo {
  readonly protocol: string | null
  readonly cipher: string | null
  readonly alpn: string | null
  /** The leaf, linked to its issuers as `getPeerCertificate(true)` does it; empty when there is none. */
  readonly certificate: Partial<PeerCertificate>
  /** OpenSSL's code for what is wrong with the path, `NOT_JUDGED` when the handshake ended before it was asked; null when nothing is. */
  readonly complaint: string | null
}

/** `certificate` is the socket's, when it has been read already. */
export const peerInfoOf = (socket: TLSSocket, certificate: PeerCertificate | null = null): PeerInfo => ({
  protocol: socket.getProtocol(),
  cipher: socket.getCipher()?.name ?? null,
  alpn: socket.alpnProtocol || null,
  certificate: certificate ?? socket.getPeerCertificate(true) ?? {},
  complaint: socket.authorized ? null : socket.authorizationError ? String(socket.authorizationError) : 'NOT_JUDGED',
})

/**
 * Whether the server sent a CertificateRequest: OpenSSL's client knows shared signature algorithms from that message
 * alone (RFC 8446 section 4.3.2). TLS 1.1 and older have no such list and are not told apart.
 */
export const asksForCertificate = (socket: TLSSocket): boolean => socket.getSharedSigalgs().length > 0

/** What servers say that will not go on without a certificate (RFC 5246 section 7.2.2). */
const demands: ReadonlySet<string> = new Set([
  'alert:handshake_failure',
  'alert:no_certificate',
  'alert:bad_certificate',
  'alert:certificate_unknown',
  'alert:access_denied',
  'alert:certificate_required',
])

/** Null unless the server has shown its certificate, asked for ours, and broke off for want of it. */
export function peerInfoBeforeDemand(socket: TLSSocket, failure: string): PeerInfo | null {
  if (!demands.has(failure) || !asksForCertificate(socket)) return null
  const shown = peerInfoOf(socket)
  return shown.certificate.raw === undefined ? null : shown
}
