// TLS over a connected socket: agreed with whatever certificate the server has, since it is judged and not enforced.
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
import { connectionFailure } from './connection_failure.ts'
import { capOctets, type OctetCap } from './octet_cap.ts'
import { asksForCertificate, type PeerInfo, peerInfoBeforeDemand } from './peer_info.ts'

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
