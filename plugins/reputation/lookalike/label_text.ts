// A label as a reader sees it, and the Latin letters it resembles.
import type { Brand } from '../../../src/engine/plugin.ts'
import { plainLetters, scriptsOf } from './confusables.ts'
import { toUnicode } from './punycode.ts'

export interface LabelText {
  /** In Unicode, as displayed. */
  readonly seen: string
  /** The Latin letters it resembles, split at hyphens, and joined without hyphens. */
  readonly tokens: readonly string[]
  readonly joined: string
  /** Set for a label in Unicode. */
  readonly scripts: readonly string[]
}

/** Null for a label that does not resemble Latin letters. */
export function readLabel(label: string): LabelText | null {
  const seen = toUnicode(label)
  if (seen === null) return null
  const foreign = seen !== label
  const plain = foreign ? plainLetters(seen) : seen
  if (foreign && !/^[a-z0-9-]+$/.test(plain)) return null
  const tokens = plain.split('-').filter(token => token !== '')
  return { seen, tokens, joined: tokens.join(''), scripts: foreign ? scriptsOf(seen) : [] }
}

/** How a label in Unicode resembles Latin: by other scripts or by accents. */
export const foreignDisguise = ({ seen, scripts }: LabelText): 'accents' | 'scripts' | 'letters' => {
  if (scripts.some(script => script !== 'Latin')) return 'scripts'
  return /^[a-z0-9-]+$/.test(seen.normalize('NFKD').replace(/\p{M}+/gu, '')) ? 'accents' : 'letters'
}

/** `crédit-agricole` is the brand's own spelling, with hyphens. */
export const isOwnSpelling = ({ name }: Brand, seen: string): boolean => wordsOf(name) === wordsOf(seen)
const wordsOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
