// Parses serialized content security policies (CSP3 section 2.2) from headers and meta elements, enforced or report-only.
import { type Headers, linesOf } from './fields.ts'

export interface CspPolicy {
  readonly source: 'header' | 'meta'
  readonly report_only: boolean
  /** In order, the first of each name. Sources have no duplicates; keywords and schemes are in lower case. */
  readonly directives: ReadonlyMap<string, readonly string[]>
  /** Names that occur more than once; only the first counts. */
  readonly repeated: readonly string[]
}

/** A meta element of the page. */
export interface MetaElement {
  readonly name: string
  readonly content: string
}

/** Only this many policies are read. A further policy can only restrict more. */
const POLICIES = 16
/** Only this many characters of a policy are read: enough for the longest in use. Evaluation takes quadratic time. */
const POLICY_LENGTH = 16 * 1024

/** Directives without effect in a meta element (section 3.3). */
const NOT_IN_META: ReadonlySet<string> = new Set(['frame-ancestors', 'report-uri', 'sandbox'])

/** All policies of the response and its document, header policies first. A meta element cannot be report-only. */
export function readPolicies(headers: Headers, metas: readonly MetaElement[]): readonly CspPolicy[] {
  const enforcedLines = splitPolicies(linesOf(headers, 'content-security-policy'))
  const reporting = splitPolicies(linesOf(headers, 'content-security-policy-report-only'))
  const contents = metas.filter(({ name }) => name === 'content-security-policy').map(({ content }) => content)
  return [
    ...enforcedLines.map(text => policyOf(text, 'header', false)),
    ...contents.slice(0, POLICIES).map(text => policyOf(text, 'meta', false)),
    ...reporting.map(text => policyOf(text, 'header', true)),
  ].filter(({ directives }) => directives.size > 0)
}

/** Commas separate policies in a header (section 2.2.2); no part of a policy contains a comma. */
const splitPolicies = (lines: readonly string[]): readonly string[] =>
  lines.flatMap(line => line.split(',', POLICIES)).slice(0, POLICIES)

function policyOf(text: string, source: CspPolicy['source'], reportOnly: boolean): CspPolicy {
  const directives = new Map<string, readonly string[]>()
  const repeatedNames = new Set<string>()
  for (const token of text.slice(0, POLICY_LENGTH).split(';')) {
    const [name, ...sources] = token.split(/[\t\n\f\r ]+/).filter(Boolean)
    const key = name?.toLowerCase()
    if (key === undefined || (source === 'meta' && NOT_IN_META.has(key))) continue
    if (directives.has(key)) repeatedNames.add(key)
    else directives.set(key, [...new Set(sources.map(normalize))])
  }
  return { source, report_only: reportOnly, directives, repeated: [...repeatedNames] }
}

/** Keywords and schemes are case-insensitive (section 2.3.1); nonces, hashes and paths are not. */
function normalize(source: string): string {
  const nonceOrHash = /^'(nonce|sha(?:256|384|512))-/i.exec(source)
  if (nonceOrHash) return nonceOrHash[0].toLowerCase() + source.slice(nonceOrHash[0].length)
  return source.startsWith("'") || source.endsWith(':') ? source.toLowerCase() : source
}
