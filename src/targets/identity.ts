// Whose name a host is: one answer for feeds, lists, look-alikes, popularity and the domains of brands.
import { getPublicSuffix, parse } from 'tldts'
import { isPlatform } from './platforms.ts'

export interface HostIdentity {
  /** Without a `www.` in front, which names the same site. */
  readonly host: string
  /**
   * What its owner registered, or was given below a platform: `example.co.uk`, `tenant.github.io`, `tenant.weebly.com`.
   * A platform or public suffix is its own.
   */
  readonly owner: string
  /** Under what the owner's name is: `co.uk`, `github.io`, `weebly.com`. Empty for a public suffix. */
  readonly suffix: string
  /** The suffix is a platform, not a registry: its owner is another than the tenant. */
  readonly tenant: boolean
  /** The host itself is a public suffix or a platform: those who have names below it are strangers to each other. */
  readonly shared: boolean
}

const icann = { extractHostname: false, validateHostname: false, detectIp: false }
const withPrivate = { ...icann, allowPrivateDomains: true }

const WWW = 'www.'

/** The name without a leading `www.`, unless `www` is itself what somebody registered: `www.com`, `www.co.uk`. */
export function withoutWww(name: string): string {
  if (!name.startsWith(WWW)) return name
  const rest = name.slice(WWW.length)
  return rest.includes('.') && getPublicSuffix(rest, icann) !== rest ? rest : name
}

/**
 * By the PSL with its private section and our table of platforms. `name` is in lower case and A-labels, without a final
 * dot; an address is no name.
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

/** Whether a target is a tenant: its name is below someone else's domain, which says nothing about the target. */
export const isTenant = (target: {
  readonly registrable: string | null
  readonly registered: string | null
}): boolean => target.registrable !== target.registered
