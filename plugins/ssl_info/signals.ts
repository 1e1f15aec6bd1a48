// The signals of ssl_info, their weights and their sentences.
import {
  dateTime,
  printable,
  type Severity,
  type SignalDefinition,
  type SignalFound,
  type Target,
} from '../../src/engine/plugin.ts'
import type { Authorized } from './caa.ts'
import { sharedWildcard } from './host_name.ts'
import type { Reason } from './reasons.ts'
import { unmetDemand } from './revocation.ts'
import { daysLeft } from './section.ts'
import type { Certificate, Tls } from './tls.ts'

const transport = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'transport',
  severity,
  title,
})

export const signals = {
  revoked_certificate: transport(20, 'high', 'Certificate has been revoked'),
  self_signed_certificate: transport(20, 'high', 'Certificate is self-signed'),
  untrusted_certificate: transport(20, 'high', 'Certificate chain has no trusted root'),
  expired_certificate: transport(15, 'high', 'Certificate has expired'),
  certificate_name_mismatch: transport(15, 'high', 'Certificate does not match the host name'),
  not_yet_valid_certificate: transport(10, 'high', 'Certificate is not valid yet'),
  no_tls: transport(10, 'medium', 'No TLS'),
  weak_certificate_key: transport(8, 'medium', 'Certificate key is too weak'),
  weak_certificate_signature: transport(8, 'high', 'Certificate signature is too weak'),
  legacy_tls: transport(6, 'medium', 'TLS version is older than 1.2'),
  tls_handshake_failed: transport(5, 'medium', 'TLS handshake fails'),
  incomplete_certificate_chain: transport(4, 'low', 'Intermediate certificate is missing'),
  required_staple_missing: transport(2, 'medium', 'Required OCSP response is missing'),
  certificate_expires_soon: transport(1, 'low', 'Certificate expires soon'),
  issuer_not_in_caa: transport(0, 'info', 'CAA records do not name the issuer'),
  missing_certificate_timestamps: transport(0, 'info', 'No Certificate Transparency timestamps'),
  shared_wildcard_certificate: transport(
    0,
    'info',
    'Wildcard certificate is shared by all customers of a hosting platform',
  ),
}

export type SignalId = keyof typeof signals
type Found = SignalFound<SignalId>

