// The target of a check, in canonical form: two spellings of one name are one target.
import { isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { isSpecialUse, type ParsedText, parseDomain, USE_IP } from './domain.ts'
import { splitEmail } from './email.ts'
import { identify } from './identity.ts'
import { normaliseUrl, splitUrl, type TargetUrl } from './url.ts'

export type { TargetUrl } from './url.ts'

export type TargetKind = 'domain' | 'ip'

/** The kind is that of the host, with or without a URL: name, mail, DNS and certificate are the host's. */
export type Target = HostTarget & {
  /** The page to check instead of the front page, or null. Its host is `domain` or else `ip`. */
  readonly url: TargetUrl | null
  /** False when the site must not be contacted: the target is judged by its name, DNS, registration and lists. */
  readonly visit: boolean
  /** The page is to be rendered by a browser, whatever the static page shows. Absent otherwise. */
  readonly render?: true
  /** A name that the configuration reserves for tests: its result is fixed, and nothing is contacted. Absent otherwise. */
  readonly test?: TestKind
}

/** The first label of a test target says which answer it always has. */
export const TEST_KINDS = ['safe', 'review', 'block', 'unavailable'] as const
export type TestKind = (typeof TEST_KINDS)[number]

type HostTarget =
  | {
      readonly kind: 'domain'
      /** Lower case, A-labels, no final dot. */
      readonly domain: string
      /** An address requested along with the domain; connections go there. Canonical. */
      readonly ip: string | null
      /**
       * The owner's name (`identify`): by the PSL with its private section and our table of platforms
       * (`user.github.io`, `user.weebly.com`). For a platform (`github.io`) it is the platform itself.
       */
      readonly registrable: string
      /** By the ICANN section only (`github.io`): the registered name, for RDAP and age. */
      readonly registered: string
    }
  | {
      readonly kind: 'ip'
      readonly domain: null
      readonly ip: string
      readonly registrable: null
      readonly registered: null
    }

/** Why nothing can be checked: the request is malformed (400), or well-formed but not a possible target (422). */
export interface TargetFault {
  readonly ok: false
  readonly status: 400 | 422
  readonly code:
    | 'missing-target'
    | 'conflicting-targets'
    | 'invalid-domain'
    | 'invalid-ip'
    | 'invalid-url'
    | 'invalid-email'
    | 'target-not-checkable'
    | 'target-not-public'
  /** A sentence for the client. */
  readonly detail: string
}

/** Whether it is a name at an address of the client's choice, to which the name need not lead. */
export const isPair = ({ kind, ip }: Target): boolean => kind === 'domain' && ip !== null

/** Returns why an address or a name may not be contacted, as a slug; null when it may be. */
export interface Vetting {
  refuse(address: string): string | null
  /** What IANA's registries reserve an address for, whatever the configuration says; null for a public one. */
  special?(address: string): string | null
  /** In A-labels. */
  refuseName(name: string): string | null
  /** Ports that a URL may have; null for any. */
  readonly url_ports: readonly number[] | null
  /** The name below which test targets are; none when absent. */
  readonly test_targets?: string | null
}

/** For targets that are never contacted: replays, table look-ups. */
export const unvetted: Vetting = { refuse: () => null, refuseName: () => null, url_ports: null }

/** The requested target, as written. */
export interface TargetRequest {
  readonly domain: string | null
  readonly ip: string | null
  readonly url?: string | null
  /** An e-mail address, of which only the domain is a target. */
  readonly email?: string | null
  readonly visit?: boolean
  readonly render?: boolean
}

export type ParsedTarget = { readonly ok: true; readonly target: Target } | TargetFault

/** The host name has been validated; only the suffix look-up is needed. */
const suffixOptions = { extractHostname: false, validateHostname: false, detectIp: false }

const fault = (status: 400 | 422, code: TargetFault['code'], detail: string): TargetFault => ({
  ok: false,
  status,
  code,
  detail,
})

/** The same answer for every reason, so that it reveals nothing about the installation's network or configuration. */
const notPublic = fault(
  422,
  'target-not-public',
  'The target is not globally reachable, or this service is configured not to check it.',
)

/** What an address is reserved for says as little: it follows from the address alone. */
function notPublicAddress(ip: string, vetting: Vetting): TargetFault {
  const special = vetting.special?.(ip) ?? null
  if (special === null) return notPublic
  return fault(
    422,
    'target-not-public',
    `The target is not globally reachable: ${ip} is a special address (${special.replaceAll('_', ' ')}).`,
  )
}

function hint(text: string): string {
  if (/^https?:\/\//i.test(text)) return ' The parameter url checks a page.'
  return /^[^/]*@[^/]*$/.test(text) ? ' The parameter email checks the domain of an address.' : ''
}

type ParsedHost = { readonly ok: true; readonly host: HostTarget & Pick<Target, 'test'> } | TargetFault

/** Null for a name that is not below that of the test targets. */
function testTarget(domain: string, ip: string | null, reservedName: string | null): ParsedHost | null {
  if (reservedName === null || (domain !== reservedName && !domain.endsWith(`.${reservedName}`))) return null
  const test = TEST_KINDS.find(kind => domain === `${kind}.${reservedName}`)
  const testNames = TEST_KINDS.map(kind => `${kind}.${reservedName}`).join(', ')
  if (test === undefined) return fault(422, 'target-not-checkable', `The test targets are ${testNames}.`)
  return { ok: true, host: { kind: 'domain', domain, ip, registrable: domain, registered: domain, test } }
}

function domainTarget(text: string, ip: string | null, { refuseName, test_targets = null }: Vetting): ParsedHost {
  const parsed = parseDomain(text)
  if (!parsed.ok) return fault(400, 'invalid-domain', `${parsed.detail}${hint(text)}`)
  const domain = parsed.value
  const testHost = testTarget(domain, ip, test_targets)
  if (testHost !== null) return testHost
  const notCheckable = (detail: string) => fault(422, 'target-not-checkable', detail)
  if (!domain.includes('.')) return notCheckable('The domain is a single label.')
  if (isSpecialUse(domain)) return notCheckable('The domain is under a special-use name, which is not in public DNS.')
  if (refuseName(domain) !== null) return notPublic
  const registeredName = getDomain(domain, suffixOptions)
  if (registeredName === null) return notCheckable('The domain is a public suffix.')
  return {
    ok: true,
    host: { kind: 'domain', domain, ip, registrable: identify(domain).owner, registered: registeredName },
  }
}

function hostTarget({ domain, ip: address }: Pick<TargetRequest, 'domain' | 'ip'>, vetting: Vetting): ParsedHost {
  if (address === null) {
    if (domain === null) return fault(400, 'missing-target', 'Specify a domain, an ip or a url.')
    return domainTarget(domain, null, vetting)
  }
  const parsed = parseIp(address)
  if (!parsed.ok) return fault(400, 'invalid-ip', parsed.detail)
  const ip = parsed.value
  if (vetting.refuse(ip) !== null) return notPublicAddress(ip, vetting)
  if (domain !== null) return domainTarget(domain, ip, vetting)
  return { ok: true, host: { kind: 'ip', domain: null, ip, registrable: null, registered: null } }
}

/** Text that a person typed, or a line of a list: a URL, an address or a name. */
export function requestFor(text: string): TargetRequest {
  if (/^[a-z][a-z0-9+.-]*:\/|^https?:/i.test(text)) return { domain: null, ip: null, url: text }
  return isIP(text) === 0 ? { domain: text, ip: null } : { domain: null, ip: text }
}

/** The same for a single target, which may be the domain of an e-mail address. Lists repeat and keep their lines, so they take none. */
export const requestForOne = (text: string): TargetRequest =>
  /^[^/]*@[^/]*$/.test(text) ? { domain: null, ip: null, email: text } : requestFor(text)

/**
 * Returns the canonical target of a request. The reason of `vetting` is not passed on, so that all refused targets get the same
 * answer; only a special-purpose block of the IANA registries (RFC 6890), which anybody can look up, is named. Never throws.
 */
export function parseTarget(
  { domain, ip, url = null, email = null, visit = true, render = false }: TargetRequest,
  vetting: Vetting,
): ParsedTarget {
  const how = { visit, ...(render && visit ? { render } : {}) } as const
  if (email !== null) {
    if (domain === null && ip === null && url === null) return emailTarget(email, how, vetting)
    return fault(400, 'conflicting-targets', 'An email cannot be combined with a domain, an ip or a url.')
  }
  if (url !== null) {
    if (domain === null && ip === null) return urlTarget(url, how, vetting)
    return fault(
      400,
      'conflicting-targets',
      'A url cannot be combined with a domain or an ip; its host is checked too.',
    )
  }
  const parsed = hostTarget({ domain, ip }, vetting)
  return parsed.ok ? { ok: true, target: { ...parsed.host, url: null, ...how } } : parsed
}

/** The host is refused for the same reasons and with the same codes as a domain or an ip. */
function urlTarget(text: string, how: Pick<Target, 'visit' | 'render'>, vetting: Vetting): ParsedTarget {
  const split = splitUrl(text)
  if (!split.ok) return fault(400, 'invalid-url', split.detail)
  const { host, bracketed, port } = split.written
  const isAddress = bracketed || isIPv4(host)
  const parsed = hostTarget(isAddress ? { domain: null, ip: host } : { domain: host, ip: null }, vetting)
  if (!parsed.ok) return parsed.status === 400 ? { ...parsed, detail: hostFault(parsed.detail) } : parsed
  const ports = vetting.url_ports
  if (ports !== null && !ports.includes(port)) {
    return fault(422, 'target-not-checkable', `The port of the url is not one of ${ports.join(', ')}.`)
  }
  const url = normaliseUrl(split.written, parsed.host.domain ?? parsed.host.ip)
  if (typeof url === 'string') return fault(400, 'invalid-url', url)
  return { ok: true, target: { ...parsed.host, url, ...how } }
}

/** The name after the `@` is refused for the same reasons and with the same codes as a domain. No fault repeats the address. */
function emailTarget(text: string, how: Pick<Target, 'visit' | 'render'>, vetting: Vetting): ParsedTarget {
  const split = splitEmail(text)
  if (!split.ok) return fault(400, 'invalid-email', split.detail)
  const parsed = domainTarget(split.value, null, vetting)
  if (!parsed.ok) return parsed.status === 400 ? { ...parsed, detail: `Domain of the email: ${parsed.detail}` } : parsed
  return { ok: true, target: { ...parsed.host, url: null, ...how } }
}

const hostFault = (detail: string): string =>
  detail === USE_IP
    ? 'The host of the url is an IP address in an unusual spelling; write it in dotted decimal.'
    : `Host of the url: ${detail}`

/** The request that leads to a target. */
export const requestOf = ({ domain, ip, url, visit, render }: Target): TargetRequest => {
  const how = { visit, ...(render && { render }) }
  return url === null ? { domain, ip, ...how } : { domain: null, ip: null, url: url.href, ...how }
}

const INVALID_IP =
  'The ip is not an IPv4 address in dotted decimal or an IPv6 address. Ports, prefixes, zones and brackets are not accepted.'

/**
 * Returns the canonical text of an address: dotted decimal, or RFC 5952; an IPv4-mapped address becomes its IPv4
 * address. Rejects octal, hexadecimal and short IPv4 forms and zone ids.
 */
export function parseIp(text: string): ParsedText {
  if (isIPv4(text)) return { ok: true, value: text }
  if (text.includes('%') || !isIPv6(text)) return { ok: false, detail: INVALID_IP }
  // The URL parser writes RFC 5952; ipaddr.js would read the deprecated "::8.8.8.8" (RFC 4291 section 2.5.5.1) as
  // mapped.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const address = ipaddr.IPv6.parse(canonical)
  return { ok: true, value: address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : canonical }
}
