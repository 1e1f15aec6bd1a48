// The sentence that says why a label passes for a brand's.
import type { Disguise, Spotted } from './spotted.ts'

const how: Readonly<Record<Disguise, string>> = {
  scripts: 'in letters of other scripts',
  accents: 'with accents',
  digits: 'with digits for letters',
  letters: 'in letters that look alike',
  hyphens: 'with hyphens',
  swapped: 'with two letters swapped',
  missing: 'with a letter missing',
  added: 'with a letter too many',
  replaced: 'with one letter wrong',
}

export function explain({ word, disguise, scripts, alone, lure, onlyLures }: Spotted, label: string): string {
  const mixed = scripts.length > 1 ? `, mixing ${scripts.join(' and ')}` : ''
  const written = disguise === null ? `names "${word}"` : `is "${word}" ${how[disguise]}${mixed}`
  const asks = lure === 'soft' ? 'words that look official' : 'words that ask for something'
  const beside = alone || lure === null ? '' : ` beside ${onlyLures ? '' : 'others and '}${asks}`
  return `"${label}" ${written}${beside}.`
}
