// Judges the facts about one mail server as senders would: certificate, DANE and MTA-STS.
import { type Evidence, isOurFailure, matchesStsPattern } from '../../src/engine/plugin.ts'

export type MailServer = Evidence['mail_servers']['servers'][number]
export type MailTls = NonNullable<MailServer['tls']>
type MailRecords = Evidence['mail_records']

/** Why a sender that verifies certificates rejects one. */
export const certificateReasons = ['unreadable', 'expired', 'not_yet_valid', 'wrong_host', 'untrusted'] as const
export type CertificateReason = (typeof certificateReasons)[number]

/** The reason why a sender that verifies certificates would reject it; null when its trust is unknown. */
export function certificateFaults(
  { certificate, names_host, anchored }: MailTls,
  now: Date,
): CertificateReason[] | null {
  if (certificate === null) return ['unreadable']
  const reasons = [
    ...dateFaults(certificate, now),
    ...(names_host === false ? (['wrong_host'] as const) : []),
    ...(anchored === false ? (['untrusted'] as const) : []),
  ]
  return reasons.length === 0 && (anchored === null || names_host === null) ? null : reasons
}

/** The period includes both ends (RFC 5280 section 4.1.2.5), in whole seconds. */
function dateFaults({ not_before, not_after }: NonNullable<MailTls['certificate']>, now: Date): CertificateReason[] {
  const second = Math.floor(now.getTime() / 1_000) * 1_000
  if (second > Date.parse(not_after)) return ['expired']
  return second < Date.parse(not_before) ? ['not_yet_valid'] : []
}

/** The handshake failed for a reason other than time. Null if unknown. */
function failsTls({ starttls, tls, tls_failure }: MailServer): boolean | null {
  if (starttls === null || tls_failure === 'timeout') return null
  return tls === null
}

/** What TLSA records say of a server (RFC 7672). */
export const daneStatuses = ['valid', 'mismatch', 'unsigned', 'unusable', 'none', 'unknown'] as const
export type DaneStatus = (typeof daneStatuses)[number]

const END_ENTITY = 3

/** RFC 7672 section 2.1 and 3.1: usable records make TLS mandatory, and one that matches is enough. */
export function daneStatus(server: MailServer, now: Date): DaneStatus {
  const { status, authenticated, records } = server.dane
  if (status === 'unknown') return 'unknown'
  if (records.length === 0) return 'none'
  if (!authenticated) return 'unsigned'
  if (!records.some(({ usable }) => usable)) return 'unusable'
  const fails = failsTls(server)
  if (fails === null || server.tls === null) return fails === null ? 'unknown' : 'mismatch'
  const { certificate, names_host } = server.tls
  // A record of an authority covers the name and the period; a record of the server's own certificate covers only its
  // key.
  const isCurrent = names_host === true && certificate !== null && dateFaults(certificate, now).length === 0
  return records.some(({ usage, matches }) => matches === true && (usage === END_ENTITY || isCurrent))
    ? 'valid'
    : 'mismatch'
}

/** Whether a server meets the MTA-STS policy (RFC 8461). */
export const stsStatuses = ['met', 'not_met', 'not_listed', 'none', 'unknown'] as const
export type StsStatus = (typeof stsStatuses)[number]

/** The policy that senders apply; null without a valid one. */
export function stsPolicyOf(mail: MailRecords): NonNullable<MailRecords['mta_sts']['policy']> | null {
  const { policy } = mail.mta_sts
  const applies = policy?.failure === null && policy.valid && policy.version === 'STSv1'
  return applies && (policy.mode === 'enforce' || policy.mode === 'testing') ? policy : null
}

/** RFC 8461 section 4. */
export function stsStatus(server: MailServer, mail: MailRecords | null, now: Date): StsStatus {
  if (mail === null || stsUnknown(mail) !== null) return 'unknown'
  const policy = stsPolicyOf(mail)
  if (policy === null) return 'none'
  if (!policy.mx.some(pattern => matchesStsPattern(pattern, server.exchange))) return 'not_listed'
  const fails = failsTls(server)
  if (fails === null || server.tls === null) return fails === null ? 'unknown' : 'not_met'
  const faults = certificateFaults(server.tls, now)
  if (faults === null) return 'unknown'
  return faults.length === 0 ? 'met' : 'not_met'
}

/** Why we could not fetch the record or the policy, or null. */
export function stsUnknown({ mta_sts: { record, policy } }: MailRecords): string | null {
  if (record.status === 'unknown') return record.reason
  return policy?.failure != null && isOurFailure(policy.failure) ? policy.failure : null
}

/** Whether reverse names lead back to the address. */
export const reverseStatuses = ['confirmed', 'unconfirmed', 'none', 'unknown'] as const

/** Whether a reverse name leads back to the address (RFC 8499: forward-confirmed). */
export function reverseStatus({ reverse }: MailServer): (typeof reverseStatuses)[number] {
  if (reverse === null) return 'unknown'
  if (reverse.total === 0) return 'none'
  if (reverse.names.some(({ confirmed }) => confirmed === true)) return 'confirmed'
  return reverse.names.some(({ confirmed }) => confirmed === null) ? 'unknown' : 'unconfirmed'
}
