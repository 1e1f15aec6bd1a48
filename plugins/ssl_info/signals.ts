// What ssl_info notices, what it costs, and the sentences that say so.
import type { SignalDefinition, SignalFound, Target } from '../../src/engine/plugin.ts'
import { sharedWildcard } from './host_name.ts'
import type { Reason } from './reasons.ts'
import { daysLeft } from './section.ts'
import type { Certificate, Tls } from './tls.ts'

const transport = (weight: number, title: string): SignalDefinition => ({ weight, group: 'transport', title })

export const signals = {
  self_signed_certificate: transport(20, 'Certificate signed by itself'),
  untrusted_certificate: transport(20, 'Certificate without a path to a trusted root'),
  expired_certificate: transport(15, 'Certificate has expired'),
  certificate_name_mismatch: transport(15, 'Certificate is for another name'),
  not_yet_valid_certificate: transport(10, 'Certificate is not valid yet'),
  no_tls: transport(10, 'No TLS'),
  weak_certificate_key: transport(8, 'Certificate with a weak key'),
  weak_certificate_signature: transport(8, 'Certificate with a weak signature'),
  legacy_tls: transport(6, 'Protocol older than TLS 1.2'),
  tls_handshake_failed: transport(5, 'TLS handshake fails'),
  incomplete_certificate_chain: transport(4, 'Intermediate certificate is missing'),
  certificate_expires_soon: transport(1, 'Certificate expires soon'),
  shared_wildcard_certificate: transport(0, 'Certificate shared by all customers of a host'),
}

export type SignalId = keyof typeof signals
type Found = SignalFound<SignalId>

/** A sentence for each reason, and the signal that it raises; the first of several reasons speaks for its signal. */
const byReason: Readonly<Record<Reason, { readonly id: SignalId; readonly say: (host: string, tls: Tls) => string }>> =
  {
    no_tls: { id: 'no_tls', say: host => `${host} does not offer TLS on port 443.` },
    handshake_failed: {
      id: 'tls_handshake_failed',
      say: (host, tls) => `${host} answers on port 443, but no TLS connection comes of it (${tls.failure}).`,
    },
    unreadable_certificate: { id: 'untrusted_certificate', say: host => `The certificate of ${host} cannot be read.` },
    expired: {
      id: 'expired_certificate',
      say: (host, tls) => `The certificate of ${host} expired at ${tls.chain[0]?.not_after}.`,
    },
    not_yet_valid: {
      id: 'not_yet_valid_certificate',
      say: (host, tls) => `The certificate of ${host} becomes valid at ${tls.chain[0]?.not_before}.`,
    },
    wrong_host: { id: 'certificate_name_mismatch', say: host => `The certificate does not name ${host}.` },
    self_signed: { id: 'self_signed_certificate', say: host => `The certificate of ${host} is signed by itself.` },
    untrusted_root: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} leads to no root that is publicly trusted.`,
    },
    incomplete_chain: {
      id: 'incomplete_certificate_chain',
      say: host => `${host} sends its own certificate only, not the one that issued it.`,
    },
    bad_signature: { id: 'untrusted_certificate', say: host => `A signature on the certificates of ${host} is false.` },
    chain_expired: { id: 'expired_certificate', say: host => `A certificate that issued that of ${host} has expired.` },
    chain_not_yet_valid: {
      id: 'not_yet_valid_certificate',
      say: host => `A certificate that issued that of ${host} is not valid yet.`,
    },
    invalid_ca: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} was issued by one that is not an authority's.`,
    },
    invalid_purpose: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} is not made for TLS servers.`,
    },
    path_too_long: {
      id: 'untrusted_certificate',
      say: host => `The path from ${host} to a root is longer than allowed.`,
    },
    path_rejected: {
      id: 'untrusted_certificate',
      say: (host, tls) => `The path from ${host} to a root does not verify (${tls.verify_error}).`,
    },
    weak_key: { id: 'weak_certificate_key', say: host => `A key among the certificates of ${host} is too weak.` },
    weak_signature: {
      id: 'weak_certificate_signature',
      say: host => `A certificate of ${host} is signed with a broken hash function.`,
    },
  }

/** Visitors reach an address by its names, so a certificate that does not name the address itself is no fault there. */
const counts = (reason: Reason, target: Target) => !(reason === 'wrong_host' && target.kind === 'ip')

function reasonSignals(tls: Tls, reasons: readonly Reason[], target: Target, host: string): Found[] {
  const found = new Map<SignalId, Found & { readonly evidence: { readonly reasons: Reason[] } }>()
  for (const reason of reasons.filter(reason => counts(reason, target))) {
    const { id, say } = byReason[reason]
    const earlier = found.get(id)
    if (earlier) earlier.evidence.reasons.push(reason)
    else found.set(id, { id, detail: say(host, tls), evidence: { reasons: [reason] } })
  }
  return [...found.values()]
}

const legacyProtocols: readonly (string | null)[] = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1']

function legacySignals(tls: Tls, host: string): Found[] {
  if (!legacyProtocols.includes(tls.protocol)) return []
  const detail = `${host} agrees on ${tls.protocol} at best, which RFC 8996 has withdrawn.`
  return [{ id: 'legacy_tls', detail, evidence: { protocol: tls.protocol } }]
}

/** Short-lived certificates are renewed late by design: what is left must also be less than a third of their life. */
function expirySignals(leaf: Certificate, now: Date, warningDays: number): Found[] {
  const life = Date.parse(leaf.not_after) - Date.parse(leaf.not_before)
  const left = Date.parse(leaf.not_after) - now.getTime()
  const days = daysLeft(leaf, now)
  if (days < 0 || days >= warningDays || left * 3 >= life) return []
  const detail = `The certificate expires at ${leaf.not_after}, in ${days} ${days === 1 ? 'day' : 'days'}.`
  return [{ id: 'certificate_expires_soon', detail, evidence: { days_to_expire: days } }]
}

function sharedSignals(leaf: Certificate, target: Target): Found[] {
  const name = sharedWildcard(leaf, target)
  if (name === null) return []
  const detail = `${name} names every customer of the same host: the certificate tells nothing of this one.`
  return [{ id: 'shared_wildcard_certificate', detail, evidence: { name } }]
}

export function findSignals(
  tls: Tls,
  reasons: readonly Reason[],
  target: Target,
  now: Date,
  warningDays: number,
): Found[] {
  const host = target.domain ?? target.ip
  const [leaf] = tls.chain
  return [
    ...reasonSignals(tls, reasons, target, host),
    ...legacySignals(tls, host),
    ...(leaf ? expirySignals(leaf, now, warningDays) : []),
    ...(leaf ? sharedSignals(leaf, target) : []),
  ]
}
