// Everything the name publishes about mail: MX and their addresses, the SPF tree, DMARC, MTA-STS, TLS-RPT, BIMI.
import { NotApplicable } from './decline.ts'
import type { Gatherer } from './gatherer.ts'
import { type Ask, askWith } from './mail/ask.ts'
import { type DmarcDiscovery, discoverDmarc } from './mail/dmarc.ts'
import { askReportAddresses, type ReportAddress } from './mail/dmarc_reports.ts'
import { askMailExchangers, type MailExchangers } from './mail/mail_exchangers.ts'
import { askMtaSts, type MtaSts } from './mail/mta_sts.ts'
import { type SpfTree, walkSpf } from './mail/spf_tree.ts'
import { hasVersion } from './mail/tag_list.ts'
import { askTagged, type TaggedRecord } from './mail/tagged_record.ts'

export interface Dmarc extends DmarcDiscovery {
  /** Of the record that applies; at most 10 a tag. */
  readonly reports: readonly ReportAddress[]
}

/** All text is printable and bounded; a question that failed says so where its answer would stand. */
export interface MailRecords {
  readonly mx: MailExchangers
  readonly spf: SpfTree
  readonly dmarc: Dmarc
  readonly mta_sts: MtaSts
  readonly tls_rpt: TaggedRecord
  readonly bimi: TaggedRecord
}

async function askDmarc(domain: string, ask: Ask): Promise<Dmarc> {
  const discovery = await discoverDmarc(domain, ask)
  const record = discovery.steps.find(step => step.name === discovery.applied)?.record ?? null
  const published = discovery.applied !== null && record !== null
  const reports = published ? await askReportAddresses(discovery.applied, record, ask) : []
  return { reports, ...discovery }
}

/** All questions go out at once, as far as none needs another's answer: at most 48 of them, in nearly every case 10. */
export const gatherMailRecords: Gatherer<'mail_records'> = async ({ target, network, signal }) => {
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
