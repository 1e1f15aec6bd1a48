// MTA-STS (RFC 8461): the DNS record that announces a policy, and the policy, which is fetched over HTTPS.

import type { CheckNetwork, FetchResult } from '../../network/network.ts'
import { type Ask, readable, VALUE_CHARACTERS } from './dns_records.ts'
import type { MtaSts, StsPolicy } from './facts.ts'
import { askTagged, readPairs, stsPolicySyntax, syntax } from './tag_list.ts'

/** RFC 8461 section 3.3 suggests at most 64 KiB. The time limit is that of other small files. */
const POLICY_BYTES = 64 * 1024
const POLICY_MS = 2_000
/** Lines read, and host patterns kept. */
const LINES = 500
const PATTERNS = 50

/** Parses `key: value` lines that end in LF or CRLF. Linear; never throws. */
export function parseStsPolicy(text: string): Omit<StsPolicy, 'failure' | 'content_type'> {
  const lines = text.split('\n', LINES).map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const { tags, violations, valid } = readPairs(lines, ':', stsPolicySyntax)
  const short = (value: string) => readable(value, VALUE_CHARACTERS)
  const first = (key: string) => {
    const value = tags.find(({ name }) => name === key)?.value
    return value === undefined ? null : short(value)
  }
  return {
    version: first('version'),
    mode: first('mode'),
    max_age: first('max_age'),
    mx: tags.flatMap(({ name, value }) => (name === 'mx' ? [short(value)] : [])).slice(0, PATTERNS),
    violations,
    valid,
  }
}

const noPolicy = (failure: string, contentType: string | null = null): StsPolicy => ({
  failure,
  content_type: contentType,
  version: null,
  mode: null,
  max_age: null,
  mx: [],
  violations: [],
  valid: true,
})

function policyOf(fetchResult: FetchResult): StsPolicy {
  const exchange = fetchResult.exchanges.at(-1)
  if (!fetchResult.ok) return noPolicy(fetchResult.failure)
  if (exchange === undefined || exchange.status !== 200) return noPolicy(`status:${exchange?.status ?? 0}`)
  const header = exchange.headers.find(([name]) => name === 'content-type')?.[1] ?? null
  const contentType = header && (header.split(';', 1)[0] ?? '').trim().toLowerCase().slice(0, VALUE_CHARACTERS)
  if (exchange.truncated === 'timeout') return noPolicy('timeout', contentType)
  if (exchange.truncated !== null) return noPolicy('truncated', contentType)
  return { failure: null, content_type: contentType, ...parseStsPolicy(fetchResult.body.toString('latin1')) }
}

/** Redirects are not followed and the certificate must verify (RFC 8461 section 3.3). */
export async function askMtaSts(
  domain: string,
  ask: Ask,
  fetch: CheckNetwork['fetch'],
  signal: AbortSignal,
): Promise<MtaSts> {
  const record = await askTagged(`_mta-sts.${domain}`, syntax.mta_sts, ask)
  if (record.record?.valid !== true) return { record, policy: null }
  const fetchResult = await fetch({
    url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
    signal,
    max_bytes: POLICY_BYTES,
    timeout_ms: POLICY_MS,
    redirects: 0,
    accept: 'text/plain',
    verify_certificate: true,
  })
  return { record, policy: policyOf(fetchResult) }
}
