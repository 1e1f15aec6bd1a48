// Names that are a brand's own, or that only pass its own on.
import type { BrandIndex } from './brand_index.ts'
import { carriers } from './places.ts'

/** Parents of a name that are looked up, those with the fewest labels: no domain of a brand has more. */
const PARENTS = 6

/**
 * At or below one of the brands' domains, below a brand's own top-level domain, or below a network that carries them.
 * Tenants of a brand's hosting platform (`user.github.io`) are others; `isTenant` says that the name is one's.
 */
export function isAtHome({ homes, byWord }: BrandIndex, name: string, registrable: string, isTenant: boolean): boolean {
  const labels = name.split('.').slice(-PARENTS)
  if (byWord.has(labels.at(-1) ?? '')) return true
  return labels.some((_, at) => {
    const parent = labels.slice(at).join('.')
    return carriers.has(parent) || (homes.has(parent) && (!isTenant || parent.length >= registrable.length))
  })
}
