// TLS over a connected socket: a modern offer first, a legacy one if the server asks for it. Any certificate is
// accepted, because certificates are evidence here.
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
import type { Opening } from './http.ts'
import type { CheckNetwork, ConnectFailure } from './network.ts'
import { tapCertificates } from './sent_certificates.ts'

export interface HandshakeOptions {
  /** Sent as SNI unless it is an address (RFC 6066 section 3). */
  readonly host: string
  readonly offer: Offer
  readonly timeout_ms: number
  readonly signal: AbortSignal
  /** Extra trust anchors, PEM. */
  readonly extra_roots?: string | undefined
  readonly resume?: TlsResumption | undefined
  /** Application protocols offered, in order of preference; `HTTP_PROTOCOLS` when absent. */
  readonly alpn?: readonly string[] | undefined
  /** Asks the server for the OCSP response of its certificate (RFC 6066 section 8). */
  readonly request_staple?: boolean | undefined
  /** Whether `sent` is wanted of the certificates. */
  readonly see_certificates?: boolean | undefined
}

/** Where the session of a server is remembered, so that the next handshake is short (RFC 8446 section 2.2). */
export interface TlsResumption {
  /** Only for servers with a verified certificate: a resumed session is not verified again. */
  session(): Buffer | undefined
  remember(session: Buffer): void
}

export const HTTP2 = 'h2'
export const HTTP1 = 'http/1.1'

/** ALPN names (RFC 7301 section 6, RFC 9113 section 3.2). */
export const HTTP_PROTOCOLS: readonly string[] = [HTTP2, HTTP1]

/** `modern` is TLS 1.2 and 1.3 as Node offers them; `legacy` is everything OpenSSL still supports. */
export type Offer = 'modern' | 'legacy'

/** The OCSP response that the server sent; null if it sent none, undefined if it was not asked. */
export type Staple = Buffer | null | undefined

export type Handshake =
  | {
      readonly ok: true
      readonly socket: TLSSocket
      /** Closes the connection when the server sends more than the handshake and what `raise` expects after it. */
      readonly octets: OctetCap
      readonly client_certificate_requested: boolean
      /** The result of `getPeerCertificate(true)`, if Node has read it already. */
      readonly certificate: PeerCertificate | null
      readonly staple: Staple
      /** DER of all certificates in the order sent; null if they were not wanted or cannot be read. */
      readonly sent: readonly Buffer[] | null
    }
  | {
      readonly ok: false
      readonly failure: string
      /** Not null when the server broke off because it requires a client certificate. */
      readonly peer_info: PeerInfo | null
    }

/** One context per offer: creating one costs more than a handshake, and it holds no connection state. */
const contexts = new Map<string, SecureContext>()

function contextFor(offer: Offer, extraRoots: string | undefined): SecureContext {
  const key = `${offer} ${extraRoots ?? ''}`
  const context =
    contexts.get(key) ??
    createSecureContext({
      // A server could renegotiate without end. The purpose, client certificates requested late, does not apply to us.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(offer === 'legacy' ? { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } : { minVersion: 'TLSv1.2' }),
      ...(extraRoots ? { ca: [...rootCertificates, extraRoots] } : {}),
    })
  contexts.set(key, context)
  return context
}

/** `connect` documents this option; its types lack it. */
const stapleRequest = { requestOCSP: true }

/** The name to send as SNI, without a final dot; null for addresses. */
export function serverName(host: string): string | null {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return isIP(name) ? null : name
}

/**
 * Takes over the socket. Never rejects: `failure` is `reset`, `closed`, `timeout`, `cancelled`, `not_tls`,
 * `alert:<name>` (RFC 8446 section 6.2), `certificate_too_large`, `weak_key`, `unsupported_protocol` or `protocol_error`; the socket is then
 * destroyed.
 */
