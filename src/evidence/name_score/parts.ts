// Splits a host name into the parts the name model reads.
import { identify } from '../../targets/identity.ts'

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

/** As `identify` does; a platform itself is a name like others. */
export function splitName(name: string): NameParts {
  const { host, owner, suffix, tenant } = identify(name)
  const label = suffix === '' ? '' : owner.slice(0, -suffix.length - 1)
  return { subdomain: host.slice(0, -owner.length - 1), label, suffix: suffix === '' ? owner : suffix, tenant }
}

/** The names that one owner has under one suffix are one group: no two parts of a split may share it. */
export const ownerOf = ({ label, suffix }: NameParts): string => `${label}.${suffix}`
