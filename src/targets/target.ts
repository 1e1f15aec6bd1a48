// What is checked. A target is canonical: two spellings of one name are one target.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { isSpecialUse, type Parsed, parseDomain } from './domain.ts'
import { identify } from './identity.ts'

export type TargetKind = 'domain' | 'ip'

export type Target =
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
  readonly code: 'missing-target' | 'invalid-domain' | 'invalid-ip' | 'target-not-checkable' | 'target-not-public'
  /** A sentence for the client. */
  readonly detail: string
}

/** Returns why an address or a name may not be contacted, as a slug; null when it may be. */
export interface Vetting {
  refuse(address: string): string | null
  /** In A-labels. */
  refuseName(name: string): string | null
}

/** For targets that are never contacted: replays, table look-ups. */
export const unvetted: Vetting = { refuse: () => null, refuseName: () => null }

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

function domainTarget(written: string, ip: string | null, { refuseName }: Vetting): ParsedTarget {
  const parsed = parseDomain(written)
  if (!parsed.ok) return fault(400, 'invalid-domain', parsed.detail)
  const domain = parsed.value
  const notCheckable = (detail: string) => fault(422, 'target-not-checkable', detail)
  if (!domain.includes('.')) return notCheckable('The domain is a single label.')
  if (isSpecialUse(domain)) return notCheckable('The domain is under a special-use name, which is not in public DNS.')
  if (refuseName(domain) !== null) return notPublic
  const registered = getDomain(domain, suffixOptions)
  if (registered === null) return notCheckable('The domain is a public suffix.')
  return { ok: true, target: { kind: 'domain', domain, ip, registrable: identify(domain).owner, registered } }
}

/**
 * Returns the canonical target of a request. The reason of `vetting` is not passed on, so that all refused targets get
 * the same answer. Never throws.
 */
export function parseTarget(
  requested: { readonly domain: string | null; readonly ip: string | null },
  vetting: Vetting,
): ParsedTarget {
  if (requested.ip === null) {
    if (requested.domain === null) return fault(400, 'missing-target', 'Specify a domain or an ip.')
    return domainTarget(requested.domain, null, vetting)
  }
  const parsed = parseIp(requested.ip)
  if (!parsed.ok) return fault(400, 'invalid-ip', parsed.detail)
  const ip = parsed.value
  if (vetting.refuse(ip) !== null) return notPublic
  if (requested.domain !== null) return domainTarget(requested.domain, ip, vetting)
  return { ok: true, target: { kind: 'ip', domain: null, ip, registrable: null, registered: null } }
}

const INVALID_IP =
  'The ip is not an IPv4 address in dotted decimal or an IPv6 address. Ports, prefixes, zones and brackets are not accepted.'

/**
 * Returns the canonical text of an address: dotted decimal, or RFC 5952; an IPv4-mapped address becomes its IPv4
 * address. Rejects octal, hexadecimal and short IPv4 forms and zone ids.
 */
export function parseIp(written: string): Parsed {
  if (isIPv4(written)) return { ok: true, value: written }
  if (written.includes('%') || !isIPv6(written)) return { ok: false, detail: INVALID_IP }
  // The URL parser writes RFC 5952; ipaddr.js would read the deprecated "::8.8.8.8" (RFC 4291 section 2.5.5.1) as
  // mapped.
  const canonical = new URL(`http://[${written}]`).hostname.slice(1, -1)
  const address = ipaddr.IPv6.parse(canonical)
  return { ok: true, value: address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : canonical }
}
