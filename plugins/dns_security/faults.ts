// Every fault of the section with its severity and signal. The sentence is written where the fault is found.
import { printable, type SignalFound } from '../../src/engine/plugin.ts'

import type { SignalId } from './signals.ts'

interface FaultDefinition {
  /** `error`: it does not work; `warning`: it works, but not as well as it should; `info`: worth knowing. */
  readonly severity: 'error' | 'warning' | 'info'
  readonly signal?: SignalId
  /** Share of the signal's weight. */
  readonly strength?: number
  /** Informational only if the name plays no part in mail: a subdomain without mail records, or a domain that declares it. */
  readonly mail_names_only?: true
}

/** All faults of the records, by code: the signal that each raises, and its severity as an issue. */
export const faults = {
  missing_mx_records: { severity: 'warning', signal: 'missing_mx_records', mail_names_only: true },
  implicit_mx: { severity: 'info' },
  null_mx_beside_others: { severity: 'error', signal: 'invalid_mx_records' },
  mx_is_address: { severity: 'error', signal: 'invalid_mx_records' },
  mx_without_address: { severity: 'error', signal: 'invalid_mx_records' },
  mx_not_public: { severity: 'error', signal: 'invalid_mx_records' },
  mx_is_alias: { severity: 'warning', signal: 'invalid_mx_records', strength: 0.5 },
  missing_spf_record: { severity: 'warning', signal: 'missing_spf_record', mail_names_only: true },
  spf_lookalike: { severity: 'warning' },
  multiple_spf_records: { severity: 'error', signal: 'invalid_spf_record' },
  spf_syntax_error: { severity: 'error', signal: 'invalid_spf_record' },
  spf_too_long: { severity: 'error', signal: 'invalid_spf_record' },
  spf_loop: { severity: 'error', signal: 'invalid_spf_record' },
  spf_missing_target: { severity: 'error', signal: 'invalid_spf_record' },
  spf_too_many_lookups: { severity: 'error', signal: 'invalid_spf_record' },
  spf_too_many_void_lookups: { severity: 'error', signal: 'invalid_spf_record' },
  spf_too_many_mx_hosts: { severity: 'error', signal: 'invalid_spf_record' },
  spf_allows_everyone: { severity: 'error', signal: 'permissive_spf_policy' },
  spf_policy_neutral: { severity: 'warning', signal: 'weak_spf_policy' },
  spf_not_a_name: { severity: 'warning' },
  spf_uses_ptr: { severity: 'warning' },
  spf_mechanism_as_modifier: { severity: 'warning' },
  spf_terms_after_all: { severity: 'warning' },
  spf_redirect_ignored: { severity: 'info' },
  missing_dkim_keys: { severity: 'info' },
  dkim_invalid_key: { severity: 'warning' },
  dkim_dangling_alias: { severity: 'warning' },
  dkim_short_key: { severity: 'info' },
  dkim_testing: { severity: 'info' },
  dkim_revoked_key: { severity: 'info' },
  missing_dmarc_record: { severity: 'warning', signal: 'missing_dmarc_record', mail_names_only: true },
  multiple_dmarc_records: { severity: 'error', signal: 'invalid_dmarc_record' },
  dmarc_invalid_record: { severity: 'error', signal: 'invalid_dmarc_record' },
  dmarc_lookalike: { severity: 'error', signal: 'invalid_dmarc_record' },
  dmarc_without_policy: { severity: 'error', signal: 'invalid_dmarc_record' },
  dmarc_invalid_policy: { severity: 'warning' },
  dmarc_policy_none: { severity: 'warning', signal: 'weak_dmarc_policy', mail_names_only: true },
  dmarc_subdomains_unprotected: { severity: 'warning' },
  dmarc_testing: { severity: 'info' },
  dmarc_invalid_tag: { severity: 'warning' },
  dmarc_obsolete_tag: { severity: 'info' },
  dmarc_without_reports: { severity: 'info' },
  dmarc_invalid_report_address: { severity: 'warning' },
  dmarc_unauthorized_report_address: { severity: 'warning' },
  multiple_mta_sts_records: { severity: 'error', signal: 'invalid_mta_sts_policy' },
  mta_sts_invalid_record: { severity: 'error', signal: 'invalid_mta_sts_policy' },
  mta_sts_ignored_field: { severity: 'warning' },
  mta_sts_policy_not_served: { severity: 'error', signal: 'invalid_mta_sts_policy' },
  mta_sts_invalid_policy: { severity: 'error', signal: 'invalid_mta_sts_policy' },
  mta_sts_mx_mismatch: { severity: 'error', signal: 'invalid_mta_sts_policy' },
  mta_sts_not_enforced: { severity: 'info' },
  missing_mta_sts: { severity: 'info' },
  invalid_tls_rpt_record: { severity: 'warning' },
  tls_rpt_ignored_tag: { severity: 'warning' },
  missing_tls_rpt: { severity: 'info' },
  invalid_bimi_record: { severity: 'warning' },
  bimi_ignored_tag: { severity: 'warning' },
  bimi_without_enforcement: { severity: 'warning' },
  bimi_logo_not_svg: { severity: 'warning' },
  dnssec_bogus: { severity: 'error', signal: 'dnssec_bogus' },
  dnssec_unsigned: { severity: 'info' },
  dnssec_unsigned_address: { severity: 'info' },
  dnssec_weak_algorithm: { severity: 'warning' },
  dnssec_weak_key: { severity: 'warning' },
  soa_invalid_times: { severity: 'warning' },
  soa_unusual_times: { severity: 'info' },
  https_record_mixed: { severity: 'warning' },
  https_record_unusable: { severity: 'warning' },
  https_record_other_addresses: { severity: 'warning' },
  https_record_leads_elsewhere: { severity: 'info' },
  caa_unknown_critical: { severity: 'warning' },
  caa_malformed_value: { severity: 'warning' },
  missing_caa_records: { severity: 'info' },
  single_name_server: { severity: 'warning' },
  name_servers_without_ipv6: { severity: 'info' },
  resolves_to_private_address: { severity: 'error', signal: 'resolves_to_private_address' },
  resolves_partly_to_private_address: { severity: 'warning', signal: 'resolves_to_private_address', strength: 0.5 },
  ip_not_in_dns_answers: { severity: 'warning', signal: 'ip_not_in_dns_answers' },
} as const satisfies Record<string, FaultDefinition>

