// A page that was seen only in part, under a name that neither age nor popularity vouches for: it may show anything.
import {
  type Brand,
  type Evidence,
  findUndrawn,
  isTenant,
  type SignalFound,
  type Target,
  UNDRAWN,
} from '../../src/engine/plugin.ts'
import { isBrandsOwn } from './lookalike/judge.ts'
import { isPopular, leadsElsewhere } from './popularity.ts'
import type { SignalId } from './signals.ts'

type UnseenEvidence = { readonly [Kind in 'page' | 'served' | 'document' | 'popularity']: Evidence[Kind] | null }

interface UnseenFacts {
  /** Days since the registration; null if unknown. */
  readonly age: number | null
  /** Domains younger than this are new. */
  readonly recent_days: number
  readonly brands: readonly Brand[]
}

/**
 * An address without a URL says nothing about a page: most have none, and lists and registries tell more of them. A link to
 * an address is a page whose owner is not known.
 */
export function unseenPageSignals(
  evidence: UnseenEvidence,
  target: Target,
  facts: UnseenFacts,
): SignalFound<SignalId>[] {
  if (target.kind === 'ip' && target.url === null) return []
  const why = whyUnseen(evidence)
  if (why === null || isVouchedFor(evidence, target, facts)) return []
  return [{ id: 'page_seen_in_part', detail: `The page ${why.words}.`, evidence: { reason: why.reason } }]
}

/** Null if the page was seen wholly, or not at all: confidence is then low, which is enough. */
function whyUnseen({
  page,
  served,
  document,
}: UnseenEvidence): { readonly reason: string; readonly words: string } | null {
  if (page === null || served === null || document === null || served.kind === 'none') return null
  if (page.stopped !== null) return { reason: page.stopped, words: 'is behind a redirect that was not followed' }
  const reason = findUndrawn({ page, served, document })
  return reason === null ? null : { reason, words: UNDRAWN[reason] }
}

/** A page that a link leads to elsewhere has another owner, whose age and popularity are not looked up. */
function isVouchedFor(
  { page, popularity }: UnseenEvidence,
  target: Target,
  { age, recent_days, brands }: UnseenFacts,
): boolean {
  if (target.url !== null && leadsElsewhere(target, page)) return isBrandsOwn(hostOf(page), brands)
  const ownAge = isTenant(target) ? null : age
  if (ownAge !== null && ownAge < recent_days) return false
  return ownAge !== null || isPopular(popularity) || (target.domain !== null && isBrandsOwn(target.domain, brands))
}

function hostOf(page: Evidence['page'] | null): string {
  const url = page?.exchanges.at(-1)?.url ?? ''
  return URL.canParse(url) ? new URL(url).hostname : ''
}
