// DMARC (RFC 9989): which record applies to the domain, which policy it requests, and whether receivers can apply it.
import { type Evidence, unseen } from '../../src/engine/plugin.ts'
import { effectivePolicy, policiesOf, policyFaults } from './dmarc_policy.ts'
import { alignment, type DmarcRecord, isTesting, tagFaults } from './dmarc_tags.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement, PartStatus } from './judgement.ts'
import { MAX_ENTRIES, quote } from './quoted.ts'
import { dmarc, type Section } from './schema.ts'
import { describeViolations } from './violations.ts'

type Dmarc = Evidence['mail_records']['dmarc']
type Reports = Dmarc['reports']

interface DmarcPart {
  readonly dmarc: Section['dmarc']
  readonly dmarc_record: string | null
}

const without = (status: PartStatus): DmarcPart => {
  const reports = status === 'unknown' ? null : []
  return {
    dmarc_record: null,
    dmarc: unseen(dmarc, { status, published: status, aggregate_reports: reports, failure_reports: reports }),
  }
}

/** Reasons why receivers ignore the domain's own records. */
function ownFaults({ steps: [own] }: Dmarc): DnsFault[] {
  if (own === undefined) return []
  if (own.count > 1) {
    const message = `${own.name} has ${own.count} DMARC records, so receivers ignore all of them.`
    return [{ code: 'multiple_dmarc_records', message, evidence: { records: own.texts } }]
  }
  if (own.record?.valid === false) {
    const fault = describeViolations(own.record.violations)
    const message = `Receivers ignore the DMARC record of ${own.name}: ${fault}.`
    return [{ code: 'dmarc_invalid_record', message, evidence: { records: own.texts } }]
  }
  const [lookalike] = own.lookalikes
  if (own.count > 0 || lookalike === undefined) return []
  return [{ code: 'dmarc_lookalike', message: `Receivers do not read ${quote(lookalike)} as a DMARC record.` }]
}

function reportFaults(reports: Reports): DnsFault[] {
  const faults = reports.flatMap(({ uri, scheme, host, authorized }): DnsFault[] => {
    if (scheme === null || (scheme === 'mailto' && host === null)) {
      const message = `${quote(uri)} is not a valid address for DMARC reports.`
      return [{ code: 'dmarc_invalid_report_address', message }]
    }
    if (authorized !== false) return []
    const message = `${host} does not accept DMARC reports for this domain, so ${quote(uri)} receives no reports.`
    return [{ code: 'dmarc_unauthorized_report_address', message, evidence: { host } }]
  })
  if (reports.some(({ tag }) => tag === 'rua')) return faults
  return [...faults, { code: 'dmarc_without_reports', message: 'The DMARC record does not request aggregate reports.' }]
}

function describe(at: string, record: DmarcRecord, reports: Reports): DmarcPart {
  const part = without('invalid')
  const addresses = (tag: string) => reports.filter(report => report.tag === tag).map(({ uri }) => uri)
  return {
    dmarc_record: record.text,
    dmarc: {
      ...part.dmarc,
      found_at: at,
      testing: isTesting(record),
      dkim_alignment: alignment(record, 'adkim'),
      spf_alignment: alignment(record, 'aspf'),
      aggregate_reports: addresses('rua').slice(0, MAX_ENTRIES),
      failure_reports: addresses('ruf').slice(0, MAX_ENTRIES),
    },
  }
}

function judgeRecord(
  domain: string,
  at: string,
  record: DmarcRecord,
  reports: Reports,
): Omit<PartJudgement<DmarcPart>, 'unknown'> {
  const part = describe(at, record, reports)
  const passedOver = [...tagFaults(record), ...reportFaults(reports)]
  const policies = policiesOf(record, reports)
  if (policies === null) {
    const message = 'The DMARC record has no valid policy and requests no reports, so receivers ignore it.'
    return { part, faults: [{ code: 'dmarc_without_policy', message }, ...passedOver] }
  }
  const effective = effectivePolicy(policies, at === domain, isTesting(record))
  const { p: policy, sp: subdomainPolicy, np: nonexistentPolicy } = policies
  const statedPolicies = {
    policy,
    subdomain_policy: subdomainPolicy,
    nonexistent_policy: nonexistentPolicy,
    effective_policy: effective,
  }
  return {
    part: { ...part, dmarc: { ...part.dmarc, ...statedPolicies, status: 'valid' } },
    faults: [...policyFaults(domain, record, policies, effective), ...passedOver],
  }
}

/** Judges the name's own records, whichever policy applies to it. */
function publishedStatus(
  domain: string,
  { steps: [own], applied }: Dmarc,
  status: PartStatus,
  faults: readonly DnsFault[],
): PartStatus {
  if (own === undefined || own.status === 'unknown') return 'unknown'
  if (faults.length > 0) return 'invalid'
  return applied === domain ? status : 'missing'
}

/** Judges the DMARC record that applies to the domain, its own or that of a name above it (RFC 9989). */
export function judgeDmarc(domain: string, evidence: Dmarc): PartJudgement<DmarcPart> {
  const { steps, applied, reports } = evidence
  const own = ownFaults(evidence)
  const finish = (part: DmarcPart, faults: readonly DnsFault[], unknownReason: string | null) => {
    const published = publishedStatus(domain, evidence, part.dmarc.status, own)
    return {
      part: { ...part, dmarc: { ...part.dmarc, published } },
      faults: [...own, ...faults],
      unknown: unknownReason,
    }
  }
  const record = steps.find(({ name }) => name === applied)?.record ?? null
  if (applied !== null && record !== null) {
    const { part, faults } = judgeRecord(domain, applied, record, reports)
    return finish(part, faults, null)
  }
  const unknownStep = steps.find(({ status }) => status === 'unknown')?.reason ?? null
  if (unknownStep !== null) return finish(without('unknown'), [], unknownStep)
  if (own.length > 0) return finish(without('invalid'), [], unknownStep)
  const message = `Neither ${domain} nor a name above it publishes a DMARC policy.`
  return finish(without('missing'), [{ code: 'missing_dmarc_record', message }], unknownStep)
}
