// Parses a security.txt file (RFC 9116): its fields and their issues. Takes linear time; never throws.
import { type Evidence, printable } from '../../src/engine/plugin.ts'

export type SecurityTxt = Evidence['security_txt']

/** A line of the file. */
export interface FileField {
  /** Lower case. */
  readonly name: string
  readonly value: string
}

/** A parsed file. */
export interface File {
  readonly fields: readonly FileField[]
  /** Some line is neither a field nor a comment. */
  readonly malformed: boolean
  readonly signature: SignatureState
}

/**
 * `complete`: the file is an OpenPGP cleartext signed message (section 2.3), whose signature nobody has verified.
 * `malformed`: it begins as one, but a part is missing. `followed`: complete, and text follows that it does not cover.
 */
export type SignatureState = 'none' | 'complete' | 'malformed' | 'followed'

const VALUE_CHARACTERS = 512

/** The fields of section 2.5, and later ones from the registry of section 6.2. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'acknowledgments',
  'canonical',
  'contact',
  'encryption',
  'expires',
  'hiring',
  'policy',
  'preferred-languages',
  'csaf',
  'bug-bounty',
])

/**
 * Null if the text is not a security.txt file: a page served in its place, or text that has no known field and is not plain
 * text of fields only. Sites may define fields of their own (section 2.4).
 */
export function readFile({ text, content_type }: Pick<SecurityTxt, 'text' | 'content_type'>): File | null {
  if (text === null || text.trimStart().startsWith('<')) return null
  const { body, signature } = readMessage(text.split('\n'))
  const lines = body.map(readLine)
  const fields = lines.filter(line => typeof line === 'object')
  const isMalformed = lines.includes('malformed')
  const isOwn = fields.length > 0 && !isMalformed && isPlainText(content_type)
  return isOwn || fields.some(({ name }) => KNOWN_FIELDS.has(name))
    ? { fields, malformed: isMalformed, signature }
    : null
}

const isPlainText = (contentType: string | null): boolean => /^text\/plain *(?:;|$)/i.test(contentType ?? '')

/** A line of dashes and words; blanks may follow (RFC 4880 section 6.2). */
const isArmor = (line: string | undefined, words: string): boolean => line?.trimEnd() === `-----${words}-----`
const isBlank = (line: string | undefined): boolean => line !== undefined && line.trim() === ''
const HASHES = /^Hash: ?[\w-]+(?:, ?[\w-]+)*\s*$/
const ARMOR_HEADER = /^[A-Za-z]+: /
const RADIX_64 = /^[A-Za-z0-9+/]*={0,2}\s*$|^=[A-Za-z0-9+/]{4}\s*$/

/**
 * Splits a cleartext signed message (RFC 4880 section 7): opening, hash names, blank line, dash-escaped text, signature with
 * headers, blank line and data, end. Of one with missing parts, the text is what is left.
 */
function readMessage(lines: readonly string[]): { body: readonly string[]; signature: SignatureState } {
  if (!isArmor(lines[0], 'BEGIN PGP SIGNED MESSAGE')) return { body: lines, signature: 'none' }
  /** The first line from `from` on that is not such a line. */
  const after = (from: number, isSuch: (line: string) => boolean) => {
    const at = lines.findIndex((line, at) => at >= from && !isSuch(line))
    return at < 0 ? lines.length : at
  }
  const blank = after(1, line => HASHES.test(line))
  const text = blank + Number(isBlank(lines[blank]))
  const armor = after(text, line => !isArmor(line, 'BEGIN PGP SIGNATURE'))
  const gap = after(armor + 1, line => ARMOR_HEADER.test(line))
  const end = after(gap + 1, line => line.trim() !== '' && RADIX_64.test(line))
  const isComplete =
    blank > 1 && text > blank && isBlank(lines[gap]) && end > gap + 1 && isArmor(lines[end], 'END PGP SIGNATURE')
  const isFollowed = lines.slice(end + 1).some(line => !isBlank(line))
  return {
    body: lines.slice(text, armor).map(line => line.replace(/^- /, '')),
    signature: !isComplete ? 'malformed' : isFollowed ? 'followed' : 'complete',
  }
}

