// What stands beside a brand's name: words that ask for something, words that only look official, or neither.
import { skeleton } from './confusables.ts'
import { credentialLures, softLures, strongLures } from './words.ts'

/** `credential` asks for a log-in, `strong` for anything at all, `soft` for nothing. */
export type Lure = 'credential' | 'strong' | 'soft'

const weight: Readonly<Record<Lure, number>> = { soft: 0, strong: 1, credential: 2 }
const stronger = (one: Lure, other: Lure): Lure => (weight[other] > weight[one] ? other : one)

/** Pieces beside a brand are short; longer ones are words of their own. */
const LONGEST_PIECE = 24
const LONGEST_WORD = 16

type Lexicon = ReadonlyMap<string, Lure>

const lexicon = (spelling: (word: string) => string): Lexicon =>
  new Map([
    ...[...softLures].map(word => [spelling(word), 'soft'] as const),
    ...[...strongLures].map(word => [spelling(word), 'strong'] as const),
    ...[...credentialLures].map(word => [spelling(word), 'credential'] as const),
  ])

export const plainLures: Lexicon = lexicon(word => word)
export const skeletonLures: Lexicon = lexicon(skeleton)

/** The strongest lure in a text that consists of lures and digits alone; null when it does not. */
export function lureOf(text: string, lures: Lexicon): Lure | null {
  if (text === '') return 'soft'
  if (text.length > LONGEST_PIECE) return null
  const reached: (Lure | null)[] = ['soft']
  for (let end = 1; end <= text.length; end++) {
    let best: Lure | null = isDigit(text, end - 1) ? (reached[end - 1] ?? null) : null
    for (let start = Math.max(0, end - LONGEST_WORD); start < end; start++) {
      const before = reached[start]
      const lure = before ? lures.get(text.slice(start, end)) : undefined
      if (before && lure) best = stronger(best ?? 'soft', stronger(before, lure))
    }
    reached[end] = best
  }
  return reached[text.length] ?? null
}

const isDigit = (text: string, at: number): boolean => text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39

/** The strongest of several pieces, and whether all of them are lures. */
export function luresOf(pieces: readonly string[], lures: Lexicon): { lure: Lure | null; all: boolean } {
  const found = pieces.map(piece => lureOf(piece, lures))
  const known = found.filter(lure => lure !== null)
  return { lure: known.length === 0 ? null : known.reduce(stronger), all: known.length === found.length }
}
