// A TLS connection to one of several addresses: the modern offer first, an old one when the answer smells of it.
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { seemsLegacy } from './connection_failure.ts'
import type { CheckNetwork, ConnectFailure } from './network.ts'
import type { OctetCap } from './octet_cap.ts'
import type { PeerInfo } from './peer_info.ts'
import { type Handshake, handshake } from './tls.ts'

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