export type FaultCode = keyof typeof faults

/** A fault that was found. */
export interface DnsFault {
  readonly code: FaultCode
  /** A sentence about this target. */
  readonly message: string
  /** Plain data that supports the sentence. */
  readonly evidence?: Readonly<Record<string, unknown>>
}

/** Maximum number of issues in a result. */
const ISSUES = 50

const definition = (code: FaultCode): FaultDefinition => faults[code]

const isSpared = (code: FaultCode, isMailName: boolean) => !isMailName && definition(code).mail_names_only === true

/** At most 50, errors first, otherwise in the order found. */
export function issuesOf(faults: readonly DnsFault[], isMailName: boolean) {
  const issues = faults.map(({ code, message }) => ({
    code: code as string,
    severity: isSpared(code, isMailName) ? 'info' : definition(code).severity,
    message: printable(message),
  }))
  const orderedIssues = (['error', 'warning', 'info'] as const).flatMap(severity =>
    issues.filter(issue => issue.severity === severity),
  )
  return orderedIssues.slice(0, ISSUES)
}

/** One signal for all faults that raise it, with the sentence of the most severe one. */
export function signalsOf(faults: readonly DnsFault[], isMailName: boolean): SignalFound<SignalId>[] {
  const costly = faults.filter(({ code }) => definition(code).signal !== undefined && !isSpared(code, isMailName))
  const strength = ({ code }: DnsFault) => definition(code).strength ?? 1
  const ids = new Set(costly.map(({ code }) => definition(code).signal as SignalId))
  return [...ids].flatMap(id => {
    const raising = costly.filter(({ code }) => definition(code).signal === id)
    const gravest = raising.reduce((a, b) => (strength(b) > strength(a) ? b : a))
    const codes = [...new Set(raising.map(({ code }) => code))]
    return [
      {
        id,
        strength: strength(gravest),
        detail: printable(gravest.message),
        evidence: { issues: codes, ...gravest.evidence },
      },
    ]
  })
}
