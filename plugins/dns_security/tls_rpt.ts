// TLS-RPT (RFC 8460): whether reports about failed TLS deliveries are requested, and where they are sent.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { Judgement } from './judgement.ts'
import type { Section } from './schema.ts'
import { LISTED } from './shown.ts'

type Mail = Evidence['mail_records']

const isReportAddress = (uri: string) => /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(uri)

export function judgeTlsRpt(
  { status, reason, name, count, record }: Mail['tls_rpt'],
  hasMx: boolean,
): Judgement<Section['tls_rpt']> {
  if (status === 'unknown') return { part: { status, reports: null }, faults: [], unknown: reason }
  if (count === 0) {
    const message = 'The domain has no TLS-RPT record, so it receives no reports about failed TLS deliveries.'
    const faults = hasMx ? [{ code: 'missing_tls_rpt', message } as const] : []
    return { part: { status: 'missing', reports: [] }, faults, unknown: null }
  }
  const rua = record?.tags.find(tag => tag.name === 'rua')?.value ?? ''
  const reports = rua.split(',').map(uri => uri.trim())
  if (record !== null && reports.every(isReportAddress)) {
    return {
      part: { status: 'valid', reports: reports.slice(0, LISTED).map(text => printable(text)) },
      faults: [],
      unknown: null,
    }
  }
  const message = `${name} has ${count > 1 ? `${count} TLS-RPT records` : 'a TLS-RPT record without valid addresses'}.`
  return {
    part: { status: 'invalid', reports: [] },
    faults: [{ code: 'invalid_tls_rpt_record', message }],
    unknown: null,
  }
}
