// Splits a host name into the parts the name model reads.
import { parse } from 'tldts'
import { isPlatform } from '../../targets/platforms.ts'

export interface NameParts {
  /** What stands before the label, dots included; empty when nothing does. */
  readonly subdomain: string
  /** What its owner chose: `example` of `example.co.uk`, `tenant` of `tenant.github.io`. */
  readonly label: string
  /** Under what it was chosen: `co.uk`, `github.io`. */
  readonly suffix: string
  /** The suffix is a platform, not a registry. */
  readonly tenant: boolean
}

const options = { extractHostname: false, validateHostname: false, detectIp: false }
const privateOptions = { ...options, allowPrivateDomains: true }

/** The label before the suffix and what is left before it. */
function partsUnder(host: string, suffix: string, tenant: boolean): NameParts {
  const before = host.slice(0, -suffix.length - 1)
  const dot = before.lastIndexOf('.')
  return { subdomain: dot < 0 ? '' : before.slice(0, dot), label: before.slice(dot + 1), suffix, tenant }
}

/** By the PSL with its private section and our table of platforms; a platform itself is a name like others. */
export function splitName(name: string): NameParts {
  const host = name.startsWith('www.') ? name.slice(4) : name
  const { domain, publicSuffix, isPrivate } = parse(host, privateOptions)
  if (domain === null) return partsUnder(host, parse(host, options).publicSuffix ?? '', false)
  if (domain.length < host.length && isPlatform(domain)) return partsUnder(host, domain, true)
  return partsUnder(host, publicSuffix ?? '', isPrivate === true)
}

/** The names that one owner has under one suffix are one group: no two parts of a split may share it. */
export const ownerOf = ({ label, suffix }: NameParts): string => `${label}.${suffix}`
