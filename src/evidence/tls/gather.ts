// Gathers the TLS handshake and the certificates on the target's port 443.

import type { CtLogs } from '../../knowledge/datasets/ct_logs.ts'
import type { ConnectFailure } from '../../network/network.ts'
import { OFFERS_POST_QUANTUM, peerInfoOf, type SecureResult, serverName } from '../../network/tls.ts'
import { connectError } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { SiteSetup } from '../site_session/session.ts'
import { describeCertificates } from './chain.ts'
import type { Tls } from './facts.ts'
import { describeKeyExchange } from './key_exchange.ts'
import { describeLeaf, nothingShown } from './leaf.ts'
import { nameLogs } from './sct.ts'
import { isPublicRoot, type TrustStore } from './trust_store.ts'

export interface TlsSetup extends SiteSetup {
  readonly trust: TrustStore
  /** Names of the logs of Certificate Transparency; null without a list. */
  readonly ct_logs?: () => CtLogs | null
}

/** Settles once the handshake is over; the page follows on the same connection. */
export default ({ sites, trust, ct_logs = () => null }: TlsSetup): Gatherer<Tls, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => {
      const sni = serverName(context.target.domain ?? context.target.ip)
      const secureResult = await site.secure()
      if (secureResult.status === 'unconnected')
        return { ...nothingAgreed, ...unreachable(secureResult.failure), server_name: sni }
      const { address } = secureResult
      if (secureResult.status === 'failed') {
        return { ...nothingAgreed, status: 'failed', failure: secureResult.failure, address, server_name: sni }
      }
      const peerInfo =
        secureResult.status === 'secure'
          ? peerInfoOf(secureResult.socket, secureResult.certificate, secureResult)
          : secureResult.peer_info
      const { certificate, complaint, sent, ephemeral_key, staple, ...parameters } = peerInfo
      const facts = await describeCertificates({ certificate, complaint, sent }, context.now, trust)
      const leaf = await describeLeaf({ certificate, sent, staple }, trust)
      const publicRoot = facts.root === null ? null : isPublicRoot(facts.root.fingerprint_sha256)
      const keyExchange = describeKeyExchange(ephemeral_key, OFFERS_POST_QUANTUM)
      return {
        status: 'handshake',
        address,
        server_name: sni,
        ...parameters,
        key_exchange: keyExchange,
        ...endOf(secureResult),
        ...facts,
        public_root: publicRoot,
        ...leaf,
        timestamps: leaf.timestamps && nameLogs(leaf.timestamps, ct_logs()),
      }
    })

/** A handshake that failed only for lack of a client certificate yields the same facts as a complete one. */
function endOf(secureResult: Extract<SecureResult, { status: 'secure' | 'certificate_required' }>) {
  if (secureResult.status === 'certificate_required') {
    return { failure: 'client_certificate_required', only_legacy: false, client_certificate_requested: true }
  }
  const { only_legacy, client_certificate_requested } = secureResult
  return { failure: null, only_legacy, client_certificate_requested }
}

const nothingAgreed = {
  address: null,
  protocol: null,
  cipher: null,
  alpn: null,
  key_exchange: null,
  only_legacy: false,
  client_certificate_requested: false,
  chain: [],
  chain_length: null,
  root: null,
  public_root: null,
  path_errors: [],
  paths: 0,
  beside: null,
  missing_intermediate: false,
  verify_error: null,
  anchored: null,
  ...nothingShown,
} as const

function unreachable(failure: ConnectFailure): Pick<Tls, 'status' | 'failure'> {
  if (failure === 'refused') return { status: 'refused', failure }
  if (failure === 'reset') return { status: 'failed', failure }
  throw connectError(failure)
}
