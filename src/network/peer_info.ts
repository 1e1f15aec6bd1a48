// What a TLS server disclosed during the handshake, also when the handshake failed.
import type { PeerCertificate, TLSSocket } from 'node:tls'

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
