// The sentence that says why a label imitates a brand.
import type { BrandMatch, Disguise } from './brand_match.ts'

const how: Readonly<Record<Disguise, string>> = {
  scripts: 'in letters of another script',
  accents: 'with accents',
  digits: 'with digits instead of letters',
  letters: 'with look-alike letters',
  hyphens: 'with hyphens',
  plural: 'in the plural',
  swapped: 'with two letters swapped',
  missing: 'with a letter missing',
  added: 'with an extra letter',
  replaced: 'with one letter changed',
}

export function explain({ word, disguise, scripts, alone, lure, onlyLures }: BrandMatch, label: string): string {
  const mixed = scripts.length > 1 ? `, mixing ${scripts.join(' and ')}` : ''
  const written = disguise === null ? `contains "${word}"` : `is "${word}" ${how[disguise]}${mixed}`
  const asks = lure === 'soft' ? 'official-sounding words' : 'words that request an action'
  const beside = alone || lure === null ? '' : ` with ${onlyLures ? '' : 'other words and '}${asks}`
  return `"${label}" ${written}${beside}.`
}
