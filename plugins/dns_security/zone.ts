// The enclosing zone: name servers, CAA and DNSSEC.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { Fault } from './faults.ts'
import type { Judgement } from './judgement.ts'
import type { Section } from './schema.ts'
import { LISTED } from './shown.ts'

type Dns = Evidence['dns']
type ZonePart = Pick<Section, 'dnssec' | 'zone' | 'name_servers' | 'caa'>

function caaPart({ caa, caa_at }: Dns): ZonePart['caa'] {
  if (caa.status === 'unknown') return null
  const records = caa.status === 'found' ? caa.records : []
  return {
    found_at: caa_at,
    records: records
      .slice(0, LISTED)
      .map(({ critical, tag, value }) => ({ critical, tag: printable(tag), value: printable(value) })),
  }
}

/** Only these two properties restrict issuance; without them any authority may issue (RFC 8659 section 4.2). */
const namesAuthority = ({ tag }: { readonly tag: string }) => /^issue(?:wild)?$/i.test(tag)

const dnssecFaults: Readonly<Record<Dns['dnssec'], Fault | null>> = {
  signed: null,
  unknown: null,
  unsigned: { code: 'dnssec_unsigned', message: 'The zone is not signed with DNSSEC.' },
  bogus: { code: 'dnssec_bogus', message: 'The zone is signed with DNSSEC, but its signatures are invalid.' },
}

export function judgeZone(dns: Dns | null): Judgement<ZonePart> {
  if (dns === null) {
    const part = { dnssec: 'unknown', zone: null, name_servers: null, caa: null } as const
    return { part, faults: [], unknown: 'dns_unavailable' }
  }
  const name_servers =
    dns.ns.status === 'unknown' ? null : dns.ns.status === 'found' ? dns.ns.records.map(text => printable(text)) : []
  const faults: (Fault | null)[] = [dnssecFaults[dns.dnssec]]
  if (dns.caa.status !== 'unknown' && !(dns.caa.status === 'found' && dns.caa.records.some(namesAuthority))) {
    faults.push({
      code: 'missing_caa_records',
      message: 'No CAA record restricts which authorities may issue certificates.',
    })
  }
  if (name_servers?.length === 1) {
    const message = `The zone has only one name server, ${name_servers[0]}; two are required (RFC 1034 section 4.1).`
    faults.push({ code: 'single_name_server', message })
  }
  const unknown = [dns.ns, dns.caa].flatMap(answer => (answer.status === 'unknown' ? [answer.reason] : []))[0] ?? null
  return {
    part: {
      dnssec: dns.dnssec,
      zone: dns.zone,
      name_servers: name_servers?.slice(0, LISTED) ?? null,
      caa: caaPart(dns),
    },
    faults: faults.filter(fault => fault !== null),
    unknown,
  }
}
