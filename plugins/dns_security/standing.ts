// What part the name plays in mail, what may be asked of it for that, and whether its configuration holds.
import type { AnalysisContext, Evidence } from '../../src/engine/plugin.ts'
import type { Fault } from './faults.ts'
import type { MxPart } from './mx.ts'
import type { Section } from './schema.ts'
import { admitsNobody } from './spf_policy.ts'

type Target = Extract<AnalysisContext<unknown>['target'], { kind: 'domain' }>

interface Parts {
  readonly mx: MxPart
  readonly spf: Section['spf']
  readonly dmarc: Section['dmarc']
}

/**
 * `mail`: it may send or receive, so everything is asked of it, as of every registrable domain.
 * `no_mail`: SPF admits nobody and no mail server is named: a parked name that says so.
 * `bystander`: a name below the registrable domain without MX and SPF of its own, such as `www`.
 */
export type MailRole = 'mail' | 'no_mail' | 'bystander'

export function mailRole(target: Target, { mx, spf }: Parts, tree: Evidence['mail_records']['spf']): MailRole {
  if (mx.has_mx === true) return 'mail'
  if (mx.has_mx === false && spf.status === 'valid' && admitsNobody(tree.root)) return 'no_mail'
  const isBelow = target.domain !== target.registrable
  return isBelow && (spf.status === 'missing' || spf.status === 'unknown') ? 'bystander' : 'mail'
}

/** Without MX, mail goes to the name's own address, if it has one (RFC 5321 section 5.1). */
export function missingMxFaults(
  domain: string,
  { mx }: Parts,
  role: MailRole,
  addresses: Evidence['addresses'] | null,
): Fault[] {
  if (mx.mx.status !== 'none' || role === 'bystander') return []
  const missing: Fault = { code: 'missing_mx_records', message: `${domain} publishes no MX record.` }
  if (addresses?.status !== 'found') return [missing]
  return [missing, { code: 'implicit_mx', message: `Without MX records, mail for ${domain} goes to its web address.` }]
}

/**
 * True when SPF is valid, the MX records lead somewhere (or there are none) and a valid DMARC policy applies, which a
 * name that says it has no mail may lack. False when one of them is known not to be so. Null when it cannot be told.
 */
export function validConfig({ mx, spf, dmarc }: Parts, role: MailRole): boolean | null {
  const isExcused = role === 'no_mail' && dmarc.status === 'missing'
  const states = [spf.status, isExcused ? 'valid' : dmarc.status]
  if (mx.broken === true || states.some(status => status === 'invalid' || status === 'missing')) return false
  return mx.broken === null || states.includes('unknown') ? null : true
}
