// dns_security: the DNS records of the domain and its mail, and whether they are valid.
import {
  type AnalysisContext,
  analyzer,
  type Evidence,
  type Finding,
  mainReason,
  orUnknown,
} from '../../src/engine/plugin.ts'
import { judgeBimi } from './bimi.ts'
import { judgeDkim } from './dkim.ts'
import { judgeDmarc } from './dmarc.ts'
import { type DnsFault, issuesOf, signalsOf } from './faults.ts'
import { judgeHttpsRecords } from './https_records.ts'
import { judgeMtaSts } from './mta_sts.ts'
import { judgeMx } from './mx.ts'
import { presentation } from './presentation.ts'
import { addressFaults, nonexistent, type ResolutionEvidence, unanswered, unasked } from './resolution.ts'
import { type Section, schema } from './schema.ts'
import { type SignalId, signals } from './signals.ts'
import { judgeSpf } from './spf.ts'
import { mailRole, missingMxFaults, validConfig } from './standing.ts'
import { judgeTlsRpt } from './tls_rpt.ts'
import { judgeZone } from './zone.ts'
import { ipv6Faults, ipv6Part } from './zone_details.ts'

type DomainTarget = Extract<AnalysisContext<unknown>['target'], { kind: 'domain' }>

function judge(
  { mail_records: mail, addresses, dns }: ResolutionEvidence<Evidence['mail_records']>,
  target: DomainTarget,
): Finding<Section, SignalId> {
  const mx = judgeMx(mail.mx)
  const spf = judgeSpf(mail.spf)
  const dkim = judgeDkim(mail.dkim, target.domain, mx.part.has_mx === true)
  const dmarc = judgeDmarc(target.domain, mail.dmarc)
  const mtaSts = judgeMtaSts(mail.mta_sts, mail.mx)
  const tlsRpt = judgeTlsRpt(mail.tls_rpt, mx.part.has_mx === true)
  const bimi = judgeBimi(target.domain, mail.bimi, dmarc.part.dmarc)
  const zone = judgeZone(dns, addresses)
  const https = judgeHttpsRecords(target.domain, dns?.https, addresses)
  const parts = { mx: mx.part, spf: spf.part.spf, dmarc: dmarc.part.dmarc }
  const role = mailRole(target, parts, mail.spf)
  const ipv6 = ipv6Part({ addresses, mail, dns })
  const judgements = [mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, zone, https]
  const faults: DnsFault[] = [
    ...addressFaults(target, addresses),
    ...missingMxFaults(target.domain, parts, role, addresses),
    ...judgements.flatMap(judgement => judgement.faults),
    ...ipv6Faults(ipv6),
  ]
  const unknownReason = mainReason(judgements.flatMap(judgement => judgement.unknown ?? []))
  const section: Section = {
    has_mx: mx.part.has_mx,
    spf_record: spf.part.spf_record,
    dmarc_record: dmarc.part.dmarc_record,
    valid_config: validConfig(parts, role),
    mx: mx.part.mx,
    spf: spf.part.spf,
    dkim: dkim.part,
    dmarc: dmarc.part.dmarc,
    mta_sts: mtaSts.part,
    tls_rpt: tlsRpt.part,
    bimi: bimi.part,
    ...zone.part,
    https_records: https.part,
    ipv6,
    issues: orUnknown(issuesOf(faults, role === 'mail'), unknownReason === null && addresses !== null),
  }
  return { section, signals: signalsOf(faults, role === 'mail'), ...(unknownReason ? { unknown: unknownReason } : {}) }
}

export default analyzer({
  name: 'dns_security',
  description: 'MX, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI, CAA, DNSSEC and name servers of the domain.',
  targets: ['domain'],
  needs: [],
  wants: ['mail_records', 'addresses', 'dns'],
  presentation,
  schema,
  signals,
  analyze(evidence, { target, missing }) {
    if (target.kind === 'ip') return { notApplicable: 'ip_target' }
    const absence = nonexistent(target, evidence)
    if (absence !== null) return absence
    const { mail_records } = evidence
    if (mail_records === null) return unasked(target, evidence, missing)
    const zone = { ...evidence, mail_records }
    return unanswered(target, zone) ?? judge(zone, target)
  },
})
