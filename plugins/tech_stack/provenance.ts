// Limits the confidence of a match by its source: content of another site says nothing about how this site is made.
import type { TechnologyCategory } from './categories.ts'
import type { CluePattern } from './fingerprint.ts'
import type { ClueSubject } from './subjects.ts'

/** Technologies of the site itself: only the site's own responses, pages and records show them. */
const OWN: ReadonlySet<TechnologyCategory> = new Set([
  ...(['web_server', 'operating_system', 'language', 'runtime', 'web_framework', 'static_site_generator'] as const),
  ...(['cms', 'cms_extension', 'control_panel', 'cache', 'hosting'] as const),
])

/** Technologies served from the vendor's hosts, so files loaded from there show them. */
const PLATFORMS: ReadonlySet<TechnologyCategory> = new Set(['site_builder', 'shop', 'community', 'learning'])

/**
 * Percent. A hint shows that something may be loaded; a vendor's file shows that the vendor's system may hold the
 * content.
 */
const HINT_CONFIDENCE = 25
const VENDOR = 60

/** The text is a host, or begins with one: a URL there is the vendor's wherever it is seen. */
export const namesHost = ({ how, text }: Pick<CluePattern, 'how' | 'text'>): boolean =>
  how === 'within' || /^[^/]*\.[a-z]/i.test(text)

/** The highest confidence, in percent, that this match gives; 0 if it gives none. */
export function ceilingOf(subject: ClueSubject, pattern: CluePattern, category: TechnologyCategory): number {
  const { place, relation, site } = subject
  const isOwn = site === 'own'
  if (place === 'form') return isOwn || (!OWN.has(category) && namesHost(pattern)) ? 100 : 0
  if (relation === 'linked') return isOwn && (OWN.has(category) || PLATFORMS.has(category)) ? 100 : 0
  const isMadeHere = isOwn || !OWN.has(category)
  const isVendors = place === 'resource' && namesHost(pattern)
  if (relation === 'hint') return isMadeHere && (isVendors || place !== 'resource') ? HINT_CONFIDENCE : 0
  if (relation === 'framed') return isOwn || (isVendors && isMadeHere) ? 100 : 0
  if (isMadeHere) return 100
  if (!isVendors) return 0
  return category === 'cms_extension' ? 100 : category === 'cms' ? VENDOR : 0
}
