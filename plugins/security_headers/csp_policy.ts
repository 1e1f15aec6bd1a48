// Content security policies as serialized (CSP3 section 2.2): by header and by meta element, enforced or only reporting.
import { type Headers, linesOf } from './fields.ts'

export interface Policy {
  readonly source: 'header' | 'meta'
  readonly report_only: boolean
  /** In order, the first of each name; sources without duplicates, keywords and schemes in lower case. */
  readonly directives: ReadonlyMap<string, readonly string[]>
}

export interface Meta {
  readonly name: string
  readonly content: string
}

/** Policies that are read: each more can only restrict. */
const POLICIES = 16
/** Characters of a policy that are read: room for the longest in use; the evaluator's lists cost their length squared. */
const POLICY_LENGTH = 16 * 1024

/** Directives that have no effect in a meta element (section 3.3). */
const NOT_IN_META: ReadonlySet<string> = new Set(['frame-ancestors', 'report-uri', 'sandbox'])

/** All policies of the response and its document, header policies first. A meta element cannot only report. */
export function readPolicies(headers: Headers, metas: readonly Meta[]): readonly Policy[] {
  const enforced = splitPolicies(linesOf(headers, 'content-security-policy'))
  const reporting = splitPolicies(linesOf(headers, 'content-security-policy-report-only'))
  const named = metas.filter(({ name }) => name === 'content-security-policy').map(({ content }) => content)
  return [
    ...enforced.map(text => policyOf(text, 'header', false)),
    ...named.slice(0, POLICIES).map(text => policyOf(text, 'meta', false)),
    ...reporting.map(text => policyOf(text, 'header', true)),
  ].filter(({ directives }) => directives.size > 0)
}

/** Commas part policies in a header (section 2.2.2); none of a policy's own parts may hold one. */
const splitPolicies = (lines: readonly string[]): readonly string[] =>
  lines.flatMap(line => line.split(',', POLICIES)).slice(0, POLICIES)

function policyOf(text: string, source: Policy['source'], report_only: boolean): Policy {
  const directives = new Map<string, readonly string[]>()
  for (const token of text.slice(0, POLICY_LENGTH).split(';')) {
    const [name, ...sources] = token.split(/[\t\n\f\r ]+/).filter(Boolean)
    const key = name?.toLowerCase()
    if (key === undefined || directives.has(key) || (source === 'meta' && NOT_IN_META.has(key))) continue
    directives.set(key, [...new Set(sources.map(normalize))])
  }
  return { source, report_only, directives }
}

/** Keywords and schemes are compared without case (section 2.3.1); nonces, hashes and paths are not. */
function normalize(source: string): string {
  const nonceOrHash = /^'(nonce|sha(?:256|384|512))-/i.exec(source)
  if (nonceOrHash) return nonceOrHash[0].toLowerCase() + source.slice(nonceOrHash[0].length)
  return source.startsWith("'") || source.endsWith(':') ? source.toLowerCase() : source
}
