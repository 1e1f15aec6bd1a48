// The role of the name in mail, the records that the role requires, and whether its configuration is valid.
import type { AnalysisContext, Evidence } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartStatus } from './judgement.ts'
import type { MxPart } from './mx.ts'
import type { Section } from './schema.ts'
import { admitsNobody } from './spf_policy.ts'

type Target = Extract<AnalysisContext<unknown>['target'], { kind: 'domain' }>

interface MailParts {
  readonly mx: MxPart
  readonly spf: Section['spf']
  readonly dmarc: Section['dmarc']
}

/**
 * `mail`: it may send or receive, so everything is expected of it. All registered domains start here.
 * `no_mail`: SPF allows nobody and there is no MX record: a parked domain that declares it.
 * `bystander`: a subdomain or tenant without MX and SPF of its own, such as `www`.
 * `unknown`: the MX or SPF query was not answered, so nothing is expected of it.
 */
export type MailRole = 'mail' | 'no_mail' | 'bystander' | 'unknown'

/** Whether the domain is used for mail, by its records. */
export function mailRole(target: Target, { mx, spf }: MailParts, tree: Evidence['mail_records']['spf']): MailRole {
  if (mx.has_mx === true) return 'mail'
  if (spf.status === 'valid' && admitsNobody(tree.root)) return mx.has_mx === false ? 'no_mail' : 'unknown'
  const isBelow = target.domain !== target.registered
  if (isBelow && (spf.status === 'missing' || spf.status === 'unknown')) return 'bystander'
  return spf.status === 'unknown' ? 'unknown' : 'mail'
}

/** Without MX records, mail is delivered to the domain's own address, if it has one (RFC 5321 section 5.1). */
export function missingMxFaults(
  domain: string,
  { mx }: MailParts,
  role: MailRole,
  addresses: Evidence['addresses'] | null,
): DnsFault[] {
  if (mx.mx.status !== 'none' || role === 'bystander') return []
  const missing: DnsFault = { code: 'missing_mx_records', message: `${domain} publishes no MX record.` }
  if (addresses?.status !== 'found') return [missing]
  return [
    missing,
    {
      code: 'implicit_mx',
      message: `Without MX records, mail for ${domain} is delivered to its web server's address.`,
    },
  ]
}

/**
 * A missing record that the role does not require. A subdomain without mail is covered by the DMARC policy that applies
 * to it.
 */
const excuses: Readonly<Record<MailRole, { readonly spf: PartStatus; readonly dmarc: PartStatus }>> = {
  mail: { spf: 'missing', dmarc: 'missing' },
  no_mail: { spf: 'missing', dmarc: 'valid' },
  bystander: { spf: 'valid', dmarc: 'missing' },
  unknown: { spf: 'missing', dmarc: 'unknown' },
}

/**
 * True if SPF is valid, the MX records are reachable (or there are none) and a valid DMARC policy applies, as far as the
 * name's role asks for them, and no DMARC record of its own is broken. False if one of them is known to fail. Null if it
 * cannot be determined.
 */
export function validConfig({ mx, spf, dmarc }: MailParts, role: MailRole): boolean | null {
  const states: readonly PartStatus[] = [
    spf.status === 'missing' ? excuses[role].spf : spf.status,
    dmarc.status === 'missing' ? excuses[role].dmarc : dmarc.status,
    dmarc.published === 'invalid' ? 'invalid' : 'valid',
  ]
  if (mx.broken === true || states.some(status => status === 'invalid' || status === 'missing')) return false
  return mx.broken === null || states.includes('unknown') ? null : true
}
