// What port 443 of a situation's site says.
import { Unavailable } from '../../../../src/evidence/facts.ts'
import type { Certificate as SeenCertificate, Tls } from '../../../../src/evidence/tls/facts.ts'
import type { Target } from '../../../../src/targets/target.ts'
import { authority, certificate, tls, withoutTls } from '../../../plugins/ssl_info_judged.ts'
import type { Certificate, Situation } from './situation.ts'

type Variant = (leaf: SeenCertificate) => Partial<Tls>

const OLD = { not_before: '2025-09-01T00:00:00Z', not_after: '2025-12-01T00:00:00Z' }
const issued = (leaf: SeenCertificate) => ({ chain: [leaf, authority()] })

/** What the handshake shows beside, or instead of, that of a sound one. */
const variants: Readonly<Record<Exclude<Certificate, 'refused' | 'silent'>, Variant>> = {
  good: issued,
  new: leaf => issued({ ...leaf, not_before: '2026-11-19T00:00:00Z', not_after: '2027-02-17T00:00:00Z' }),
  expired: leaf => ({ ...issued({ ...leaf, ...OLD }), verify_error: 'CERT_HAS_EXPIRED' }),
  self_signed: leaf => ({
    chain: [{ ...leaf, self_signed: true, issuer: leaf.subject ?? leaf.issuer }],
    verify_error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    anchored: false,
  }),
  untrusted: leaf => ({ ...issued(leaf), verify_error: 'SELF_SIGNED_CERT_IN_CHAIN', anchored: false }),
  wrong_name: leaf => issued({ ...leaf, dns_names: ['server12.hosting.example'] }),
  incomplete: leaf => ({
    chain: [leaf],
    verify_error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    anchored: false,
    missing_intermediate: true,
  }),
  legacy: leaf => ({ ...issued(leaf), protocol: 'TLSv1', only_legacy: true }),
}

export function tlsOf({ certificate: kind = 'good', page }: Situation, target: Target, address: string): Tls {
  if (kind === 'silent' || page === 'silent') throw new Unavailable('connect_timeout')
  if (kind === 'refused' || page === 'refused') return { ...withoutTls('refused'), address: null }
  const names = target.domain === null ? [] : [target.domain, `www.${target.domain}`]
  const label = names[0] ?? 'appliance'
  const subject = { label, common_name: label, organization: null, country: null }
  const ip_addresses = target.domain === null ? [target.ip] : []
  const leaf = certificate({ subject, dns_names: names, ip_addresses })
  return tls({ address, server_name: target.domain, ...variants[kind](leaf) })
}
