// Everything the name publishes about mail: MX and their addresses, the SPF tree, DMARC, MTA-STS, TLS-RPT, BIMI.

import { NotApplicable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { type Ask, askWith } from './ask.ts'
import { discoverDmarc } from './dmarc.ts'
import { askReportAddresses } from './dmarc_reports.ts'
import type { Dmarc, MailRecords } from './facts.ts'
import { askMailExchangers } from './mail_exchangers.ts'
import { askMtaSts } from './mta_sts.ts'
import { walkSpf } from './spf_tree.ts'
import { hasVersion } from './tag_list.ts'
import { askTagged } from './tagged_record.ts'

async function askDmarc(domain: string, ask: Ask): Promise<Dmarc> {
  const discovery = await discoverDmarc(domain, ask)
  const record = discovery.steps.find(step => step.name === discovery.applied)?.record ?? null
  const published = discovery.applied !== null && record !== null
  const reports = published ? await askReportAddresses(discovery.applied, record, ask) : []
  return { reports, ...discovery }
}

/** All questions go out at once, as far as none needs another's answer: at most 48 of them, in nearly every case 10. */
export const gatherMailRecords: Gatherer<MailRecords> = async ({ target, network, signal }) => {
  if (target.kind === 'ip') throw new NotApplicable('ip_target')
  const { domain } = target
  const ask = askWith(network.resolver, signal)
  const [mx, spf, dmarc, mta_sts, tls_rpt, bimi] = await Promise.all([
    askMailExchangers(domain, ask, address => network.refuse(address)),
    ask(domain, 'TXT').then(txt => walkSpf(domain, txt, ask)),
    askDmarc(domain, ask),
    askMtaSts(domain, ask, request => network.fetch(request), signal),
    askTagged(`_smtp._tls.${domain}`, text => text.startsWith('v=TLSRPTv1;'), ask),
    askTagged(`default._bimi.${domain}`, text => hasVersion(text, 'BIMI1'), ask),
  ])
  return { mx, spf, dmarc, mta_sts, tls_rpt, bimi }
}

export default () => gatherMailRecords
