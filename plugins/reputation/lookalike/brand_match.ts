// Finds a brand in one label: plain, with other words, in look-alike letters, or with one typo.
import { type BrandIndex, HEAD, type IndexedWord, losses, SHORTEST_SLIP } from './brand_index.ts'
import { foreignDisguise, isOwnSpelling, type LabelText, readLabel, skeleton } from './confusables.ts'
import { isStronger, type LureKind, luresOf, plainLures, skeletonLures } from './lures.ts'
import { type Slip, slipFrom } from './typo.ts'
import { honest, ownLetters } from './words.ts'

export type NameDisguise = 'letters' | 'digits' | 'accents' | 'scripts' | 'hyphens' | 'plural' | Slip

/** `disguise`: the alteration of the brand's word, null if it is plain. */
export interface BrandMatch extends IndexedWord {
  readonly disguise: NameDisguise | null
  /** The scripts of a label in Unicode. */
  readonly scripts: readonly string[]
  /** The brand is the whole label. */
  readonly alone: boolean
  /** The strongest lure in the label. */
  readonly lure: LureKind | null
  /** Nothing but lures accompanies the brand. */
  readonly onlyLures: boolean
}

/** In shorter words, replacing a letter gives an innocent word too often. */
const LETTERS_LENGTH = 6
const DIGITS_LENGTH = 4
/** From this length, a word that is not distinctive is seen between two others too. */
const BURIED_LENGTH = 4
/** A hyphen before a generic part of a word with fewer letters of its own is how others write it: `att-mail`. */
const TORN_OWN = 4
/** Shorter words with an `s` are other initials and words: `dhls`. */
const PLURAL_LENGTH = 4

/** The brand in one label of a name; null without one. */
export function matchBrand(index: BrandIndex, label: string): BrandMatch | null {
  const text = readLabel(label)
  if (!text) return null
  return matchPlain(index, text) ?? matchDisguised(index, text) ?? matchPlural(index, text) ?? matchTypo(index, text)
}

function matchPlain(index: BrandIndex, text: LabelText): BrandMatch | null {
  const { tokens, joined, scripts, seen } = text
  const whole = index.byWord.get(joined)
  if (whole && (tokens.length === 1 || !namesBrand(index, tokens))) {
    const tear = tokens.length > 1 && isTorn(tokens, joined) ? 'hyphens' : null
    const foreign = scripts.length === 0 ? tear : foreignDisguise(text)
    const disguise = isOwnSpelling(whole.brand, seen) ? null : foreign
    return { ...whole, disguise, scripts, alone: true, lure: null, onlyLures: true }
  }
  const token = besideToken(index, tokens)
  const inside = besideLures(index.byHead, joined, plainLures, ({ word }) => word)
  const beside = token && inside && tellsMore(inside, token) ? inside : (token ?? inside)
  if (!beside) return null
  return { ...beside, disguise: scripts.length === 0 ? null : foreignDisguise(text), scripts, alone: false }
}

const isTorn = (tokens: readonly string[], text: string): boolean =>
  ownLetters(text) === text.length || ownLetters(text) >= TORN_OWN || !tokens.some(token => ownLetters(token) === 0)

/** `google-play` contains the brand as a separate word; `face-book` is the brand split by a hyphen. */
const namesBrand = ({ byWord }: BrandIndex, tokens: readonly string[]): boolean =>
  tokens.some(token => byWord.get(token)?.distinctive === true)

type LuredWord = IndexedWord & Pick<BrandMatch, 'lure' | 'onlyLures'>

/** A longer word, or the same one among lures alone that joined say more: `mise-a-jour`, `espace-client`. */
const tellsMore = (one: LuredWord, other: LuredWord): boolean =>
  one.word.length > other.word.length ||
  (one.word === other.word && one.onlyLures && (!other.onlyLures || isStronger(one.lure, other.lure)))

/** A token that is the brand's word, among others. */
function besideToken({ byWord }: BrandIndex, tokens: readonly string[]): LuredWord | null {
  if (tokens.length < 2) return null
  for (const [at, token] of tokens.entries()) {
    const entry = byWord.get(token)
    if (!entry) continue
    const { lure, all } = luresOf(tokens.toSpliced(at, 1), plainLures)
    if (lure !== null) return { ...entry, lure, onlyLures: all }
  }
  return null
}

/** Few letters between others are a chance: `nab` in `kartenabrechnung`. */
const isBuried = ({ word, distinctive }: IndexedWord, before: string, after: string): boolean =>
  !distinctive && word.length < BURIED_LENGTH && before !== '' && after !== ''

