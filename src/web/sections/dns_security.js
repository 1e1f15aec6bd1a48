import { quote } from './section.js'

const mail = /** @type {Readonly<Record<string, string>>} */ ({
  found: 'The domain receives mail',
  null_mx: 'The domain says that it receives no mail',
  none: 'The domain has no mail server of its own',
  unknown: 'Whether the domain receives mail could not be found out',
})

/** @type {(spf: string, dmarc: { status: string, effective_policy: string | null }) => string} */
function forgery(spf, { status, effective_policy }) {
  if (status === 'unknown' || spf === 'unknown') return 'whether others can forge its mail could not be fully checked.'
  if (effective_policy === 'reject') return 'and mail that forges it is rejected.'
  if (effective_policy === 'quarantine') return 'and mail that forges it is treated as spam.'
  return 'and nothing keeps mail that forges it from being delivered.'
}

/** @type {Readonly<Record<string, string>>} */
const policies = { reject: 'reject', quarantine: 'treat as spam', none: 'only watch' }

/** @type {import('./section.js').Section} */
export const dns_security = {
  title: 'Mail and name security',
  looks: 'the records that say who may send mail in its name, and how its DNS is protected',
  tell({ mx, spf, dmarc, dnssec, name_servers, spf_record, dmarc_record, mta_sts, issues }) {
    return {
      summary: [`${mail[mx.status] ?? mail.unknown}, ${forgery(spf.status, dmarc)}`],
      facts: [
        ['Mail servers', mx.hosts.map((/** @type {{ exchange: string }} */ host) => host.exchange)],
        ['SPF', spf.status === 'valid' ? quote(spf_record ?? '') : spf.status],
        ['DMARC', dmarc_record === null ? dmarc.status : quote(dmarc_record)],
        ['Forged mail', policies[dmarc.effective_policy] ?? null],
        ['MTA-STS', mta_sts.mode ?? mta_sts.status],
        ['DNSSEC', dnssec],
        ['Name servers', name_servers],
      ],
      remarks: issues
        .filter((/** @type {{ severity: string }} */ { severity }) => severity !== 'info')
        .map((/** @type {{ message: string }} */ { message }) => message),
    }
  },
}
