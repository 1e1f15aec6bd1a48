// Parses a security.txt file (RFC 9116): its fields and their issues. Takes linear time; never throws.
import { type Evidence, printable } from '../../src/engine/plugin.ts'

export type SecurityTxt = Evidence['security_txt']

export interface Field {
  /** Lower case. */
  readonly name: string
  readonly value: string
}

export interface File {
  readonly fields: readonly Field[]
  /** Some line is neither a field nor a comment. */
  readonly malformed: boolean
  /** An OpenPGP cleartext signed message (section 2.3). The signature is not verified. */
  readonly signed: boolean
}

const BEGIN_SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----'
const BEGIN_SIGNATURE = '-----BEGIN PGP SIGNATURE-----'
const VALUE_CHARACTERS = 512

/** The fields of section 2.5, and later ones from the registry of section 6.2. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['acknowledgments', 'canonical', 'contact', 'encryption', 'expires', 'hiring', 'policy', 'preferred-languages'],
  ...['csaf', 'bug-bounty'],
])

/** Null if the text is not a security.txt file: a page served in its place, or text without any known field. */
export function readFile(text: string): File | null {
  const signed = text.startsWith(BEGIN_SIGNED)
  const lines = signed ? signedLines(text) : text.split('\n')
  const read = lines.map(readLine)
  const fields = read.filter(line => typeof line === 'object')
  if (text.trimStart().startsWith('<') || !fields.some(({ name }) => KNOWN.has(name))) return null
  return { fields, malformed: read.includes('malformed'), signed }
}

/** The signed text (RFC 9580 section 7): after the armor headers and an empty line, dash-escaped, up to the signature. */
function signedLines(text: string): string[] {
  const lines = text.split('\n')
  const begin = lines.indexOf('')
  const end = lines.indexOf(BEGIN_SIGNATURE)
  return lines.slice(begin + 1, end < 0 ? undefined : end).map(line => line.replace(/^- /, ''))
}

function readLine(line: string): Field | 'blank' | 'malformed' {
  if (line.trim() === '' || line.startsWith('#')) return 'blank'
  const [, name, value = ''] = /^([A-Za-z][A-Za-z0-9-]{0,63}):(.*)$/.exec(line) ?? []
  if (name === undefined || value.trim() === '') return 'malformed'
  return { name: name.toLowerCase(), value: printable(value, VALUE_CHARACTERS) }
}

export const valuesOf = ({ fields }: File, wanted: string): readonly string[] =>
  fields.flatMap(({ name, value }) => (name === wanted ? [value] : []))

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
  'wrong_content_type',
  'not_https',
  'expires_too_late',
  'canonical_mismatch',
] as const
export type Issue = (typeof ISSUES)[number]

const ADVICE: ReadonlySet<Issue> = new Set<Issue>(['expires_too_late', 'canonical_mismatch'])

/** Whether the file follows RFC 9116. */
export const isValid = (issues: readonly Issue[]): boolean => issues.every(issue => ADVICE.has(issue))

/** Fields with a URI as value (section 2.5). */
const URIS = ['acknowledgments', 'canonical', 'contact', 'csaf', 'encryption', 'hiring', 'policy']
/** Section 2.5.5 recommends less than a year; this allows for a leap year and the time of day. */
const LONGEST_MS = 367 * 24 * 60 * 60 * 1_000

export function findIssues(file: File, { url, content_type }: SecurityTxt, now: Date): Issue[] {
  const values = (name: string) => valuesOf(file, name)
  const uris = URIS.flatMap(values)
  const canonical = values('canonical')
  const expires = values('expires')
  const expiry = expiryOf(file)
  const left = expiry === null ? null : expiry.getTime() - now.getTime()
  const found: Readonly<Record<Issue, boolean>> = {
    missing_contact: values('contact').length === 0,
    missing_expires: expires.length === 0,
    repeated_expires: expires.length > 1,
    malformed_expires: expires.length === 1 && expiry === null,
    expired: left !== null && left <= 0,
    repeated_preferred_languages: values('preferred-languages').length > 1,
    not_a_uri: uris.some(uri => !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)),
    insecure_uri: uris.some(uri => /^http:/i.test(uri)),
    malformed_line: file.malformed,
    wrong_content_type: !/^text\/plain *(?:;|$)/i.test(content_type ?? ''),
    not_https: !url.startsWith('https:'),
    expires_too_late: left !== null && left > LONGEST_MS,
    canonical_mismatch: canonical.length > 0 && !canonical.includes(url),
  }
  return ISSUES.filter(issue => found[issue])
}

/** The Expires field, a date and time of RFC 3339; null if it is missing, repeated or malformed. */
export function expiryOf(file: File): Date | null {
  const [written = '', ...others] = valuesOf(file, 'expires')
  if (others.length > 0 || !/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.test(written)) {
    return null
  }
  const date = new Date(written.replace(' ', 'T').toUpperCase())
  return Number.isNaN(date.getTime()) ? null : date
}
