// The words beside a brand in a name: words that request something, official-sounding words, or neither.
import { skeleton } from './confusables.ts'
import { credentialLures, softLures, strongLures } from './words.ts'

/** `credential` requests a log-in, `strong` requests something else, `soft` requests nothing. */
export type LureKind = 'credential' | 'strong' | 'soft'

const weight: Readonly<Record<LureKind, number>> = { soft: 0, strong: 1, credential: 2 }
const stronger = (one: LureKind, other: LureKind): LureKind => (weight[other] > weight[one] ? other : one)

/** Whether one lure says more than the other. */
export const isStronger = (one: LureKind | null, other: LureKind | null): boolean =>
  one !== null && (other === null || weight[one] > weight[other])

/** Maximum length of a lure; longer pieces are words of their own. */
const LONGEST_PIECE = 24
const LONGEST_WORD = 16

type Lexicon = ReadonlyMap<string, LureKind>

const lexicon = (spelling: (word: string) => string): Lexicon =>
  new Map([
    ...[...softLures].map(word => [spelling(word), 'soft'] as const),
    ...[...strongLures].map(word => [spelling(word), 'strong'] as const),
    ...[...credentialLures].map(word => [spelling(word), 'credential'] as const),
  ])

/** Lures as they are written. */
export const plainLures: Lexicon = lexicon(word => word)
/** Lures by their appearance, to find them in look-alike letters. */
export const skeletonLures: Lexicon = lexicon(skeleton)

/** The strongest lure in a text of only lures and digits; null if it contains anything else. */
export function lureOf(text: string, lures: Lexicon): LureKind | null {
  if (text === '') return 'soft'
  if (text.length > LONGEST_PIECE) return null
  const reached: (LureKind | null)[] = ['soft']
  for (let end = 1; end <= text.length; end++) {
    let best: LureKind | null = isDigit(text, end - 1) ? (reached[end - 1] ?? null) : null
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

/** The strongest lure among several pieces, and whether all of them are lures. */
export function luresOf(pieces: readonly string[], lures: Lexicon): { lure: LureKind | null; all: boolean } {
  const lureOfPieces = pieces.map(piece => lureOf(piece, lures))
  const matches = lureOfPieces.filter(lure => lure !== null)
  return { lure: matches.length === 0 ? null : matches.reduce(stronger), all: matches.length === lureOfPieces.length }
}