/** The longest brand word in the text with only lures before and after it. */
function besideLures(
  heads: BrandIndex['byHead'],
  text: string,
  lures: typeof plainLures,
  spelling: (entry: IndexedWord) => string,
): LuredWord | null {
  let best: LuredWord | null = null
  for (let at = 0; at + HEAD <= text.length; at++) {
    for (const entry of heads.get(text.slice(at, at + HEAD)) ?? []) {
      const word = spelling(entry)
      if (!text.startsWith(word, at) || (best && best.word.length >= entry.word.length)) continue
      const [before, after] = [text.slice(0, at), text.slice(at + word.length)]
      if (isBuried(entry, before, after)) continue
      const { lure, all } = luresOf([before, after], lures)
      if (lure !== null && all) best = { ...entry, lure, onlyLures: true }
    }
  }
  return best
}

/** Matches by appearance: digits for letters, `rn` for `m`, `l` for `i`. */
function matchDisguised(index: BrandIndex, { joined, scripts }: LabelText): BrandMatch | null {
  const shape = skeleton(joined)
  if (honest.has(joined)) return null
  const whole = index.bySkeleton.get(shape)
  const beside = whole
    ? { ...whole, lure: null, onlyLures: true }
    : besideLures(index.bySkeletonHead, shape, skeletonLures, ({ word }) => skeleton(word))
  if (!beside || joined.includes(beside.word)) return null
  const digits = /\d/.test(joined)
  const { word, rare } = beside
  if (word.length < (digits ? DIGITS_LENGTH : LETTERS_LENGTH) || (!rare && !digits)) return null
  return { ...beside, disguise: digits ? 'digits' : 'letters', scripts, alone: whole !== undefined }
}

/** The whole label, or the label without lures, is the brand's word with an `s`: `paypals`. Words of a language have honest plurals. */
function matchPlural({ byWord }: BrandIndex, { tokens, joined, scripts }: LabelText): BrandMatch | null {
  for (const piece of tokens.length === 1 ? [joined] : [joined, ...tokens]) {
    const entry = piece.endsWith('s') && !honest.has(piece) ? byWord.get(piece.slice(0, -1)) : undefined
    if (!entry?.distinctive || entry.word.length < PLURAL_LENGTH) continue
    const { lure, all } = luresOf(piece === joined ? [] : tokens.filter(token => token !== piece), plainLures)
    if (all) return { ...entry, disguise: 'plural', scripts, alone: piece === joined, lure, onlyLures: true }
  }
  return null
}

/** With another first letter, a short word is another one: `andra`. */
const isInnerSwap = (slip: Slip, word: string, piece: string): boolean =>
  slip === 'swapped' && word.charAt(0) === piece.charAt(0)

/** The whole label, or the label without lures, is one typo away from the brand's word. */
function matchTypo({ byLoss }: BrandIndex, { tokens, joined, scripts }: LabelText): BrandMatch | null {
  const pieces = tokens.length === 1 ? [joined] : [joined, ...tokens]
  for (const piece of pieces) {
    if (piece.length < SHORTEST_SLIP || honest.has(piece)) continue
    const rest = piece === joined ? [] : tokens.filter(token => token !== piece)
    const { lure, all } = luresOf(rest, plainLures)
    if (!all) continue
    for (const shorter of losses(piece)) {
      for (const entry of byLoss.get(shorter) ?? []) {
        const slip = slipFrom(entry.word, piece)
        if (slip !== null && (entry.slippery || isInnerSwap(slip, entry.word, piece)))
          return { ...entry, disguise: slip, scripts, alone: piece === joined, lure, onlyLures: true }
      }
    }
  }
  return null
}

const how: Readonly<Record<NameDisguise, string>> = {
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

/** The sentence that says why a label imitates a brand. */
export function explain({ word, disguise, scripts, alone, lure, onlyLures }: BrandMatch, label: string): string {
  const mixText = scripts.length > 1 ? `, mixing ${scripts.join(' and ')}` : ''
  const description = disguise === null ? `contains "${word}"` : `is "${word}" ${how[disguise]}${mixText}`
  const asks = lure === 'soft' ? 'official-sounding words' : 'words that request an action'
  const beside = alone || lure === null ? '' : ` with ${onlyLures ? '' : 'other words and '}${asks}`
  return `"${label}" ${description}${beside}.`
}
