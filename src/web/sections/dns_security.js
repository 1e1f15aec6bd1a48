import { NONE, quote, words } from './section.js'

const mail = /** @type {Readonly<Record<string, string>>} */ ({
  found: 'The domain receives mail',
  null_mx: 'The domain declares that it receives no mail',
  none: 'The domain has no mail server of its own',
  unknown: 'Whether the domain receives mail is unknown',
})

/** @type {(spf: string, dmarc: { status: string, effective_policy: string | null }) => string} */
function forgery(spf, { status, effective_policy }) {
  if (status === 'unknown' || spf === 'unknown') return 'it could not be fully checked whether its mail can be spoofed.'
  if (effective_policy === 'reject') return 'and spoofed mail is rejected.'
  if (effective_policy === 'quarantine') return 'and spoofed mail is treated as spam.'
  return 'and spoofed mail is delivered.'
}

/** @type {Readonly<Record<string, string>>} */
const policies = { reject: 'rejected', quarantine: 'treated as spam', none: 'delivered' }

/** A status of the interface; `valid` is shown as what was found. @type {(status: string, found?: import('./section.js').Value) => import('./section.js').Value} */
function standing(status, found = status) {
  if (status === 'unknown') return null
  if (status === 'missing') return NONE
  return status === 'valid' ? found : words(status)
}

/** @type {(ipv6: Readonly<Record<string, boolean | null>>) => import('./section.js').Value} */
function overIpv6({ web, mail, name_servers }) {
  const parts = /** @type {const} */ ([
    ['web site', web],
    ['mail servers', mail],
    ['name servers', name_servers],
  ])
  const reachable = parts.filter(([, has]) => has).map(([name]) => name)
  return reachable.length === 0 && parts.some(([, has]) => has === null) ? null : reachable
}

/** @type {import('./section.js').Section} */
export const dns_security = {
  title: 'DNS and mail security',
  looks: 'the records that protect the domain’s mail and DNS',
  describe({ mx, spf, dmarc, dnssec, name_servers, ipv6, spf_record, dmarc_record, mta_sts, issues }) {
    const exchanges = mx.hosts?.map((/** @type {{ exchange: string }} */ host) => host.exchange) ?? null
    return {
      summary: [`${mail[mx.status] ?? mail.unknown}, ${forgery(spf.status, dmarc)}`],
      facts: [
        ['Mail servers', mx.status === 'unknown' ? null : exchanges],
        ['SPF', standing(spf.status, quote(spf_record ?? ''))],
        ['DMARC', dmarc_record === null ? standing(dmarc.status) : quote(dmarc_record)],
        ['Spoofed mail', dmarc.status === 'unknown' ? null : (policies[dmarc.effective_policy] ?? 'delivered')],
        ['MTA-STS', standing(mta_sts.status, mta_sts.mode)],
        ['DNSSEC', standing(dnssec)],
        ['Name servers', name_servers],
        ['IPv6', overIpv6(ipv6)],
      ],
      remarks: (issues ?? [])
        .filter((/** @type {{ severity: string }} */ { severity }) => severity !== 'info')
        .map((/** @type {{ message: string }} */ { message }) => message),
    }
  },
}
