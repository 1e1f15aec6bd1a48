// What a DMARC record asks receivers to do with forged mail (RFC 9989 sections 4.7 and 4.10.1), and how far that goes.
import type { Evidence } from '../../src/engine/plugin.ts'
import { type DmarcPolicy, type DmarcRecord, isTesting, policyTag } from './dmarc_tags.ts'
import type { Fault } from './faults.ts'

type Reports = Evidence['mail_records']['dmarc']['reports']

export interface Policies {
  readonly p: DmarcPolicy
  readonly sp: DmarcPolicy
  readonly np: DmarcPolicy
  /** The record lacks a valid `p`, or `sp` or `np` is invalid: they count as `none` because reports are wanted. */
  readonly defaulted: boolean
}

/** Null where a tag is no policy and no reports are wanted: then DMARC is off (section 4.10.1). */
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

/** What applies to a name: `p` where the record is its own, else `sp`; in test mode one step less. */
export function effectivePolicy(policies: Policies, isOwn: boolean, isTest: boolean): DmarcPolicy {
  const stated = isOwn ? policies.p : policies.sp
  if (!isTest) return stated
  return stated === 'reject' ? 'quarantine' : 'none'
}

export function policyFaults(domain: string, record: DmarcRecord, policies: Policies, effective: DmarcPolicy): Fault[] {
  const faults: Fault[] = []
  if (policies.defaulted) {
    const message = 'The DMARC record lacks a policy or holds an invalid one, which counts as none.'
    faults.push({ code: 'dmarc_invalid_policy', message })
  }
  if (isTesting(record)) {
    const message = 'The DMARC policy is in test mode: receivers apply one step less than it says.'
    faults.push({ code: 'dmarc_testing', message })
  }
  if (effective === 'none') {
    const message = `The DMARC policy does not keep mail that forges ${domain} from being delivered.`
    faults.push({ code: 'dmarc_policy_none', message })
  } else if (policies.sp === 'none' || policies.np === 'none') {
    const message = 'The DMARC policy protects the name itself but not all names below it.'
    faults.push({ code: 'dmarc_subdomains_unprotected', message })
  }
  return faults
}