/** The sentence and signal of each reason. If several reasons raise one signal, the first gives the sentence. */
const byReason: Readonly<Record<Reason, { readonly id: SignalId; readonly say: (host: string, tls: Tls) => string }>> =
  {
    no_tls: { id: 'no_tls', say: host => `${host} does not offer TLS on port 443.` },
    handshake_failed: {
      id: 'tls_handshake_failed',
      say: (host, tls) => `${host} answers on port 443, but the TLS handshake fails (${tls.failure}).`,
    },
    unreadable_certificate: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} cannot be parsed.`,
    },
    expired: {
      id: 'expired_certificate',
      say: (host, tls) => `The certificate of ${host} expired${on(tls.chain[0]?.not_after)}.`,
    },
    not_yet_valid: {
      id: 'not_yet_valid_certificate',
      say: (host, tls) => `The certificate of ${host} becomes valid${on(tls.chain[0]?.not_before)}.`,
    },
    wrong_host: { id: 'certificate_name_mismatch', say: host => `The certificate is not valid for ${host}.` },
    revoked: {
      id: 'revoked_certificate',
      say: (host, tls) => `The issuer revoked the certificate of ${host}${revocation(tls)}.`,
    },
    self_signed: { id: 'self_signed_certificate', say: host => `The certificate of ${host} is self-signed.` },
    untrusted_root: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} does not chain to a publicly trusted root.`,
    },
    incomplete_chain: {
      id: 'incomplete_certificate_chain',
      say: host => `${host} does not send the intermediate certificate that leads to its root.`,
    },
    bad_signature: {
      id: 'untrusted_certificate',
      say: host => `A signature in the certificate chain of ${host} is invalid.`,
    },
    chain_expired: {
      id: 'expired_certificate',
      say: host => `An issuer certificate in the chain of ${host} has expired.`,
    },
    chain_not_yet_valid: {
      id: 'not_yet_valid_certificate',
      say: host => `An issuer certificate in the chain of ${host} is not valid yet.`,
    },
    invalid_ca: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} was issued by a certificate that is not a CA certificate.`,
    },
    invalid_purpose: {
      id: 'untrusted_certificate',
      say: host => `The certificate of ${host} does not allow TLS server authentication.`,
    },
    path_too_long: {
      id: 'untrusted_certificate',
      say: host => `The certificate chain of ${host} exceeds the allowed path length.`,
    },
    malformed_extension: {
      id: 'untrusted_certificate',
      say: host => `A certificate in the chain of ${host} has a repeated or malformed extension.`,
    },
    path_rejected: {
      id: 'untrusted_certificate',
      say: (host, tls) =>
        `The certificate chain of ${host} cannot be verified (${[...tls.path_errors, tls.verify_error].filter(Boolean).join(', ')}).`,
    },
    weak_key: { id: 'weak_certificate_key', say: host => `A key in the certificate chain of ${host} is too weak.` },
    weak_signature: {
      id: 'weak_certificate_signature',
      say: host => `A certificate of ${host} is signed with a weak hash function.`,
    },
  }

const on = (at: string | null | undefined): string => (at ? ` on ${dateTime(at)}` : '')

const revocation = ({ staple }: Tls): string =>
  [on(staple?.revoked_at), ...(staple?.revocation_reason ? [`(${staple.revocation_reason})`] : [])].join(' ')

/** Visitors reach an IP address by its host names, so a certificate that does not name the address itself is not a fault. */
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
  const detail = `${host} supports at most ${tls.protocol}, which RFC 8996 deprecates.`
  return [{ id: 'legacy_tls', detail, evidence: { protocol: tls.protocol } }]
}

/** Short-lived certificates are renewed late by design, so less than a third of the lifetime must be left. */
function expirySignals(leaf: Certificate, now: Date, warningDays: number): Found[] {
  const life = Date.parse(leaf.not_after) - Date.parse(leaf.not_before)
  const left = Date.parse(leaf.not_after) - now.getTime()
  const days = daysLeft(leaf, now)
  if (days < 0 || days >= warningDays || left * 3 >= life) return []
  const detail = `The certificate expires${on(leaf.not_after)}, in ${days} ${days === 1 ? 'day' : 'days'}.`
  return [{ id: 'certificate_expires_soon', detail, evidence: { days_to_expire: days } }]
}

function sharedSignals(leaf: Certificate, target: Target): Found[] {
  const name = sharedWildcard(leaf, target)
  if (name === null) return []
  const detail = `${name} covers every customer of the hosting platform, so the certificate does not identify this site.`
  return [{ id: 'shared_wildcard_certificate', detail, evidence: { name } }]
}

function stapleSignals(tls: Tls, host: string, now: Date): Found[] {
  const why = unmetDemand(tls, now)
  if (why === null) return []
  const detail = `The certificate of ${host} demands a stapled OCSP response, but ${why}.`
  return [{ id: 'required_staple_missing', detail, evidence: { response: tls.staple?.response ?? null } }]
}

/** Browsers demand timestamps of public authorities only. Those in a TLS extension are not seen. */
function timestampSignals({ public_root, timestamps }: Tls, host: string): Found[] {
  if (public_root !== true || timestamps === null || timestamps.length > 0) return []
  const detail = `Neither the certificate of ${host} nor its OCSP response has timestamps of Certificate Transparency logs.`
  return [{ id: 'missing_certificate_timestamps', detail }]
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
    ...stapleSignals(tls, host, now),
    ...timestampSignals(tls, host),
    ...(leaf ? expirySignals(leaf, now, warningDays) : []),
    ...(leaf ? sharedSignals(leaf, target) : []),
  ]
}

/** Authorities named in a sentence. */
const namedAuthorities = 5

/** Authorities look at the records on the day they issue, so an older certificate is no fault. */
export function caaSignals(caa: Authorized | null, { chain: [leaf] }: Tls): Found[] {
  if (caa?.permits_issuer !== false || leaf === undefined) return []
  const issuer = leaf.issuer.organization ?? leaf.issuer.label
  const some = caa.allowed.slice(0, namedAuthorities).map(name => printable(name, 100))
  const more = caa.allowed.length > some.length ? ' and others' : ''
  const allowed = some.length === 0 ? 'allow no authority' : `allow ${some.join(', ')}${more}`
  const detail = `The CAA records of ${caa.found_at} ${allowed}, but ${issuer} issued the certificate, perhaps before they changed.`
  return [{ id: 'issuer_not_in_caa', detail, evidence: { issuer, allowed: some } }]
}
