// How sure it is that a label which shows a brand is made to deceive.
import type { Disguise, Spotted } from './spotted.ts'

/** A disguise alone. */
const certainty: Readonly<Record<Disguise, number>> = {
  scripts: 0.95,
  digits: 0.85,
  letters: 0.8,
  accents: 0.7,
  hyphens: 0.4,
  swapped: 0.7,
  missing: 0.6,
  added: 0.6,
  replaced: 0.6,
}

/** What a lure adds: a disguised brand beside one leaves little doubt. */
const WITH_LURE = 0.1

/** The brand's plain word beside others. Honest firms do put `online` and `shop` there. */
const besides = { onlyLures: 0.9, lureAmongOthers: 0.6, everydayWithCredential: 0.5, soft: 0.3 } as const

/** 0 to 1, or null when nobody is accused. */
export function strengthOf({ brand, disguise, alone, lure, onlyLures }: Spotted): number | null {
  if (disguise !== null) {
    if (brand.everyday && disguise !== 'scripts' && disguise !== 'digits') return null
    if (!alone && lure === null) return null
    return Math.min(1, certainty[disguise] + (lure === null || lure === 'soft' ? 0 : WITH_LURE))
  }
  if (brand.everyday) return lure === 'credential' && onlyLures ? besides.everydayWithCredential : null
  if (lure === null) return null
  if (lure === 'soft') return onlyLures ? besides.soft : null
  return onlyLures ? besides.onlyLures : besides.lureAmongOthers
}
