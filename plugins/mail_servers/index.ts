// mail_servers: whether the servers that receive a domain's mail answer, encrypt, and are who they claim to be.
import { analyzer, type Evidence, mainReason, missedReason, raise } from '../../src/engine/plugin.ts'
import { stsUnknown } from './judge.ts'
import { presentation } from './presentation.ts'
import { describe, Section } from './section.ts'
import { signals } from './signals.ts'

/** Why parts of a server are unknown. */
function unknownOf({
  contact,
  reason,
  tls_failure,
  dane,
  reverse_failure,
}: Evidence['mail_servers']['servers'][number]): string[] {
  return [
    ...(contact === 'unknown' ? [`mail_servers_${reason ?? 'timeout'}`] : []),
    ...(contact === 'rejected' ? ['mail_rejected'] : []),
    ...(tls_failure === 'timeout' ? ['mail_servers_timeout'] : []),
    ...(dane.status === 'unknown' ? [`tlsa_${dane.reason === 'timeout' ? 'resolver_timeout' : dane.reason}`] : []),
    ...(reverse_failure === null ? [] : [`reverse_names_${reverse_failure}`]),
  ]
}

export default analyzer({
  name: 'mail_servers',
  description: 'The servers that receive mail: STARTTLS, certificates, DANE, MTA-STS and reverse names.',
  targets: ['domain'],
  needs: ['mail_servers'],
  wants: ['mail_records'],
  optional: true,
  presentation,
  schema: Section,
  signals,
  analyze({ mail_servers, mail_records }, { missing, now }) {
    const section = describe(mail_servers, mail_records, now)
    const reason = missedReason(missing)
    const sts = mail_records && stsUnknown(mail_records)
    const reasons = [
      ...mail_servers.servers.flatMap(unknownOf),
      ...(sts === null ? [] : [`mta_sts_${sts}`]),
      ...(reason === null ? [] : [reason]),
    ]
    return {
      section,
      signals: raise(signals, { section, evidence: mail_servers, mail: mail_records }),
      unknown: mainReason(reasons),
    }
  },
})
