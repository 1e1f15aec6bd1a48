// Every reason why port 443 of the target does not offer valid TLS: all that apply, not only the first.
import {
  forbidsServers,
  hasExpired,
  hasWeakKey,
  isNotYetValid,
  isWeaklySigned,
  type Target,
} from '../../src/engine/plugin.ts'
import { namesTarget } from './host_name.ts'
import { isRevoked } from './revocation.ts'
import type { Certificate, Tls } from './tls.ts'

/** All reasons, in the order in which they are reported. */
export const reasons = [
  'no_tls',
  'handshake_failed',
  'unreadable_certificate',
  'expired',
  'not_yet_valid',
  'wrong_host',
  'revoked',
  'self_signed',
  'untrusted_root',
  'incomplete_chain',
  'bad_signature',
  'chain_expired',
  'chain_not_yet_valid',
  'invalid_ca',
  'invalid_purpose',
  'path_too_long',
  'malformed_extension',
  'path_rejected',
  'weak_key',
  'weak_signature',
] as const

export type Reason = (typeof reasons)[number]

/** Used where OpenSSL reported no error because it did not verify. */
const notJudged = 'NOT_JUDGED'

const errors: Readonly<Record<Tls['path_errors'][number], Reason>> = {
  invalid_ca: 'invalid_ca',
  path_too_long: 'path_too_long',
  malformed_extension: 'malformed_extension',
  name_constraints: 'path_rejected',
  unknown_critical_extension: 'path_rejected',
  bad_signature: 'bad_signature',
}

/**
 * The reasons behind each OpenSSL error about a path that could not be followed completely. If the facts show none of them,
 * the first is used.
 */
const complaints: Readonly<Record<string, readonly [Reason, ...Reason[]]>> = {
  CERT_HAS_EXPIRED: ['chain_expired', 'expired'],
  CERT_NOT_YET_VALID: ['chain_not_yet_valid', 'not_yet_valid'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['self_signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['untrusted_root'],
  UNABLE_TO_GET_ISSUER_CERT: ['untrusted_root', 'incomplete_chain'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['untrusted_root', 'incomplete_chain'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['untrusted_root', 'incomplete_chain', 'self_signed'],
  CERT_SIGNATURE_FAILURE: ['bad_signature'],
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: ['bad_signature'],
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: ['bad_signature'],
  INVALID_CA: ['invalid_ca'],
  PATH_LENGTH_EXCEEDED: ['path_too_long'],
  CERT_CHAIN_TOO_LONG: ['path_too_long'],
}

/** Errors for which the facts of a complete path may hold no reason: key usages, policies, digests below its security level. */
const unseen: Readonly<Record<string, readonly [Reason, ...Reason[]]>> = {
  INVALID_PURPOSE: ['invalid_purpose', 'invalid_ca'],
  UNSPECIFIED: ['path_rejected', 'malformed_extension', 'weak_key', 'weak_signature'],
  [notJudged]: ['path_rejected'],
}

/** Whole seconds, as in certificates. */
export const seconds = (moment: Date | string): number => Math.floor(new Date(moment).getTime() / 1000)

/** Where neither the leaf nor a known intermediate says that a public authority issued it, its root is unknown. */
function trustReason({ chain, missing_intermediate }: Tls): Reason {
  if (chain[0]?.self_signed) return 'self_signed'
  return missing_intermediate && !chain.at(-1)?.self_signed ? 'incomplete_chain' : 'untrusted_root'
}

/**
 * Faults of the path besides those of the leaf. Above the leaf of an untrusted path nothing is judged: a server must not gain
 * when it leaves these certificates out.
 */
function pathReasons(tls: Tls, now: Date): Reason[] {
  const { anchored, chain, root, path_errors } = tls
  if (anchored !== true) {
    const isForged = path_errors.includes('bad_signature')
    return anchored === null ? [] : [isForged ? 'bad_signature' : trustReason(tls)]
  }
  const above = [...chain.slice(1), ...(root ? [root] : [])]
  const checks: (Reason | false)[] = [
    above.some(certificate => hasExpired(certificate, now)) && 'chain_expired',
    above.some(certificate => isNotYetValid(certificate, now)) && 'chain_not_yet_valid',
    ...path_errors.map(error => errors[error]),
    chain.slice(1).some(forbidsServers) && 'invalid_purpose',
  ]
  return checks.filter(reason => reason !== false)
}

/** The leaf, and the other certificates of a trusted path. */
function leafReasons(tls: Tls, leaf: Certificate, target: Target, now: Date): Reason[] {
  const certificates = tls.anchored === true ? tls.chain : [leaf]
  const checks: (Reason | false)[] = [
    hasExpired(leaf, now) && 'expired',
    isNotYetValid(leaf, now) && 'not_yet_valid',
    !namesTarget(leaf, target) && 'wrong_host',
    certificates.some(hasWeakKey) && 'weak_key',
    certificates.some(isWeaklySigned) && 'weak_signature',
    tls.verify_error !== null && forbidsServers(leaf) && 'invalid_purpose',
  ]
  return checks.filter(reason => reason !== false)
}

/** OpenSSL's error, where the facts do not decide. Of several paths it may have judged another one. */
function complaintReason({ anchored, verify_error, paths }: Tls, reasons: ReadonlySet<Reason>): Reason | null {
  if (verify_error === null || anchored === false) return null
  if (anchored === true && (paths > 1 || verify_error === notJudged)) return null
  const isDecided = anchored === true && verify_error in complaints
  const explanations = complaints[verify_error] ?? unseen[verify_error] ?? (['path_rejected'] as const)
  return isDecided || explanations.some(reason => reasons.has(reason)) ? null : explanations[0]
}

/** In the order of `reasons`; empty if the target has valid TLS. */
export function findReasons(tls: Tls, target: Target, now: Date): Reason[] {
  if (tls.status !== 'handshake') return [isWithoutTls(tls) ? 'no_tls' : 'handshake_failed']
  const [leaf] = tls.chain
  if (leaf === undefined) return ['unreadable_certificate']
  const reasonSet = new Set(leafReasons(tls, leaf, target, now))
  if (isRevoked(tls, now)) reasonSet.add('revoked')
  if (tls.verify_error !== null) for (const reason of pathReasons(tls, now)) reasonSet.add(reason)
  const complaint = complaintReason(tls, reasonSet)
  if (complaint !== null) reasonSet.add(complaint)
  return reasons.filter(reason => reasonSet.has(reason))
}

/** Nothing listens on the port, or the service does not speak TLS. A failed handshake still counts as TLS. */
function isWithoutTls(tls: Tls): boolean {
  return tls.status === 'refused' || tls.failure === 'not_tls'
}
