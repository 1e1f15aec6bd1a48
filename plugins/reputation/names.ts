// Signals of the name alone: brand imitation, and the score of the name model.
import {
  type Brand,
  type Evidence,
  findOwner,
  indexOwners,
  isTenant,
  brands as knownBrands,
  type NameEvidence,
  type OwnersOf,
  type SignalFound,
  type Target,
} from '../../src/engine/plugin.ts'
import { type BrandLookalike, isBrandsOwn, judgeLookalike } from './lookalike/judge.ts'
import { isPopular } from './popularity.ts'
import { confirmedNames } from './reverse_names.ts'
import type { SignalId } from './signals.ts'

/** Judges a domain by its name, and an IP address by its confirmed reverse DNS names. */
export function lookalikeOf(
  target: Target,
  reverseNames: Evidence['reverse_names'] | null,
  brands: readonly Brand[],
): BrandLookalike | null {
  const judge = (name: string, registrable: string) => judgeLookalike(name, registrable, { brands })
  if (target.kind === 'domain') return judge(target.domain, target.registrable)
  const own = reverseNames === null ? [] : confirmedNames(reverseNames)
  return own.map(({ name, registrable }) => judge(name, registrable)).find(match => match !== null) ?? null
}

const indexes = new WeakMap<readonly Brand[], OwnersOf>()

/** The owner's side of a brand says that the name is its own: whatever it looks like, it imitates nobody. */
export function isOwnedByBrand(name: string, own: readonly Brand[], evidence: NameEvidence): boolean {
  const key = own.length === 0 ? knownBrands : own
  const ownersOf = indexes.get(key) ?? indexOwners(own.length === 0 ? knownBrands : [...own, ...knownBrands])
  indexes.set(key, ownersOf)
  return findOwner(name, ownersOf, evidence) !== null
}

/** What vouches for a name besides its owner. */
export interface Vouchers {
  /** Days since the registration; null if unknown. */
  readonly age: number | null
  readonly popularity: Evidence['popularity'] | null
}

/** A brand's word under another suffix is the owner's, or of a firm of that name, if it is old or popular: kits are neither. */
export const isOldNamesake = (
  { kind }: BrandLookalike,
  { age, popularity }: Vouchers,
  { trusted_days }: { readonly trusted_days: number },
): boolean => kind === 'other_suffix' && ((age !== null && age >= trusted_days) || isPopular(popularity))

/** About one ordinary name in 170 reaches it in both scores (see the model card). */
const REVIEWED_FROM = 90

/**
 * A name that hardly any honest one resembles asks for a look while nothing vouches for it. Names under cheap suffixes and of tenants
 * must also be rare among their own kind; older recordings do not tell.
 */
export function reviewedNameSignals(
  target: Target,
  name: Evidence['name_score'] | null,
  { age, popularity }: Vouchers,
  { recent_days, brands }: { readonly recent_days: number; readonly brands: readonly Brand[] },
): SignalFound<SignalId>[] {
  if (name === null || target.domain === null) return []
  const { score, class_score = 0 } = name
  if (Math.min(score, class_score) < REVIEWED_FROM) return []
  const own = isTenant(target) ? null : age
  if (own === null ? isPopular(popularity) : own >= recent_days) return []
  if (isBrandsOwn(target.domain, brands)) return []
  return [
    {
      id: 'unvouched_name',
      detail: `The name scores ${score} of 100, ${class_score} among names under the same kind of suffix; its age does not offset that.`,
      evidence: { ml_score: score, class_score },
    },
  ]
}

/**
 * Grows from zero just below `from` to the full weight at 100. The mean of the score and of the score within the class
 * of its suffix must reach `from` too: an honest name under a cheap suffix or a platform looks worse than others. Names
 * at or below a brand's own domain are exempt.
 */
export function nameSignals(
  target: Target,
  name: Evidence['name_score'] | null,
  from: number,
  brands: readonly Brand[],
): SignalFound<SignalId>[] {
  if (name === null || (target.domain !== null && isBrandsOwn(target.domain, brands))) return []
  const { score, class_score = score } = name
  if (Math.min(score, (score + class_score) / 2) < from) return []
  const traits = name.traits.map(({ trait }) => trait)
  return [
    {
      id: 'suspicious_name',
      strength: (score - from + 1) / (101 - from),
      detail: `The name scores ${score} of 100${traits.length > 0 ? `: ${traits.join(', ')}` : ''}.`,
      evidence: { ml_score: score },
    },
  ]
}
