// Strict-Transport-Security (RFC 6797).
import { type HstsPreload, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf, splitOutsideQuotes } from './fields.ts'
import { type HeaderJudgement, type HeaderStatus, judgedObject } from './judgement.ts'

export const Hsts = judgedObject('Whether browsers insist on HTTPS.', {
  max_age: nullable(Type.Integer({ description: 'Seconds, at most 2147483647; null if browsers ignore the header.' })),
  include_sub_domains: Type.Boolean({ description: 'Names below, too.' }),
  preload: Type.Boolean({ description: 'The site asks for a place on the list that browsers ship.' }),
  preloaded: nullable(
    Type.Boolean({
      description: 'The host is on the list that browsers ship; null without the dataset, or for another host.',
    }),
  ),
  preload_eligible: nullable(
    Type.Boolean({
      description:
        'Meets the conditions of the preload lists for headers and redirects; null if the visit did not include the registrable domain.',
    }),
  ),
})

/** A field by the grammar of RFC 6797 section 6.1. */
export interface StrictTransportSecurity {
  readonly max_age: number
  readonly include_sub_domains: boolean
  readonly preload: boolean
}

/** Fits every client's integer; 68 years. */
const LONGEST = 2_147_483_647
const DAY = 86_400
const YEAR = 365 * DAY

/** A whole directive: a token, with an optional token or quoted string as its value (section 6.1). */
const DIRECTIVE =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)|"((?:[^"\\]|\\.)*)"))?$/

/** Null if the field is invalid, so browsers ignore it (section 8.1): a duplicate, a bad value, or no max-age. */
export function parseStrictTransportSecurity(field: string): StrictTransportSecurity | null {
  const directives = new Map<string, string | null>()
  for (const piece of splitOutsideQuotes(field, ';').filter(Boolean)) {
    const [, name, token, quotedValue] = DIRECTIVE.exec(piece) ?? []
    if (name === undefined || directives.has(name.toLowerCase())) return null
    directives.set(name.toLowerCase(), token ?? quotedValue?.replace(/\\(.)/g, '$1') ?? null)
  }
  const age = directives.get('max-age') ?? ''
  const subdomains = directives.get('includesubdomains')
  if (!/^\d+$/.test(age) || (subdomains !== undefined && subdomains !== null)) return null
  return {
    max_age: Math.min(Number(age), LONGEST),
    include_sub_domains: subdomains === null,
    // `preload` is defined by the preload lists; browsers ignore it like every unknown directive (section 6.1).
    preload: directives.get('preload') === null,
  }
}

/** The duration of the policy in seconds, the share it earns, and its name. */
const durations: readonly { readonly from: number; readonly share: number; readonly status: HeaderStatus }[] = [
  { from: YEAR, share: 1, status: 'pass' },
  { from: 180 * DAY, share: 0.9, status: 'pass' },
  { from: 30 * DAY, share: 0.5, status: 'warn' },
  { from: 1, share: 0.2, status: 'warn' },
  { from: 0, share: 0, status: 'fail' },
]
/** The share of a policy without includeSubDomains, compared with one that has it. */
const HOST_ALONE = 0.85

/** The parts of a response that the preload lists check. */
export interface HstsHop {
  readonly url: string
  readonly headers: Headers
}

/**
 * `hops`: all responses of the visit, the evaluated one last. If that host is an IP address, browsers never store the
 * policy (section 8.1.1). `registrable`: the target's registrable domain, null for IP addresses. `redirectsFromHttp`:
 * whether HTTP redirects to HTTPS, which the preload lists require too; null if unknown. `rejectedHost`: the host whose
 * certificate browsers reject, so that they ignore its policy (section 8.1). `preload`: whether the host is on the
 * preload list.
 */
export function judgeHsts(
  hops: readonly HstsHop[],
  registrable: string | null,
  redirectsFromHttp: boolean | null,
  rejectedHost: string | null = null,
  preload: HstsPreload | null = null,
): HeaderJudgement<Static<typeof Hsts>> {
  const last = hops.at(-1)
  const lines = linesOf(last?.headers ?? [], 'strict-transport-security')
  const https = last !== undefined && isHttps(last.url)
  const isRejected = rejectedHost !== null && last !== undefined && hostOf(last.url) === rejectedHost
  const policy = https && !isRejected ? parseFirst(lines) : null
  const present = lines.length > 0
  const sectionOf = (status: HeaderStatus, recommendation: string | null) => ({
    present,
    value: displayText(lines),
    max_age: policy?.max_age ?? null,
    include_sub_domains: policy?.include_sub_domains ?? false,
    preload: policy?.preload ?? false,
    preloaded: preload !== null && last !== undefined && hostOf(last.url) === preload.host ? preload.preloaded : null,
    preload_eligible: preloadEligible(hops, registrable, rejectedHost === registrable ? false : redirectsFromHttp),
    status,
    recommendation,
  })
  if (last !== undefined && isAddress(last.url)) return { section: sectionOf(null, null), share: null }
  const duration = durations.find(({ from }) => (policy?.max_age ?? 0) >= from)
  const share = (duration?.share ?? 0) * (policy?.include_sub_domains ? 1 : HOST_ALONE)
  return {
    section: sectionOf(
      duration?.status ?? 'fail',
      isRejected && present ? FIX_CERTIFICATE : recommend(present, https, policy),
    ),
    share,
  }
}

const FIX_CERTIFICATE = 'Fix the certificate: browsers reject it and ignore the header.'

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null)

/** Browsers process the first line only (section 8.1). */
const parseFirst = ([first]: readonly string[]) => (first === undefined ? null : parseStrictTransportSecurity(first))

/** Whether the host is an IP address. */
const isAddress = (url: string): boolean => /^https?:\/\/(?:\[|[\d.]+(?:[:/]|$))/.test(url)

const isHttps = (url: string): boolean => url.startsWith('https://')

function preloadEligible(
  hops: readonly HstsHop[],
  registrable: string | null,
  redirectsFromHttp: boolean | null,
): boolean | null {
  const base = hops.filter(({ url }) => isHttps(url) && URL.canParse(url) && new URL(url).hostname === registrable)
  if (base.length === 0) return null
  if (redirectsFromHttp === false) return false
  return base.every(({ headers }) => {
    const policy = parseFirst(linesOf(headers, 'strict-transport-security'))
    return policy?.preload === true && policy.include_sub_domains && policy.max_age >= YEAR
  })
}

function recommend(present: boolean, https: boolean, policy: StrictTransportSecurity | null): string | null {
  if (!https) return 'Serve the page over HTTPS: browsers ignore the header over HTTP.'
  if (!present) return 'Send Strict-Transport-Security: max-age=31536000; includeSubDomains.'
  if (policy === null) return 'Fix the header: it violates RFC 6797, so browsers ignore it.'
  if (policy.max_age === 0) return 'Raise max-age: 0 tells browsers to forget the policy.'
  if (policy.max_age < YEAR) return 'Raise max-age to a year (31536000) or more.'
  return policy.include_sub_domains ? null : 'Add includeSubDomains once every subdomain supports HTTPS.'
}
