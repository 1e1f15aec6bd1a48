// A label as it is seen, and the Latin letters it passes for.
import type { Brand } from './brand.ts'
import { plainLetters, scriptsOf } from './confusables.ts'
import { toUnicode } from './punycode.ts'

export interface LabelText {
  /** In Unicode, as it is seen. */
  readonly seen: string
  /** In Latin letters it passes for, by its hyphens, and without them. */
  readonly tokens: readonly string[]
  readonly joined: string
  /** Of a label in Unicode. */
  readonly scripts: readonly string[]
}

/** Null for a label that cannot pass for Latin letters. */
export function readLabel(label: string): LabelText | null {
  const seen = toUnicode(label)
  if (seen === null) return null
  const foreign = seen !== label
  const plain = foreign ? plainLetters(seen) : seen
  if (foreign && !/^[a-z0-9-]+$/.test(plain)) return null
  const tokens = plain.split('-').filter(token => token !== '')
  return { seen, tokens, joined: tokens.join(''), scripts: foreign ? scriptsOf(seen) : [] }
}

/** By what letters a label in Unicode passes for Latin. */
export const foreignDisguise = ({ seen, scripts }: LabelText): 'accents' | 'scripts' | 'letters' => {
  if (scripts.some(script => script !== 'Latin')) return 'scripts'
  return /^[a-z0-9-]+$/.test(seen.normalize('NFKD').replace(/\p{M}+/gu, '')) ? 'accents' : 'letters'
}

/** `crédit-agricole` is how the brand itself is written, hyphens and all. */
export const isOwnSpelling = ({ name }: Brand, seen: string): boolean => wordsOf(name) === wordsOf(seen)
const wordsOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