export function handshake(socket: Socket, options: HandshakeOptions): Promise<Handshake> {
  return new Promise(resolve => {
    let certificate: PeerCertificate | null = null
    let staple: Staple
    const tap = options.see_certificates ? tapCertificates(socket) : null
    const tlsSocket = connect({
      socket: tap?.stream ?? socket,
      secureContext: contextFor(options.offer, options.extra_roots),
      servername: serverName(options.host) ?? '',
      ALPNProtocols: [...(options.alpn ?? HTTP_PROTOCOLS)],
      rejectUnauthorized: false,
      ...(options.request_staple ? stapleRequest : {}),
      ...(options.resume ? { session: options.resume.session() } : {}),
      // For a verified path Node has read the certificates already; reading them again would cost as much as the
      // handshake.
      checkServerIdentity: (_host, peerCertificate) => {
        certificate = peerCertificate
        return undefined
      },
    })
    if (options.request_staple) {
      tlsSocket.once('OCSPResponse', (response: Buffer | null) => {
        staple = response ?? null
      })
    }
    if (options.resume) tlsSocket.on('session', session => options.resume?.remember(session))
    if (tap !== null) tlsSocket.on('keylog', line => tap.keylog(line))
    const octets = capOctets(socket, () => tlsSocket.destroy())
    const settle = (failure: string | null, peerInfo: PeerInfo | null = null) => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', cancel)
      tlsSocket.off('secureConnect', onComplete).off('close', onClose).off('error', onError)
      if (failure === null) {
        const clientCertificateRequested = requestsCertificate(tlsSocket)
        const sentChain = tap?.read() ?? null
        return resolve({
          ok: true,
          socket: tlsSocket,
          octets,
          client_certificate_requested: clientCertificateRequested,
          certificate,
          staple,
          sent: sentChain,
        })
      }
      tlsSocket.destroy()
      socket.destroy()
      resolve({ ok: false, failure, peer_info: peerInfo })
    }
    const onComplete = () => settle(null)
    const onClose = () => settle('closed')
    const onError = (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(error)
      const handshakeData = { staple, sent: tap?.read() ?? null }
      settle(failure, peerInfoIfCertificateRequired(tlsSocket, failure, handshakeData))
    }
    const cancel = () => settle('cancelled')
    const timer = setTimeout(() => settle('timeout'), options.timeout_ms)
    tlsSocket.once('secureConnect', onComplete).once('close', onClose).once('error', onError)
    // After the handshake the user of the socket handles errors; without a listener an error would end the process.
    tlsSocket.on('error', () => {})
    options.signal.addEventListener('abort', cancel, { once: true })
    if (options.signal.aborted) cancel()
  })
}

export interface SecureRequest {
  readonly addresses: readonly string[]
  readonly port: number
  /** As in the URL; sent as SNI when it is a name. */
  readonly host: string
  readonly alpn?: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly extra_roots?: string | undefined
  readonly resume?: TlsResumption | undefined
  readonly request_staple?: boolean | undefined
  readonly see_certificates?: boolean | undefined
}

/**
 * `unconnected`: TCP failed. `failed`: TLS failed. `certificate_required`: the server broke off without a client
 * certificate.
 */
export type SecureResult =
  | {
      readonly status: 'secure'
      readonly socket: TLSSocket
      readonly octets: OctetCap
      readonly address: string
      readonly opening: Opening
      readonly only_legacy: boolean
      readonly client_certificate_requested: boolean
      /** If Node has read it already. */
      readonly certificate: PeerCertificate | null
      readonly staple: Staple
      /** As in `Handshake`. */
      readonly sent: readonly Buffer[] | null
    }
  | { readonly status: 'failed'; readonly address: string; readonly failure: string }
  | { readonly status: 'certificate_required'; readonly address: string; readonly peer_info: PeerInfo }
  | { readonly status: 'unconnected'; readonly failure: ConnectFailure }

/** Milliseconds for the second try. It is short because the server has just answered the first. */
const LEGACY_MS = 1_500

/** Never rejects. */
export async function connectSecurely(network: CheckNetwork, request: SecureRequest): Promise<SecureResult> {
  const connection = await network.connect(request)
  if (!connection.ok) return { status: 'unconnected', failure: connection.failure }
  const { socket, address, opening } = connection
  const modern = await handshake(socket, { offer: 'modern', timeout_ms: network.limits.tls_ms, ...request })
  if (!modern.ok && !modern.peer_info && seemsLegacy(modern.failure)) {
    const legacy = await connectLegacy(network, { ...request, addresses: [address] }, opening)
    if (legacy) return legacy
  }
  return outcome(modern, { address, opening, only_legacy: false })
}

