// Finds the brands that own a host's domain, for judgements of both names and pages.
import { getPublicSuffix } from 'tldts'
import { identify } from '../../targets/identity.ts'
import type { Brand } from './brand.ts'

/** The brands that own the domain at or above the host; a brand's own top-level domain counts too. */
export type OwnersOf = (host: string) => readonly Brand[]

const NO_BRANDS: readonly Brand[] = []
/** Maximum number of labels that are looked up, from the right: no brand domain has more. */
const LABELS = 6

/** `dhl` and `gov.uk` are public suffixes: their owner also has all names below them. */
const isWholeSuffix = (domain: string): boolean => getPublicSuffix(domain) === domain

/** The brands that own each domain; of several, the one with this main domain comes first. */
function ownersByDomain(brands: readonly Brand[]): ReadonlyMap<string, readonly Brand[]> {
  const owners = new Map<string, Brand[]>()
  const places = brands.flatMap(brand => brand.domains.map((domain, at) => ({ brand, domain, at })))
  for (const { brand, domain } of places.sort((one, other) => one.at - other.at)) {
    const ownedBrands = owners.get(domain)
    if (ownedBrands) ownedBrands.push(brand)
    else owners.set(domain, [brand])
  }
  return owners
}

/**
 * Tenants of a brand's hosting platform (`user.github.io`) do not belong to the brand. The index is built on first use.
 */
export function indexOwners(brands: readonly Brand[]): OwnersOf {
  let owners: ReadonlyMap<string, readonly Brand[]> | undefined
  return name => {
    owners ??= ownersByDomain(brands)
    const { host, owner, tenant } = identify(name)
    const labels = host.split('.').slice(-LABELS)
    for (const at of labels.keys()) {
      const parent = labels.slice(at).join('.')
      const match = owners.get(parent)
      if (match && (!tenant || parent.length >= owner.length || isWholeSuffix(parent))) return match
    }
    return NO_BRANDS
  }
}
