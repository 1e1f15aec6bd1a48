// Every reason why port 443 of the target does not offer valid TLS: all that apply, not only the first.
import type { Target } from '../../src/engine/plugin.ts'
import { namesTarget } from './host_name.ts'
import type { Certificate, Tls } from './tls.ts'

export const reasons = [
  'no_tls',
  'handshake_failed',
  'unreadable_certificate',
  'expired',
  'not_yet_valid',
  'wrong_host',
  'self_signed',
  'untrusted_root',
  'incomplete_chain',
  'bad_signature',
  'chain_expired',
  'chain_not_yet_valid',
  'invalid_ca',
  'invalid_purpose',
  'path_too_long',
  'path_rejected',
  'weak_key',
  'weak_signature',
] as const

export type Reason = (typeof reasons)[number]

/** Used where OpenSSL reported no error because it did not verify. */
const notJudged = 'NOT_JUDGED'

/**
 * The reasons behind each OpenSSL error. OpenSSL keeps only its last error, so the reasons are derived from the facts. If
 * none of them explains the error, the first reason in this table is used.
 */
const complaints: Readonly<Record<string, readonly [Reason, ...Reason[]]>> = {
  CERT_HAS_EXPIRED: ['chain_expired', 'expired'],
  CERT_NOT_YET_VALID: ['chain_not_yet_valid', 'not_yet_valid'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['self_signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['untrusted_root'],
  UNABLE_TO_GET_ISSUER_CERT: ['untrusted_root', 'incomplete_chain'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['untrusted_root', 'incomplete_chain'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['incomplete_chain', 'untrusted_root', 'self_signed'],
  CERT_SIGNATURE_FAILURE: ['bad_signature'],
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: ['bad_signature'],
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: ['bad_signature'],
  INVALID_CA: ['invalid_ca'],
  INVALID_PURPOSE: ['invalid_purpose', 'invalid_ca'],
  PATH_LENGTH_EXCEEDED: ['path_too_long'],
  CERT_CHAIN_TOO_LONG: ['path_too_long'],
  // Name constraints, unknown critical extensions, digests below its security level: Node has no error code for them.
  UNSPECIFIED: ['path_rejected', 'weak_key', 'weak_signature'],
  [notJudged]: ['path_rejected', 'self_signed', 'incomplete_chain', 'untrusted_root'],
}

const serverAuth = '1.3.6.1.5.5.7.3.1'
const weakHash = /^(md[245]|sha1)with|-sha1$/i
const weakCurves: readonly (string | null)[] = ['P-192']
/** Minimum RSA key size in bits (CA/Browser Forum Baseline Requirements section 6.1.5). */
const leastRsaBits = 2048

/** Whole seconds, as in certificates. The period includes both ends (RFC 5280 section 4.1.2.5). */
export const seconds = (moment: Date | string): number => Math.floor(new Date(moment).getTime() / 1000)
const isOver = (certificate: Certificate, now: Date) => seconds(now) > seconds(certificate.not_after)
const isToCome = (certificate: Certificate, now: Date) => seconds(now) < seconds(certificate.not_before)

function isWeakKey({ key }: Certificate): boolean {
  return key.kind === 'dsa' || weakCurves.includes(key.curve) || (key.bits !== null && key.bits < leastRsaBits)
}

/** The signature of a self-signed certificate proves nothing and is not checked. */
const isWeaklySigned = (certificate: Certificate) =>
  !certificate.self_signed && weakHash.test(certificate.signature_algorithm)

/** If only the leaf was sent, a missing intermediate and an unknown root cannot be told apart. */
function trustReason({ anchored, chain, chain_length, verify_error }: Tls): Reason | null {
  if (anchored !== false || complaints[verify_error ?? '']?.[0] === 'bad_signature') return null
  if (chain[0]?.self_signed) return 'self_signed'
  return chain_length === 1 ? 'incomplete_chain' : 'untrusted_root'
}

/** Faults above the leaf, or between it and a root. There are none if OpenSSL found a path. */
function pathReasons(tls: Tls, now: Date): Reason[] {
  const above = tls.chain.slice(1)
  const trust = trustReason(tls)
  const found: (Reason | false | null)[] = [
    trust,
    above.some(certificate => isOver(certificate, now)) && 'chain_expired',
    above.some(certificate => isToCome(certificate, now)) && 'chain_not_yet_valid',
    above.some(certificate => !certificate.is_ca && !certificate.self_signed) && 'invalid_ca',
    tls.chain.some(({ extended_key_usage: usages }) => usages !== null && !usages.includes(serverAuth)) &&
      'invalid_purpose',
  ]
  return found.filter(reason => reason !== null && reason !== false)
}

function certificateReasons(leaf: Certificate, chain: readonly Certificate[], target: Target, now: Date): Reason[] {
  const found: (Reason | false)[] = [
    isOver(leaf, now) && 'expired',
    isToCome(leaf, now) && 'not_yet_valid',
    !namesTarget(leaf, target) && 'wrong_host',
    chain.some(isWeakKey) && 'weak_key',
    chain.some(isWeaklySigned) && 'weak_signature',
  ]
  return found.filter(reason => reason !== false)
}

/** In the order of `reasons`; empty if the target has valid TLS. */
export function findReasons(tls: Tls, target: Target, now: Date): Reason[] {
  if (tls.status !== 'handshake') return [isWithoutTls(tls) ? 'no_tls' : 'handshake_failed']
  const [leaf] = tls.chain
  if (leaf === undefined) return ['unreadable_certificate']
  const found = new Set(certificateReasons(leaf, tls.chain, target, now))
  if (tls.verify_error !== null) {
    for (const reason of pathReasons(tls, now)) found.add(reason)
    const explanations = complaints[tls.verify_error] ?? ['path_rejected']
    const explained = isNeverJudged(tls) || explanations.some(reason => found.has(reason))
    if (!explained) found.add(explanations[0])
  }
  return reasons.filter(reason => found.has(reason))
}

/** The server closed the connection before OpenSSL verified. Valid signatures up to a root prove the same. */
const isNeverJudged = ({ verify_error, anchored }: Tls): boolean => verify_error === notJudged && anchored === true

/** Nothing listens on the port, or the service does not speak TLS. A failed handshake still counts as TLS. */
function isWithoutTls(tls: Tls): boolean {
  return tls.status === 'refused' || tls.failure === 'not_tls'
}
