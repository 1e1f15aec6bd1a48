// security_txt: whether the site publishes a contact for vulnerability reports, and whether the file follows RFC 9116.
import { analyzer, day, notFetched, PAGE_WITHHELD, servedFields } from '../../src/engine/plugin.ts'
import { expiryOf, findIssues, isValid, readFile, type SecurityTxt } from './file.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'

const MAX_FIELDS = 50

const without = (url: string, presence: false | null): Section => ({
  url,
  found: presence,
  valid: null,
  signed: null,
  expires_at: null,
  expired: null,
  fields: null,
  issues: null,
})

/** Why it is unknown what the file holds, or null. */
function unknownOf(file: SecurityTxt): string | null {
  const isCut = file.truncated && readFile(file) !== null
  return isCut ? 'security_txt_too_large' : notFetched('security_txt', file)
}

export default analyzer({
  name: 'security_txt',
  description: 'The contact for vulnerability reports in security.txt, and whether the file is valid.',
  targets: ['domain', 'ip'],
  needs: ['served'],
  wants: ['security_txt'],
  presentation,
  schema: Section,
  signals: {
    security_txt_expired: {
      weight: 0,
      group: 'hygiene',
      severity: 'info',
      title: 'The security.txt file has expired',
      advice: 'If the site is yours, update the file: readers should no longer use an expired one.',
    },
  },
  analyze({ security_txt, served }, { now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    if (security_txt === null) return { unavailable: 'no_security_txt' }
    const { url, status } = security_txt
    const file = readFile(security_txt)
    const unknownReason = unknownOf(security_txt)
    if (file === null || unknownReason !== null) {
      // A block page or challenge withholds this file too.
      const reason = outcome.unread.unknown === PAGE_WITHHELD ? PAGE_WITHHELD : unknownReason
      return {
        section: without(url, reason !== null || status === 'unknown' ? null : false),
        signals: [],
        ...(reason !== null && { unknown: reason }),
      }
    }
    const issues = findIssues(file, security_txt, now)
    const expiresAt = expiryOf(file)?.toISOString() ?? null
    const section: Section = {
      url,
      found: true,
      valid: isValid(issues),
      signed: file.signature === 'complete' || file.signature === 'followed',
      expires_at: expiresAt,
      expired: expiresAt === null ? null : issues.includes('expired'),
      fields: file.fields.slice(0, MAX_FIELDS).map(({ name, value }) => ({ name, value })),
      issues,
    }
    if (!issues.includes('expired')) return { section, signals: [] }
    const detail = `The security.txt file expired on ${day(expiresAt)}.`
    return { section, signals: [{ id: 'security_txt_expired', detail, evidence: { url, expires_at: expiresAt } }] }
  },
})
