// Whether a certificate is valid for a host name (RFC 9525): by subject alternative names only, never by the subject.
import { getPublicSuffix, parse } from 'tldts'
import type { Target } from '../../src/engine/plugin.ts'
import type { Certificate } from './tls.ts'

/** `*` matches exactly one label, alone and left-most, and is never allowed directly below a public suffix. */
function wildcardCovers(pattern: string, host: string): boolean {
  const parent = pattern.slice(2)
  const dot = host.indexOf('.')
  if (!pattern.startsWith('*.') || dot < 1 || host.slice(dot + 1) !== parent) return false
  const { isIcann, publicSuffix } = parse(parent, { allowPrivateDomains: false })
  return parent.includes('.') && !(isIcann && publicSuffix === parent)
}

/** `host` is in A-labels and lower case, as targets are. */
export function namesHost(certificate: Pick<Certificate, 'dns_names'>, host: string): boolean {
  return certificate.dns_names.some(name => name === host || wildcardCovers(name, host))
}

/** Whether the certificate is valid for the name or the address of the target. */
export function namesTarget(certificate: Certificate, target: Target): boolean {
  return target.kind === 'ip' ? certificate.ip_addresses.includes(target.ip) : namesHost(certificate, target.domain)
}

/** The matching wildcard, if it is the only match and covers every customer of a shared suffix (`*.github.io`). */
export function sharedWildcard(certificate: Certificate, target: Target): string | null {
  if (target.kind === 'ip' || certificate.dns_names.includes(target.domain)) return null
  const covering = certificate.dns_names.find(name => wildcardCovers(name, target.domain))
  const parent = covering?.slice(2)
  return covering !== undefined && parent === getPublicSuffix(target.domain, { allowPrivateDomains: true })
    ? covering
    : null
}
