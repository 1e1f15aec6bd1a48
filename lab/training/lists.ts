// Reads lists of names: plain text or tab-separated columns, gzip or not.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type NameParts, splitName } from '../../src/evidence/name_score/facts.ts'

/** `benign` and the kinds of malicious names. */
export const kinds = ['benign', 'phishing', 'malware', 'scam', 'dga'] as const
export type Kind = (typeof kinds)[number]

export interface LabelledName {
  readonly parts: NameParts
  readonly kind: Kind
  /** The list that contains the name. */
  readonly source: string
}

/** Letters, digits and hyphens in at least two labels: other names are not used for training. */
const hostName = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

const isKind = (text: string): text is Kind => (kinds as readonly string[]).includes(text)

/** Columns: `host`, optionally the class, and the source. Lines without a host name are skipped. */
function readLine(line: string, fallback: Kind): LabelledName | null {
  const [nameText = '', ...columns] = line.trim().split('\t')
  const host = nameText.toLowerCase()
  if (!hostName.test(host)) return null
  const parts = splitName(host)
  if (parts.label === '') return null
  const [first = '', ...rest] = columns
  const isNamed = fallback !== 'benign' && isKind(first)
  return { parts, kind: isNamed ? first : fallback, source: (isNamed ? rest[0] : first) ?? '' }
}

/** Malicious names without a class count as phishing. */
export function readList(path: string, side: 'benign' | 'malicious'): LabelledName[] {
  const bytes = readFileSync(path)
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
  const fallback = side === 'benign' ? 'benign' : 'phishing'
  return text.split('\n').flatMap(line => readLine(line, fallback) ?? [])
}
