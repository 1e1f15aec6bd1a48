// Whether two sites have one owner, judged by their names: many log-ins are on a sister site.
import { brands, identify, indexOwners } from '../../src/engine/plugin.ts'

/** A family is a name that many independent owners share. */
const ownersOf = indexOwners(brands.filter(({ family }) => !family))

/** Shorter names are often registered by different owners under different suffixes. */
const LABEL = 4

/** One brand owns both, or they are one name under two suffixes (`shop.example`, `shop.test`), neither of them a tenant's. */
export function areSisters(one: string, other: string): boolean {
  const [a, b] = [identify(one), identify(other)]
  if (a.tenant || b.tenant || a.shared || b.shared) return false
  const labelOf = ({ owner, suffix }: typeof a) => owner.slice(0, -suffix.length - 1)
  if (labelOf(a).length >= LABEL && labelOf(a) === labelOf(b)) return true
  const owners = new Set(ownersOf(one).map(({ name }) => name))
  return ownersOf(other).some(({ name }) => owners.has(name))
}
