// HTTPS records (RFC 9460): where browsers that read them connect, and whether that is where everybody else does.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement } from './judgement.ts'
import { MAX_ENTRIES } from './quoted.ts'
import type { Section } from './schema.ts'

type HttpsAnswer = NonNullable<Evidence['dns']['https']>
type Binding = Extract<HttpsAnswer, { status: 'found' }>['records'][number]
type Addresses = Evidence['addresses']
type HttpsPart = Section['https_records']

/** Parameters that browsers know (RFC 9460 section 14.3.2, RFC 9461, RFC 9540): `mandatory` to `ipv6hint`. */
const LAST_KNOWN = 6
const HTTPS_PORT = 443

const recordOf = (binding: Binding): NonNullable<HttpsPart>[number] => ({
  priority: binding.priority,
  target: binding.target === '' ? null : printable(binding.target),
  protocols: binding.alpn.slice(0, MAX_ENTRIES).map(id => printable(id)),
  port: binding.port,
  ech: binding.ech,
  addresses: hintsOf(binding).slice(0, MAX_ENTRIES),
})

const hintsOf = ({ ipv4_hints, ipv6_hints }: Binding): readonly string[] => [...ipv4_hints, ...ipv6_hints]

/** Clients must not use a record with a mandatory parameter that they do not know, or that is not there (sections 2.4.3 and 8). */
const isUsable = ({ mandatory, no_default_alpn, alpn }: Binding): boolean =>
  mandatory.every(key => key > 0 && key <= LAST_KNOWN) && !(no_default_alpn && alpn.length === 0)

/** Those of the same family as addresses that are known: unknown ones differ from nothing. */
function foreignHints(bindings: readonly Binding[], addresses: Addresses | null): readonly string[] {
  const hostAddresses = addresses?.status === 'found' ? addresses.answers.map(({ address }) => address) : []
  const families = new Set(hostAddresses.map(address => address.includes(':')))
  const own = bindings.filter(({ priority, target }) => priority > 0 && target === '')
  return own.flatMap(hintsOf).filter(hint => families.has(hint.includes(':')) && !hostAddresses.includes(hint))
}

function faultsOf(domain: string, bindings: readonly Binding[], addresses: Addresses | null): DnsFault[] {
  const faults: DnsFault[] = []
  const services = bindings.filter(({ priority }) => priority > 0)
  if (services.length > 0 && services.length < bindings.length) {
    const message = `${domain} has HTTPS records that are aliases beside others, which browsers then ignore (RFC 9460 section 2.4.1).`
    faults.push({ code: 'https_record_mixed', message })
  }
  if (services.some(one => !isUsable(one))) {
    const message = `${domain} has an HTTPS record that no browser may use: a mandatory parameter is unknown or missing.`
    faults.push({ code: 'https_record_unusable', message })
  }
  const foreign = foreignHints(bindings, addresses)
  if (foreign.length > 0) {
    const message = `An HTTPS record of ${domain} names ${foreign[0]}, which is not an address of the name: some visitors reach another server.`
    faults.push({
      code: 'https_record_other_addresses',
      message,
      evidence: { addresses: foreign.slice(0, MAX_ENTRIES) },
    })
  }
  const elsewhere = bindings.find(({ target, port }) => target !== '' || (port !== null && port !== HTTPS_PORT))
  if (elsewhere !== undefined) {
    const { target, port } = elsewhere
    const place = `${target === '' ? domain : printable(target)}${port === null ? '' : `, port ${port}`}`
    const message = `An HTTPS record of ${domain} leads browsers to ${place}, which this check did not visit.`
    faults.push({ code: 'https_record_leads_elsewhere', message })
  }
  return faults
}

/** Some name servers do not answer questions of types that they do not know; nothing depends on these records. */
export function judgeHttpsRecords(
  domain: string,
  https: HttpsAnswer | undefined,
  addresses: Addresses | null,
): PartJudgement<HttpsPart> {
  if (https === undefined) return { part: null, faults: [], unknown: null }
  if (https.status === 'unknown') return { part: null, faults: [], unknown: 'https_records_not_answered' }
  const bindings = https.status === 'found' ? [...https.records].sort((a, b) => a.priority - b.priority) : []
  return {
    part: bindings.slice(0, MAX_ENTRIES).map(recordOf),
    faults: faultsOf(domain, bindings, addresses),
    unknown: null,
  }
}
