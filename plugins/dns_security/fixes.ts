// DNS records ready to paste, made from what was seen. Only constants, and names and addresses whose form is checked.
import type { Fix } from '../../src/engine/plugin.ts'
import type { Section } from './schema.ts'

/** Names in A-labels and plain e-mail addresses: they need no quoting in a zone file. */
const PLAIN_NAME = /^[a-z0-9_]([a-z0-9._-]*[a-z0-9])?$/i
const PLAIN_REPORT = /^mailto:[a-z0-9._+-]+@[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

const TTL = 3_600

const record = (name: string, type: string, value: string): string => `${name}. ${TTL} IN ${type} ${value}`

function spf(domain: string, { spf, mx }: Section): readonly Fix[] {
  if (spf.status !== 'missing' || mx.status === 'unknown') return []
  // A domain that receives mail usually sends it too; services that send for it must be added.
  const value = mx.status === 'found' ? 'v=spf1 mx -all' : 'v=spf1 -all'
  return [{ title: 'SPF', language: 'dns', code: record(domain, 'TXT', `"${value}"`) }]
}

function dmarc(domain: string, { dmarc, mx }: Section): readonly Fix[] {
  const { status, effective_policy, aggregate_reports } = dmarc
  if (status === 'missing') {
    const isSilent = mx.status === 'none' || mx.status === 'null_mx'
    const value = isSilent ? 'v=DMARC1; p=reject' : `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`
    return [{ title: 'DMARC', language: 'dns', code: record(`_dmarc.${domain}`, 'TXT', `"${value}"`) }]
  }
  if (status !== 'valid' || effective_policy !== 'none' || dmarc.found_at !== domain) return []
  const reports = (aggregate_reports ?? []).filter(address => PLAIN_REPORT.test(address))
  const rua = reports.length > 0 ? `; rua=${reports.join(',')}` : ''
  const value = `v=DMARC1; p=quarantine${rua}`
  return [
    { title: 'DMARC that stops spoofed mail', language: 'dns', code: record(`_dmarc.${domain}`, 'TXT', `"${value}"`) },
  ]
}

/** Only for a domain whose mail servers are all named: the policy of MTA-STS must list them. */
function transport(domain: string, { mx, mta_sts, tls_rpt }: Section): readonly Fix[] {
  const hosts = (mx.hosts ?? []).map(({ exchange }) => exchange)
  if (mx.status !== 'found' || hosts.length !== mx.total || !hosts.every(host => PLAIN_NAME.test(host))) return []
  const policy = ['version: STSv1', 'mode: testing', ...hosts.map(host => `mx: ${host}`), 'max_age: 604800']
  return [
    ...(mta_sts.status === 'missing'
      ? ([
          { title: 'MTA-STS: record', language: 'dns', code: record(`_mta-sts.${domain}`, 'TXT', '"v=STSv1; id=1"') },
          {
            title: `MTA-STS: https://mta-sts.${domain}/.well-known/mta-sts.txt`.slice(0, 80),
            language: 'http',
            code: policy.join('\n'),
          },
        ] as const)
      : []),
    ...(tls_rpt.status === 'missing'
      ? [
          {
            title: 'TLS-RPT',
            language: 'dns' as const,
            code: record(`_smtp._tls.${domain}`, 'TXT', `"v=TLSRPTv1; rua=mailto:postmaster@${domain}"`),
          },
        ]
      : []),
  ]
}

function others(domain: string, { mx, caa }: Section): readonly Fix[] {
  const authority = record(domain, 'CAA', '0 issue "letsencrypt.org" ; the name of your own authority')
  return [
    ...(mx.status === 'none'
      ? [{ title: 'Null MX, if it receives no mail', language: 'dns' as const, code: record(domain, 'MX', '0 .') }]
      : []),
    ...(caa !== null && caa.records?.length === 0 ? [{ title: 'CAA', language: 'dns' as const, code: authority }] : []),
  ]
}

/** `domain` as in the target. */
export const fixesFor = (section: Section, domain: string | null): readonly Fix[] =>
  domain === null || !PLAIN_NAME.test(domain)
    ? []
    : [...spf(domain, section), ...dmarc(domain, section), ...transport(domain, section), ...others(domain, section)]
