// TLS-RPT (RFC 8460): whether reports about failed TLS deliveries are requested, and where they are sent.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { PartJudgement } from './judgement.ts'
import { MAX_ENTRIES, quote } from './quoted.ts'
import type { Section } from './schema.ts'
import { describeViolations } from './violations.ts'

type Mail = Evidence['mail_records']

const isReportAddress = (uri: string) => /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(uri)

/** Judges the record for reports about TLS (RFC 8460). */
export function judgeTlsRpt(
  { status, reason, name, count, lookalikes, record }: Mail['tls_rpt'],
  hasMx: boolean,
): PartJudgement<Section['tls_rpt']> {
  if (status === 'unknown') return { part: { status, reports: null }, faults: [], unknown: reason }
  if (count === 0 && lookalikes.length === 0) {
    const message = 'The domain has no TLS-RPT record, so it receives no reports about failed TLS deliveries.'
    const faults = hasMx ? [{ code: 'missing_tls_rpt', message } as const] : []
    return { part: { status: 'missing', reports: [] }, faults, unknown: null }
  }
  const violations = describeViolations(record?.violations ?? [])
  const rua = record?.tags.find(tag => tag.name === 'rua')?.value ?? ''
  const reports = rua.split(',').map(uri => uri.trim())
  if (record?.valid === true && reports.every(isReportAddress)) {
    const message = `In the TLS-RPT record at ${name}, ${violations}.`
    return {
      part: { status: 'valid', reports: reports.slice(0, MAX_ENTRIES).map(text => printable(text)) },
      faults: violations === null ? [] : [{ code: 'tls_rpt_ignored_tag', message }],
      unknown: null,
    }
  }
  return {
    part: { status: 'invalid', reports: [] },
    faults: [{ code: 'invalid_tls_rpt_record', message: complaint({ name, count, lookalikes }, violations) }],
    unknown: null,
  }
}

function complaint(
  { name, count, lookalikes }: Pick<Mail['tls_rpt'], 'name' | 'count' | 'lookalikes'>,
  violations: string | null,
): string {
  if (count === 0) return `Senders do not read ${quote(lookalikes[0] ?? '')} as a TLS-RPT record.`
  if (count > 1) return `${name} has ${count} TLS-RPT records.`
  const why = violations === null ? '' : `: ${violations}`
  return `${name} has a TLS-RPT record without valid addresses${why}.`
}
