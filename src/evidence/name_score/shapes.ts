// What is left of a text when only the kinds of its characters are looked at.
import { step } from './hash.ts'

const kindOf = (character: string, vowel: string, other: string): string => {
  if (character >= '0' && character <= '9') return '0'
  if (character === '-' || character === '.') return character
  return 'aeiouy'.includes(character) ? vowel : other
}

const tableOf = (vowel: string, other: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code), vowel, other).charCodeAt(0))

const kinds = tableOf('a', 'a')

/** By character code: vowels, consonants, digits and hyphens, so that `sample-1` is `cvcccv-0`. */
export const sounds = tableOf('v', 'c')

/** The hash of the kinds of characters in the order they come, runs as one: of `a-0a` for `abc-12x`. */
export function hashShape(text: string, seed: number): number {
  let hash = seed
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at) & 127] ?? 0
    if (kind !== before) hash = step(hash, kind)
    before = kind
  }
  return hash
}