/** Null when the legacy offer fails too; the first failure then stands. */
async function connectLegacy(
  network: CheckNetwork,
  request: SecureRequest,
  opening: Opening,
): Promise<SecureResult | null> {
  const timeoutMs = Math.min(LEGACY_MS, network.limits.tls_ms)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
  const connection = await network.connect({ ...request, signal })
  if (!connection.ok) return null
  const { socket, address } = connection
  const legacy = await handshake(socket, { ...request, signal, offer: 'legacy', timeout_ms: timeoutMs })
  return legacy.ok ? outcome(legacy, { address, opening, only_legacy: true }) : null
}

type SecureOpening = Pick<Extract<SecureResult, { status: 'secure' }>, 'address' | 'opening' | 'only_legacy'>

function outcome(result: Handshake, { address, opening, only_legacy }: SecureOpening): SecureResult {
  if (!result.ok) {
    const { failure, peer_info } = result
    return peer_info ? { status: 'certificate_required', address, peer_info } : { status: 'failed', address, failure }
  }
  const { ok: _, ...rest } = result
  const securedAt = { ...opening, secured: performance.now() }
  return { status: 'secure', address, opening: securedAt, only_legacy, ...rest }
}

/** What a TLS server disclosed during the handshake, even a failed one. */
export interface PeerInfo {
  readonly protocol: string | null
  readonly cipher: string | null
  readonly alpn: string | null
  /** The leaf, linked to its issuers as in `getPeerCertificate(true)`; empty without a certificate. */
  readonly certificate: Partial<PeerCertificate>
  /** DER of all certificates in the order sent; null if they are not known. */
  readonly sent: readonly Buffer[] | null
  /**
   * OpenSSL's error code for the path, `NOT_JUDGED` when the handshake ended before verification; null for a valid
   * path.
   */
  readonly complaint: string | null
  /** The result of `getEphemeralKeyInfo()`. */
  readonly ephemeral_key: object | null
  readonly staple: Staple
}

/** OpenSSL offers groups with ML-KEM from version 3.5 on. */
export const OFFERS_POST_QUANTUM = isAtLeast(process.versions.openssl, 3, 5)

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number)
  return first > major || (first === major && second >= minor)
}

type ShownBeside = Pick<PeerInfo, 'staple' | 'sent'>

/** `certificate` is the socket's, if it has been read already. */
export const peerInfoOf = (
  socket: TLSSocket,
  certificate: PeerCertificate | null = null,
  { staple, sent }: ShownBeside = { staple: undefined, sent: null },
): PeerInfo => ({
  sent,
  protocol: socket.getProtocol(),
  cipher: socket.getCipher()?.name ?? null,
  alpn: socket.alpnProtocol || null,
  certificate: certificate ?? socket.getPeerCertificate(true) ?? {},
  complaint: socket.authorized ? null : socket.authorizationError ? String(socket.authorizationError) : 'NOT_JUDGED',
  ephemeral_key: socket.getEphemeralKeyInfo() ?? null,
  staple,
})

/**
 * Whether the server sent a CertificateRequest: only after that message does OpenSSL's client know the shared signature
 * algorithms (RFC 8446 section 4.3.2). TLS 1.1 and older have no such list, so the answer is false there.
 */
const requestsCertificate = (socket: TLSSocket): boolean => socket.getSharedSigalgs().length > 0

/** Alerts of servers that require a client certificate (RFC 5246 section 7.2.2). */
const CERTIFICATE_ALERTS: ReadonlySet<string> = new Set([
  'alert:handshake_failure',
  'alert:no_certificate',
  'alert:bad_certificate',
  'alert:certificate_unknown',
  'alert:access_denied',
  'alert:certificate_required',
])

/** Null unless the server sent its certificate, requested one, and broke off without it. */
function peerInfoIfCertificateRequired(socket: TLSSocket, failure: string, certificates: ShownBeside): PeerInfo | null {
  if (!CERTIFICATE_ALERTS.has(failure) || !requestsCertificate(socket)) return null
  const info = peerInfoOf(socket, null, certificates)
  return info.certificate.raw === undefined ? null : info
}
