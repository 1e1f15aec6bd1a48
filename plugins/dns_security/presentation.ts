// How people see the section.
import {
  type Dependency,
  identify,
  keyKind,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  type Remark,
  type Table,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { fixesFor } from './fixes.ts'
import { type Section, schema } from './schema.ts'

const label = labelsOf(schema)

const mail: Readonly<Record<Section['mx']['status'], string>> = {
  found: 'The domain receives mail',
  null_mx: 'The domain declares that it receives no mail',
  none: 'The domain has no mail server of its own',
  unknown: 'Whether the domain receives mail is unknown',
}

function forgery(spf: string, { status, effective_policy }: Section['dmarc']): string {
  if (status === 'unknown' || spf === 'unknown') return 'it could not be fully checked whether its mail can be spoofed.'
  if (effective_policy === 'reject') return 'and spoofed mail is rejected.'
  if (effective_policy === 'quarantine') return 'and spoofed mail is treated as spam.'
  return 'and spoofed mail is delivered.'
}

const policies: Readonly<Record<string, string>> = { reject: 'rejected', quarantine: 'treated as spam' }

/** `valid` is shown as what was found. */
function standing(status: string, value: Value = status): Value {
  if (status === 'unknown') return null
  if (status === 'missing') return NONE
  return status === 'valid' ? value : words(status)
}

/** The selectors whose keys receivers can use. */
function signers({ status, keys }: Section['dkim']): Value {
  const valid = (keys ?? []).filter(key => key.status === 'valid').map(({ selector }) => selector)
  if (valid.length > 0) return valid
  return status === 'unlisted' ? 'keys under selectors that are not well known' : standing(status)
}

function exchanges({ status, hosts }: Section['mx']): Value {
  if (status === 'unknown') return null
  if (status === 'null_mx') return 'none: a null MX record says that no mail is received'
  return hosts?.map(({ exchange }) => exchange) ?? null
}

/** What browsers learn from the records before they connect. */
function connections(records: Section['https_records']): Value {
  if (records === null) return null
  const protocols = records.flatMap(({ protocols }) => protocols)
  const ech = records.some(one => one.ech) ? ['Encrypted Client Hello'] : []
  const capabilities = [...new Set([...protocols, ...ech])]
  return records.length > 0 && capabilities.length === 0 ? 'yes' : capabilities
}

function overIpv6({ web, mail, name_servers }: Section['ipv6']): Value {
  const parts = [
    ['web site', web],
    ['mail servers', mail],
    ['name servers', name_servers],
  ] as const
  const reachable = parts.filter(([, has]) => has).map(([name]) => name)
  if (reachable.length > 0 || parts.every(([, has]) => has === false)) return reachable
  const without = parts.filter(([, has]) => has === false).map(([name]) => name)
  return without.length === 0 ? null : `not the ${without.join(' or the ')}`
}

function signing({ dnssec, dnssec_algorithms, dnssec_signatures }: Section): Value {
  if (dnssec !== 'signed' || dnssec_algorithms === null || dnssec_algorithms.length === 0) return standing(dnssec)
  const until = dnssec_signatures === null ? '' : `, until ${dnssec_signatures.expires_at.slice(0, 10)}`
  return `signed (${dnssec_algorithms.join(', ')}${until})`
}

const caaRecords = (caa: Section['caa']): Value =>
  caa?.records?.map(({ tag, value, critical }) => `${tag} ${value}${critical ? ' (critical)' : ''}`) ?? null

/** Mail servers. A null MX (RFC 7505) names none. */
const serversOf = ({ hosts }: Section['mx']) => (hosts ?? []).filter(({ exchange }) => exchange !== '')

/** Names of mail servers and keys of the zone, if there is more to see than the facts show. */
function tables({ mx, spf, dkim, dnssec_keys }: Section, isWhole: boolean): readonly Table[] {
  const absence = isWhole ? 'not looked up' : null
  const rows = serversOf(mx).map(({ preference, exchange, addresses }) => [
    preference,
    quote(exchange),
    addresses ?? absence,
  ])
  const keys = (dnssec_keys ?? []).map(({ role, algorithm, bits }) => [words(role), quote(algorithm), bits])
  const costs = (spf.costs ?? []).map(({ term, lookups }) => [quote(term), lookups])
  const signing = (dkim.keys ?? []).map(({ selector, status, type, bits, alias }) => {
    return [quote(selector), words(status), type === null ? null : keyKind(type), bits, quoteOr(alias)]
  })
  return [
    ...(rows.length > 0 ? [{ title: label.mx, columns: ['Preference', 'Server', 'Addresses'], rows }] : []),
    ...(costs.length > 1
      ? [{ title: `SPF: ${spf.lookups} of 10 lookups`, columns: ['Term', 'Lookups'], rows: costs }]
      : []),
    ...(signing.length > 0
      ? [{ title: 'DKIM keys', columns: ['Selector', 'State', 'Type', 'Bits', 'Alias of'], rows: signing }]
      : []),
    ...(keys.length > 0 ? [{ title: 'Keys of the zone', columns: ['Use', 'Algorithm', 'Bits'], rows: keys }] : []),
  ]
}

const severities = { error: 'medium', warning: 'low', info: 'info' } as const

const remarkOf = ({ severity, message }: NonNullable<Section['issues']>[number]): Remark => ({
  text: message,
  severity: severities[severity],
})

/** Hosts by the name that their owner registered, each once. */
const ownersOf = (hosts: readonly string[]): readonly string[] => [...new Set(hosts.map(host => identify(host).owner))]

function dependencies({ mx, name_servers }: Section): readonly Dependency[] {
  const mail = ownersOf(serversOf(mx).map(({ exchange }) => exchange))
  const names = ownersOf(name_servers ?? [])
  return [...mail.map(party => ({ role: 'Mail by', party })), ...names.map(party => ({ role: 'Named by', party }))]
}

/** The rules behind what is judged. */
const sources = [
  { label: 'SPF (RFC 7208)', url: 'https://www.rfc-editor.org/rfc/rfc7208' },
  { label: 'DKIM (RFC 6376)', url: 'https://www.rfc-editor.org/rfc/rfc6376' },
  { label: 'DMARC (RFC 7489)', url: 'https://www.rfc-editor.org/rfc/rfc7489' },
  { label: 'MTA-STS (RFC 8461)', url: 'https://www.rfc-editor.org/rfc/rfc8461' },
  { label: 'TLS-RPT (RFC 8460)', url: 'https://www.rfc-editor.org/rfc/rfc8460' },
  { label: 'CAA (RFC 8659)', url: 'https://www.rfc-editor.org/rfc/rfc8659' },
  { label: 'Null MX (RFC 7505)', url: 'https://www.rfc-editor.org/rfc/rfc7505' },
] as const

export const presentation: Presentation<Section> = {
  title: 'DNS and mail security',
  looks: 'the records that protect the domain’s mail and DNS',
  order: 50,
  describe(section, { domain, isWhole }) {
    const { mx, spf, dkim, dmarc, dmarc_record, spf_record, mta_sts, tls_rpt, bimi, soa } = section
    return {
      summary: [`${mail[mx.status] ?? mail.unknown}, ${forgery(spf.status, dmarc)}`],
      facts: [
        ...(serversOf(mx).length > 0 ? [] : ([[label.mx, exchanges(mx)]] as const)),
        [label.spf, standing(spf.status, quote(spf_record ?? ''))],
        [label.dkim, signers(dkim)],
        [label.dmarc, dmarc_record === null ? standing(dmarc.status) : quote(dmarc_record)],
        ['Spoofed mail', dmarc.status === 'unknown' ? null : (policies[dmarc.effective_policy ?? ''] ?? 'delivered')],
        [label.mta_sts, standing(mta_sts.status, mta_sts.mode)],
        [label.tls_rpt, standing(tls_rpt.status, tls_rpt.reports)],
        [label.bimi, standing(bimi.status, bimi.logo === null ? 'no logo' : quote(bimi.logo))],
        [label.dnssec, signing(section)],
        [label.caa, caaRecords(section.caa)],
        [label.name_servers, section.name_servers],
        [label.soa, soa === null ? (isWhole ? NONE : null) : `${soa.primary}, serial ${soa.serial}`],
        [label.https_records, connections(section.https_records)],
        [label.ipv6, overIpv6(section.ipv6)],
      ],
      tables: tables(section, isWhole),
      dependencies: dependencies(section),
      remarks: (section.issues ?? []).map(remarkOf),
      links: sources,
      fixes: fixesFor(section, domain),
    }
  },
}
