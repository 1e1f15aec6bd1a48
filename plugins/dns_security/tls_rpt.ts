// TLS-RPT (RFC 8460): are there reports of mail that could not be delivered over TLS, and where do they go.
import type { Evidence } from '../../src/engine/plugin.ts'
import type { Judgement } from './judgement.ts'
import type { Section } from './schema.ts'
import { LISTED, shown } from './shown.ts'

type Mail = Evidence['mail_records']

const isReportAddress = (uri: string) => /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(uri)

export function judgeTlsRpt(
  { status, reason, name, count, record }: Mail['tls_rpt'],
  hasMx: boolean,
): Judgement<Section['tls_rpt']> {
  if (status === 'unknown') return { part: { status, reports: [] }, faults: [], unknown: reason }
  if (count === 0) {
    const message = 'No TLS-RPT record asks for reports of mail that failed to arrive over TLS.'
    const faults = hasMx ? [{ code: 'missing_tls_rpt', message } as const] : []
    return { part: { status: 'missing', reports: [] }, faults, unknown: null }
  }
  const rua = record?.tags.find(tag => tag.name === 'rua')?.value ?? ''
  const reports = rua.split(',').map(uri => uri.trim())
  if (record !== null && reports.every(isReportAddress)) {
    return { part: { status: 'valid', reports: reports.slice(0, LISTED).map(shown) }, faults: [], unknown: null }
  }
  const message = `${name} has ${count > 1 ? `${count} TLS-RPT records` : 'a TLS-RPT record without valid addresses'}.`
  return {
    part: { status: 'invalid', reports: [] },
    faults: [{ code: 'invalid_tls_rpt_record', message }],
    unknown: null,
  }
}
