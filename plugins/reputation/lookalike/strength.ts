// The confidence that a label with a brand is made to deceive.
import type { BrandMatch, NameDisguise } from './brand_match.ts'

/** For a disguise alone. */
const certainty: Readonly<Record<NameDisguise, number>> = {
  scripts: 0.95,
  digits: 0.85,
  letters: 0.8,
  accents: 0.7,
  hyphens: 0.4,
  plural: 0.4,
  swapped: 0.7,
  missing: 0.6,
  added: 0.6,
  replaced: 0.6,
}

/** Added for a lure: a disguised brand with a lure leaves little doubt. */
const WITH_LURE = 0.1

/** For the plain word with others. Legitimate companies add `online` and `shop` too. */
const besides = {
  onlyLures: 0.9,
  lureAmongOthers: 0.6,
  everydayWithCredential: 0.5,
  everydayWithLure: 0.35,
  soft: 0.3,
} as const

/** 0 to 1, or null if the label is not suspicious. */
export function strengthOf({ distinctive, rare, disguise, alone, lure, onlyLures }: BrandMatch): number | null {
  if (disguise !== null) {
    if (!rare && disguise !== 'scripts' && disguise !== 'digits') return null
    if (!alone && lure === null) return null
    return Math.min(1, certainty[disguise] + (lure === null || lure === 'soft' ? 0 : WITH_LURE))
  }
  if (lure === null) return null
  if (!distinctive) {
    if (lure === 'soft' || !onlyLures) return null
    return lure === 'credential' ? besides.everydayWithCredential : besides.everydayWithLure
  }
  if (lure === 'soft') return onlyLures ? besides.soft : null
  return onlyLures ? besides.onlyLures : besides.lureAmongOthers
}