function readLine(line: string): FileField | 'blank' | 'malformed' {
  if (line.trim() === '' || line.startsWith('#')) return 'blank'
  const [, name, value = ''] = /^([A-Za-z][A-Za-z0-9-]{0,63}):(.*)$/.exec(line) ?? []
  if (name === undefined || value.trim() === '') return 'malformed'
  return { name: name.toLowerCase(), value: printable(value, VALUE_CHARACTERS) }
}

/** The values of a field, by its name in lower case. */
export const valuesOf = ({ fields }: File, field: string): readonly string[] =>
  fields.flatMap(({ name, value }) => (name === field ? [value] : []))

/** The last two go against advice only; the others violate RFC 9116. */
export const ISSUES = [
  'missing_contact',
  'missing_expires',
  'repeated_expires',
  'malformed_expires',
  'expired',
  'repeated_preferred_languages',
  'not_a_uri',
  'insecure_uri',
  'malformed_line',
  'malformed_signature',
  'text_after_signature',
  'wrong_content_type',
  'not_https',
  'expires_too_late',
  'canonical_mismatch',
] as const
export type FileIssue = (typeof ISSUES)[number]

const ADVICE: ReadonlySet<FileIssue> = new Set<FileIssue>(['expires_too_late', 'canonical_mismatch'])

/** Whether the file follows RFC 9116. */
export const isValid = (issues: readonly FileIssue[]): boolean => issues.every(issue => ADVICE.has(issue))

/** Fields with a URI as value (section 2.5). */
const URIS = ['acknowledgments', 'canonical', 'contact', 'csaf', 'encryption', 'hiring', 'policy']
/** Section 2.5.5 recommends less than a year; this allows for a leap year and the time of day. */
const LONGEST_MS = 367 * 24 * 60 * 60 * 1_000

/** What is wrong with the file by RFC 9116, at the time of the check. */
export function findIssues(file: File, { url, content_type }: SecurityTxt, now: Date): FileIssue[] {
  const values = (name: string) => valuesOf(file, name)
  const uris = URIS.flatMap(values)
  const canonical = values('canonical')
  const expires = values('expires')
  const expiry = expiryOf(file)
  const remainingMs = expiry === null ? null : expiry.getTime() - now.getTime()
  const issues: Readonly<Record<FileIssue, boolean>> = {
    missing_contact: values('contact').length === 0,
    missing_expires: expires.length === 0,
    repeated_expires: expires.length > 1,
    malformed_expires: expires.length === 1 && expiry === null,
    expired: remainingMs !== null && remainingMs <= 0,
    repeated_preferred_languages: values('preferred-languages').length > 1,
    not_a_uri: uris.some(uri => !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)),
    insecure_uri: uris.some(uri => /^http:/i.test(uri)),
    malformed_line: file.malformed,
    malformed_signature: file.signature === 'malformed',
    text_after_signature: file.signature === 'followed',
    wrong_content_type: !isPlainText(content_type),
    not_https: !url.startsWith('https:'),
    expires_too_late: remainingMs !== null && remainingMs > LONGEST_MS,
    canonical_mismatch: canonical.length > 0 && !canonical.includes(url),
  }
  return ISSUES.filter(issue => issues[issue])
}

/** The Expires field, a date and time of RFC 3339; null if it is missing, repeated or malformed. */
export function expiryOf(file: File): Date | null {
  const [expiry = '', ...others] = valuesOf(file, 'expires')
  if (others.length > 0 || !/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.test(expiry)) {
    return null
  }
  const date = new Date(expiry.replace(' ', 'T').toUpperCase())
  return Number.isNaN(date.getTime()) ? null : date
}
