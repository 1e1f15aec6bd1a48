// BIMI: the brand logo. Mail clients show it only for domains with an enforced DMARC policy.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement, PartStatus } from './judgement.ts'
import { quote } from './quoted.ts'
import type { Section } from './schema.ts'
import { describeViolations } from './violations.ts'

type Mail = Evidence['mail_records']

const isHttps = (location: string) => /^https:\/\/[^\s]+$/i.test(location)

/** Pictures of other types, by the path of their URL. */
const NOT_SVG = /^[^?#]*\.(?:avif|bmp|gif|ico|jpe?g|pdf|png|tiff?|webp)(?:[?#]|$)/i

const PREFIX = 'default._bimi.'

/** A record with empty `l` and `a` opts out, which is valid. */
export function judgeBimi(
  domain: string,
  { status, reason, name, count, lookalikes, record }: Mail['bimi'],
  dmarc: Section['dmarc'],
): PartJudgement<Section['bimi']> {
  const at = name.slice(PREFIX.length)
  const without = (state: PartStatus): Section['bimi'] => ({
    status: state,
    published: at === domain ? state : 'missing',
    found_at: count > 0 ? at : null,
    logo: null,
    authority: null,
  })
  if (status === 'unknown') return { part: without(status), faults: [], unknown: reason }
  if (count === 0 && lookalikes.length === 0) return { part: without('missing'), faults: [], unknown: null }
  const invalid = (message: string): PartJudgement<Section['bimi']> => {
    return { part: without('invalid'), faults: [{ code: 'invalid_bimi_record', message }], unknown: null }
  }
  if (count === 0) return invalid(`Mail clients do not read ${quote(lookalikes[0] ?? '')} as a BIMI record.`)
  const violations = describeViolations(record?.violations ?? [])
  if (record?.valid === false) return invalid(`Mail clients ignore the BIMI record at ${name}: ${violations}.`)
  const location = (tag: string) => printable(record?.tags.find(tagValue => tagValue.name === tag)?.value ?? '') || null
  const [logo, authority] = [location('l'), location('a')]
  const hasLogoTag = record?.tags.some(tag => tag.name === 'l') ?? false
  if (!hasLogoTag || [logo, authority].some(uri => uri !== null && !isHttps(uri))) {
    return invalid(`The BIMI record at ${name} must be a single record with an https URL of the logo.`)
  }
  const faults: DnsFault[] = []
  if (violations !== null) {
    faults.push({ code: 'bimi_ignored_tag', message: `In the BIMI record at ${name}, ${violations}.` })
  }
  if (logo !== null && NOT_SVG.test(logo)) {
    const message = `The BIMI logo of ${name} does not end in .svg, and mail clients show only SVG.`
    faults.push({ code: 'bimi_logo_not_svg', message })
  }
  if (logo !== null && dmarc.status !== 'unknown' && (dmarc.effective_policy ?? 'none') === 'none') {
    const message = 'A BIMI logo is published, but mail clients show it only once the DMARC policy is enforced.'
    faults.push({ code: 'bimi_without_enforcement', message })
  } else if (logo !== null && dmarc.subdomain_policy === 'none') {
    const message =
      'A BIMI logo is published, but mail clients show it only once the DMARC policy is enforced for names below, too (sp=none).'
    faults.push({ code: 'bimi_without_enforcement', message })
  }
  return { part: { ...without('valid'), logo, authority }, faults, unknown: null }
}
