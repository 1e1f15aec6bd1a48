// Names that belong to a brand, or that only carry its content.
import type { BrandIndex } from './brand_index.ts'
import { carriers } from './places.ts'

/** Maximum number of parents of a name that are looked up, shortest first: no brand domain has more labels. */
const PARENTS = 6

/**
 * At or below a brand's domain, below a brand's own top-level domain, or below a CDN that carries brand sites.
 * Tenants of a brand's hosting platform (`user.github.io`) are other parties; `isTenant` marks such a name.
 */
export function isAtHome({ homes, byWord }: BrandIndex, name: string, registrable: string, isTenant: boolean): boolean {
  const labels = name.split('.').slice(-PARENTS)
  if (byWord.has(labels.at(-1) ?? '')) return true
  return labels.some((_, at) => {
    const parent = labels.slice(at).join('.')
    return carriers.has(parent) || (homes.has(parent) && (!isTenant || parent.length >= registrable.length))
  })
}
