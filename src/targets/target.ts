// What is checked. A target is canonical: two spellings of one name are one target.

import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { isSpecialUse, type Parsed, parseDomain } from './domain.ts'

export type TargetKind = 'domain' | 'ip'

export type Target =
  | {
      readonly kind: 'domain'
      /** Lower case, A-labels, no final dot. */
      readonly domain: string
      /** Asked for beside the domain: connections go there. Canonical text. */
      readonly ip: string | null
      /** By the PSL with its private section (`user.github.io`); a private suffix itself (`github.io`) is its own. */
      readonly registrable: string
      /** By the ICANN section alone (`github.io`): who registered it, for RDAP and age. */
      readonly registered: string
    }
  | {
      readonly kind: 'ip'
      readonly domain: null
      readonly ip: string
      readonly registrable: null
      readonly registered: null
    }

/** Why there is nothing to check: the request is wrong (400), or it is right but names no possible target (422). */
export interface TargetFault {
  readonly ok: false
  readonly status: 400 | 422
  readonly code: 'missing-target' | 'invalid-domain' | 'invalid-ip' | 'target-not-checkable' | 'target-not-public'
  /** A sentence for the client. */
  readonly detail: string
}

/** Why an address or a name may not be contacted, as a slug, or null when it may be. */
export interface Vetting {
  refuse(address: string): string | null
  /** In A-labels. */
  refuseName(name: string): string | null
}

/** For targets that nothing is going to contact: replays, look-ups in tables. */
export const unvetted: Vetting = { refuse: () => null, refuseName: () => null }

export type ParsedTarget = { readonly ok: true; readonly target: Target } | TargetFault

/** The host name is validated already; a plain suffix look-up is left. */
const suffixOptions = { extractHostname: false, validateHostname: false, detectIp: false }
const privateSuffixOptions = { ...suffixOptions, allowPrivateDomains: true }

const fault = (status: 400 | 422, code: TargetFault['code'], detail: string): TargetFault => ({
  ok: false,
  status,
  code,
  detail,
})

/** One answer whatever the reason, so that it tells nobody what this installation keeps to itself. */
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
  if (registered === null) return notCheckable('The domain is a public suffix, under which others register.')
  const registrable = getDomain(domain, privateSuffixOptions) ?? domain
  return { ok: true, target: { kind: 'domain', domain, ip, registrable, registered } }
}

/**
 * Makes one canonical target of what a client asked for. The reason of `vetting` stays here, so that all that is refused
 * is answered alike. Never throws.
 */
export function parseTarget(
  asked: { readonly domain: string | null; readonly ip: string | null },
  vetting: Vetting,
): ParsedTarget {
  if (asked.ip === null) {
    if (asked.domain === null) return fault(400, 'missing-target', 'Give a domain or an ip.')
    return domainTarget(asked.domain, null, vetting)
  }
  const parsed = parseIp(asked.ip)
  if (!parsed.ok) return fault(400, 'invalid-ip', parsed.detail)
  const ip = parsed.value
  if (vetting.refuse(ip) !== null) return notPublic
  if (asked.domain !== null) return domainTarget(asked.domain, ip, vetting)
  return { ok: true, target: { kind: 'ip', domain: null, ip, registrable: null, registered: null } }
}

const detail =
  'The ip is neither an IPv4 address in dotted decimal nor an IPv6 address, or has a port, prefix, zone or brackets.'

/** Yields the canonical text of an address in its canonical form only: no octal, hexadecimal, short form or zone id. */
export function parseIp(written: string): Parsed {
  if (isIPv4(written)) return { ok: true, value: written }
  if (written.includes('%') || !isIPv6(written)) return { ok: false, detail }
  // The URL parser writes RFC 5952; ipaddr.js alone would read the deprecated "::8.8.8.8" (RFC 4291 section 2.5.5.1) as mapped.
  const canonical = new URL(`http://[${written}]`).hostname.slice(1, -1)
  const address = ipaddr.IPv6.parse(canonical)
  return { ok: true, value: address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : canonical }
}
