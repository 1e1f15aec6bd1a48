// Finds the owner of a host name; used by feeds, lists, lookalikes, popularity and brand domains alike.
import { getPublicSuffix, parse } from 'tldts'
import { isPlatform } from './platforms.ts'

export interface HostIdentity {
  /** The name without a leading `www.`, which names the same site. */
  readonly host: string
  /**
   * The name that the owner registered, or received from a platform: `example.co.uk`, `tenant.github.io`,
   * `tenant.weebly.com`. For a platform or public suffix it is the host itself.
   */
  readonly owner: string
  /** The suffix of the owner's name: `co.uk`, `github.io`, `weebly.com`. Empty for a public suffix. */
  readonly suffix: string
  /** Whether the suffix is a platform instead of a registry, so that the tenant does not own it. */
  readonly tenant: boolean
  /** Whether the host itself is a public suffix or a platform, so that names below it have unrelated owners. */
  readonly shared: boolean
}

const icann = { extractHostname: false, validateHostname: false, detectIp: false }
const withPrivate = { ...icann, allowPrivateDomains: true }

const WWW = 'www.'

/** The name without a leading `www.`, unless `www` itself is the registered label: `www.com`, `www.co.uk`. */
export function withoutWww(name: string): string {
  if (!name.startsWith(WWW)) return name
  const rest = name.slice(WWW.length)
  return rest.includes('.') && getPublicSuffix(rest, icann) !== rest ? rest : name
}

/**
 * Uses the PSL with its private section and our table of platforms. Expects a name in lower case and A-labels, without a
 * final dot; not an address.
 */
export function identify(name: string): HostIdentity {
  const host = withoutWww(name)
  const { domain, publicSuffix, isPrivate } = parse(host, withPrivate)
  if (domain === null) {
    const suffix = isPrivate ? (getPublicSuffix(host, icann) ?? '') : ''
    return { host, owner: host, suffix, tenant: false, shared: true }
  }
  if (!isPlatform(domain)) {
    return { host, owner: domain, suffix: publicSuffix ?? '', tenant: isPrivate === true, shared: false }
  }
  if (host === domain) return { host, owner: domain, suffix: publicSuffix ?? '', tenant: false, shared: true }
  const label = host.slice(host.lastIndexOf('.', host.length - domain.length - 2) + 1)
  return { host, owner: label, suffix: domain, tenant: true, shared: false }
}

/** The owner of the host in an http(s) URL, or the address in its place; null for any other URL. */
export function ownerAt(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null
  const { hostname } = new URL(url)
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return /(?:^|\.)\d+$|\]$/.test(host) ? host : identify(host).owner
}

/** Whether a target is a tenant: its name is below someone else's domain, which says nothing about the target. */
export const isTenant = (target: {
  readonly registrable: string | null
  readonly registered: string | null
}): boolean => target.registrable !== target.registered
