// The policy that a DMARC record requests (RFC 9989 sections 4.7 and 4.10.1), and which names it protects.
import type { Evidence } from '../../src/engine/plugin.ts'
import { type DmarcPolicy, type DmarcRecord, isTesting, policyTag } from './dmarc_tags.ts'
import type { DnsFault } from './faults.ts'

type Reports = Evidence['mail_records']['dmarc']['reports']

/** The policies of a record. */
export interface Policies {
  readonly p: DmarcPolicy
  readonly sp: DmarcPolicy
  readonly np: DmarcPolicy
  /** `p` is missing or invalid, or `sp` or `np` is invalid. They count as `none` because reports are requested. */
  readonly defaulted: boolean
}

/** Null if a tag is invalid and no reports are requested: DMARC is then off (section 4.10.1). */
export function policiesOf(record: DmarcRecord, reports: Reports): Policies | null {
  const p = policyTag(record, 'p')
  const sp = policyTag(record, 'sp')
  const np = policyTag(record, 'np')
  if (p === null || p === 'invalid' || sp === 'invalid' || np === 'invalid') {
    const isReported = reports.some(({ tag, scheme }) => tag === 'rua' && scheme !== null)
    return isReported ? { p: 'none', sp: 'none', np: 'none', defaulted: true } : null
  }
  return { p, sp: sp ?? p, np: np ?? sp ?? p, defaulted: false }
}

/** The policy that applies to a name: `p` if the record is its own, otherwise `sp`; one step weaker in test mode. */
export function effectivePolicy(policies: Policies, isOwn: boolean, isTest: boolean): DmarcPolicy {
  const statedPolicy = isOwn ? policies.p : policies.sp
  if (!isTest) return statedPolicy
  return statedPolicy === 'reject' ? 'quarantine' : 'none'
}

/** What is wrong with the policy in effect. */
export function policyFaults(
  domain: string,
  record: DmarcRecord,
  policies: Policies,
  effective: DmarcPolicy,
): DnsFault[] {
  const faults: DnsFault[] = []
  if (policies.defaulted) {
    const message = 'The DMARC policy is missing or invalid, so receivers treat it as `none`.'
    faults.push({ code: 'dmarc_invalid_policy', message })
  }
  if (isTesting(record)) {
    const message = 'The DMARC policy is in test mode, so receivers apply the next weaker policy.'
    faults.push({ code: 'dmarc_testing', message })
  }
  if (effective === 'none') {
    const message = `Mail that forges ${domain} is still delivered: the DMARC policy does not stop it.`
    faults.push({ code: 'dmarc_policy_none', message })
  } else if (policies.sp === 'none' || policies.np === 'none') {
    const message = 'The DMARC policy protects the domain itself but not all of its subdomains.'
    faults.push({ code: 'dmarc_subdomains_unprotected', message })
  }
  return faults
}
