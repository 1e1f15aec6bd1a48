// MTA-STS (RFC 8461): whether a policy exists, senders can use it, and it lists the mail servers.
import { type Evidence, matchesStsPattern, unseen } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement, PartStatus } from './judgement.ts'
import { MAX_ENTRIES, quote } from './quoted.ts'
import { mtaSts, type Section } from './schema.ts'
import { describeViolations } from './violations.ts'

type Mail = Evidence['mail_records']
type MtaStsPolicy = NonNullable<Mail['mta_sts']['policy']>
type Mode = NonNullable<Section['mta_sts']['mode']>

/** Maximum max_age in seconds, about a year (RFC 8461 section 3.2). */
const MAX_AGE = 31_557_600
const modes = ['enforce', 'testing', 'none'] as const

/** Failures of our own network, which say nothing about the server. */
const ours = new Set(['denied', 'timeout', 'unreachable', 'cancelled', 'too_many_connections', 'too_many_requests'])
const isOurs = (failure: string) => ours.has(failure) || failure.startsWith('dns_')

const without = (status: PartStatus): Section['mta_sts'] =>
  unseen(mtaSts, {
    status,
    effective_mode: status === 'unknown' ? null : 'none',
    mx: status === 'unknown' ? null : [],
  })

/** A name, or `*.` and a name (RFC 8461 section 3.2). */
const isPattern = (pattern: string): boolean =>
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{1,63}\.?$/i.test(pattern)

function policyComplaints({ version, mode, max_age, mx, content_type, violations, valid }: MtaStsPolicy): string[] {
  const age = max_age !== null && /^\d{1,10}$/.test(max_age) ? Number(max_age) : null
  const complaints: readonly (readonly [boolean, string])[] = [
    [version !== 'STSv1', 'does not start with version STSv1'],
    [!modes.some(one => one === mode), 'has no valid mode'],
    [age === null || age > MAX_AGE, 'has no valid max_age'],
    [!valid, `cannot be parsed: ${describeViolations(violations)}`],
    [mode !== 'none' && mx.length === 0, 'lists no mail server'],
    [!mx.every(isPattern), `lists ${quote(mx.find(pattern => !isPattern(pattern)) ?? '')}, which is not a host name`],
    [content_type !== 'text/plain', 'is not served as text/plain'],
  ]
  return complaints.flatMap(([applies, complaint]) => (applies ? [complaint] : []))
}

function modeFaults({ mode, mx }: MtaStsPolicy, hosts: Mail['mx']['hosts']): DnsFault[] {
  const strangers = hosts
    .map(({ exchange }) => exchange)
    .filter(host => host !== '' && !mx.some(pattern => matchesStsPattern(pattern, host)))
  const faults: DnsFault[] = []
  if (mode !== 'none' && strangers.length > 0) {
    // In mode `testing` senders deliver as if there were no policy (RFC 8461 section 5).
    const consequence =
      mode === 'enforce' ? 'so senders do not use it' : 'so senders will not use it once the policy is enforced'
    const message = `The MTA-STS policy does not list the mail server ${quote(strangers[0] ?? '')}, ${consequence}.`
    faults.push({ code: 'mta_sts_mx_mismatch', message, evidence: { hosts: strangers.slice(0, MAX_ENTRIES) } })
  }
  if (mode === 'enforce') return faults
  return [...faults, { code: 'mta_sts_not_enforced', message: `The MTA-STS policy is in mode ${mode}.` }]
}

function judgePolicy(id: string, policy: MtaStsPolicy, hosts: Mail['mx']['hosts']): PartJudgement<Section['mta_sts']> {
  const { failure } = policy
  if (failure !== null && isOurs(failure)) return { part: { ...without('unknown'), id }, faults: [], unknown: failure }
  if (failure !== null) {
    const message = `The MTA-STS policy could not be fetched: ${failure.replaceAll(/[_:]/g, ' ')}.`
    const fault: DnsFault = { code: 'mta_sts_policy_not_served', message, evidence: { failure } }
    return { part: { ...without('invalid'), id }, faults: [fault], unknown: null }
  }
  const complaints = policyComplaints(policy)
  const invalid = complaints.map((complaint): DnsFault => {
    return { code: 'mta_sts_invalid_policy', message: `The MTA-STS policy ${complaint}.` }
  })
  const violationText = describeViolations(policy.violations)
  const passedOver: DnsFault[] =
    violationText === null
      ? []
      : [{ code: 'mta_sts_ignored_field', message: `In the MTA-STS policy, ${violationText}.` }]
  const mode: Mode | null = modes.find(one => one === policy.mode) ?? null
  const maxAge = policy.max_age !== null && /^\d{1,10}$/.test(policy.max_age) ? Number(policy.max_age) : null
  return {
    part: {
      status: invalid.length > 0 ? 'invalid' : 'valid',
      id,
      mode,
      effective_mode: invalid.length > 0 ? 'none' : mode,
      max_age: maxAge,
      mx: policy.mx.slice(0, MAX_ENTRIES),
    },
    faults: invalid.length > 0 ? invalid : [...modeFaults(policy, hosts), ...passedOver],
    unknown: null,
  }
}

/** Judges the MTA-STS record and policy against the mail servers (RFC 8461). */
export function judgeMtaSts({ record, policy }: Mail['mta_sts'], mx: Mail['mx']): PartJudgement<Section['mta_sts']> {
  if (record.status === 'unknown') return { part: without('unknown'), faults: [], unknown: record.reason }
  if (record.count > 1) {
    const message = `${record.name} has ${record.count} MTA-STS records, so senders ignore all of them.`
    return { part: without('invalid'), faults: [{ code: 'multiple_mta_sts_records', message }], unknown: null }
  }
  const id = record.record?.tags.find(({ name }) => name === 'id')?.value ?? null
  const invalidRecord = (message: string): PartJudgement<Section['mta_sts']> => {
    return { part: without('invalid'), faults: [{ code: 'mta_sts_invalid_record', message }], unknown: null }
  }
  const [lookalike] = record.lookalikes
  if (record.count === 0 && lookalike !== undefined) {
    return invalidRecord(`Senders do not read ${quote(lookalike)} as an MTA-STS record.`)
  }
  const violations = describeViolations(record.record?.violations ?? [])
  if (record.record?.valid === false) return invalidRecord(`Senders ignore the MTA-STS record: ${violations}.`)
  if (record.record === null || policy === null) {
    const message = 'The domain has no MTA-STS policy, so senders do not require TLS.'
    const isMissed = mx.hosts.some(({ exchange }) => exchange !== '')
    return { part: without('missing'), faults: isMissed ? [{ code: 'missing_mta_sts', message }] : [], unknown: null }
  }
  if (id === null || !/^[a-z0-9]{1,32}$/i.test(id)) {
    const why = violations === null ? '' : `: ${violations}`
    return invalidRecord(`The MTA-STS record has no valid id, so senders do not use the policy${why}.`)
  }
  return judgePolicy(id, policy, mx.hosts)
}
