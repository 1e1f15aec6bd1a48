// Names that belong to a brand, or that only carry its content.
import type { BrandIndex } from './brand_index.ts'
import { carriers } from './places.ts'

/** Maximum number of parents of a name that are looked up, shortest first: no carrier has more labels. */
const PARENTS = 6

/** At or below a brand's domain or top-level domain, or below a CDN that carries brand sites. */
export function isAtHome({ ownersOf }: BrandIndex, name: string): boolean {
  if (ownersOf(name).length > 0) return true
  const labels = name.split('.').slice(-PARENTS)
  return labels.some((_, at) => carriers.has(labels.slice(at).join('.')))
}
