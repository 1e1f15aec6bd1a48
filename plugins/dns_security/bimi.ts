// BIMI: the brand logo. Mail clients show it only for domains with an enforced DMARC policy.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { Fault } from './faults.ts'
import type { Judgement } from './judgement.ts'
import type { Section } from './schema.ts'

type Mail = Evidence['mail_records']

const isHttps = (location: string) => /^https:\/\/[^\s]+$/i.test(location)

/** A record with empty `l` and `a` opts out, which is valid. */
export function judgeBimi(
  { status, reason, name, count, record }: Mail['bimi'],
  dmarc: Section['dmarc'],
): Judgement<Section['bimi']> {
  const none = { logo: null, authority: null }
  if (status === 'unknown') return { part: { status, ...none }, faults: [], unknown: reason }
  if (count === 0) return { part: { status: 'missing', ...none }, faults: [], unknown: null }
  const location = (tag: string) => printable(record?.tags.find(found => found.name === tag)?.value ?? '') || null
  const [logo, authority] = [location('l'), location('a')]
  const hasLogoTag = record?.tags.some(tag => tag.name === 'l') ?? false
  if (!hasLogoTag || [logo, authority].some(uri => uri !== null && !isHttps(uri))) {
    const message = `The BIMI record at ${name} must be a single record with an https URL of the logo.`
    return { part: { status: 'invalid', ...none }, faults: [{ code: 'invalid_bimi_record', message }], unknown: null }
  }
  const message = 'A BIMI logo is published, but mail clients show it only once the DMARC policy is enforced.'
  const isLenient = dmarc.status !== 'unknown' && (dmarc.effective_policy ?? 'none') === 'none'
  const faults: Fault[] = logo !== null && isLenient ? [{ code: 'bimi_without_enforcement', message }] : []
  return { part: { status: 'valid', logo, authority }, faults, unknown: null }
}
